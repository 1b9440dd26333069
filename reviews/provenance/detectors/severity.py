"""What makes a call grave, so that a person should see it even where nothing speaks against it.

Grave is what deletes, moves money, sends something outside, runs code, grants rights, steers what others depend on or
cannot be undone. It is read off the verbs in the tool's name and document and off the arguments, by general words and
not by a list of known tools. A verb that stands in no list is grave: only kinds of call that are known to be mild are
let off.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from reviews.provenance.core.context import ProposedAction, ToolDoc, leaves
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.detectors.critical_actions import CriticalAction, is_critical
from reviews.provenance.detectors.severity_words import (
    ALWAYS,
    CANNOT_BE_UNDONE,
    CHANGING,
    CODE,
    CONJUNCTIONS,
    DANGEROUS,
    DISPATCHING,
    FILLERS,
    LEADING,
    MADE_TO_SEND,
    MAKERS,
    OBJECTS,
    READING,
    SWITCHES,
    WRITING_METHODS,
    Effect,
)
from reviews.provenance.text.names import tokens_of
from reviews.provenance.text.stems import base_forms


class Mildness(StrEnum):
    """Kinds of call that are let off, unless something else about them is grave."""

    READS = "reads"
    CHANGES = "changes what can be changed back"


@dataclass(frozen=True)
class Severity:
    """That a call is grave, and by what."""

    effect: Effect
    words: str
    """What in the tool or the call says so; empty where the effect says it all."""

    @property
    def sentence(self) -> str:
        """In one sentence for a person."""
        return f"The call {self.effect} (“{self.words}”)." if self.words else f"The call {self.effect}."


def severity_of(
    action: ProposedAction,
    document: ToolDoc | None,
    *,
    critical: Sequence[CriticalAction] = (),
    high_risk: bool = False,
) -> Severity | None:
    """Why the call is grave; None for a mild one. `critical` is the workspace's list, `high_risk` the agent's word."""
    if high_risk:
        return Severity(Effect.RISKY, "")
    if is_critical(action, critical):
        return Severity(Effect.CRITICAL, "")
    # Only a document that the workspace believes says that its tool changes nothing.
    if document is not None and not document.environment_changing:
        return None
    description = document.description[:_MAX_DESCRIPTION_LENGTH] if document else ""
    if final := CANNOT_BE_UNDONE.search(description):
        return Severity(Effect.FINAL, final.group())
    return by_arguments(action) or _by_name(action, description)


def says_it_is_final(document: ToolDoc | None) -> bool:
    """Whether the tool's document says that its effect cannot be undone."""
    return document is not None and CANNOT_BE_UNDONE.search(document.description[:_MAX_DESCRIPTION_LENGTH]) is not None


def _by_name(action: ProposedAction, description: str) -> Severity | None:
    """By the words of the tool's name, then those with which the clauses of its description begin."""
    name_words = tokens_of(action.tool)
    # The part behind a name space: in `mail.search_messages` it is not the mail that counts.
    words = tokens_of(re.split(r"[./:]|__", action.tool)[-1]) or name_words
    for word in name_words:
        if effect := effect_of(word, ALWAYS):
            return Severity(effect, word)
    kind, verb = kind_by_words(words)
    openings = tuple(openings_of(description))
    if kind is None and not _VERB_ENDING.search(words[0] if words else ""):
        # The name tells nothing, so what the description begins with stands for it.
        kind, verb = kind_by_words(openings[:1])
    if isinstance(kind, Effect):
        return Severity(kind, verb)
    if kind is None:
        return Severity(Effect.UNCLEAR, action.tool[:_MAX_NAME_LENGTH])
    for opening in openings:
        if effect := effect_of(opening, ALWAYS) or effect_of(opening, LEADING):
            return Severity(effect, opening)
    return None if kind is Mildness.READS else _by_objects(action, words, verb)


def kind_by_words(words: Sequence[str]) -> tuple[Effect | Mildness | None, str]:
    """What the first verb does, and the verb; None and nothing where no word is a verb.

    A word behind “and” counts like a first one, and the graver of them decides.
    """
    kind_and_verb: tuple[Effect | Mildness | None, str] = (None, "")
    begins = True
    for word in words:
        if word in CONJUNCTIONS:
            begins = True
        elif begins:
            if effect := effect_of(word, LEADING):
                return effect, word
            forms = set(base_forms(word))
            mildness = Mildness.READS if forms & READING else Mildness.CHANGES if forms & CHANGING else None
            if mildness and kind_and_verb[0] is not Mildness.CHANGES:
                kind_and_verb = mildness, word
            # Words before the first verb qualify it: `factory_reset`.
            begins = mildness is None
    return kind_and_verb


def _by_objects(action: ProposedAction, words: Sequence[str], verb: str) -> Severity | None:
    """By what a call that changes something works on: the nouns of its name, and the names of its arguments."""
    for word in words:
        effect = effect_of(word, OBJECTS)
        # Messages are made to be sent: `create_message` sends, `label_message` and `draft_message` do not.
        if effect is None and verb in MAKERS:
            effect = effect_of(word, MADE_TO_SEND)
        if effect:
            return Severity(effect, word)
    for pointer, _ in leaves(dict(action.arguments)):
        for key in keys_of(pointer):
            for word in tokens_of(key):
                if effect := effect_of(word, OBJECTS):
                    return Severity(effect, key[:_MAX_NAME_LENGTH])
    return None


def by_arguments(action: ProposedAction) -> Severity | None:
    """By code, commands and switches among the arguments: they count whatever the tool is called."""
    for pointer, value in leaves(dict(action.arguments)):
        name = next((key for key in reversed(keys_of(pointer)) if not key.isdecimal()), "")
        words = tokens_of(name)
        if value is True and any(word in SWITCHES for word in words):
            return Severity(Effect.FINAL, name[:_MAX_NAME_LENGTH])
        if not isinstance(value, str):
            continue
        if words and words[-1] in CODE and value.strip():
            return Severity(Effect.RUNS, name[:_MAX_NAME_LENGTH])
        if dispatched := _dispatched_effect(words, value):
            return Severity(dispatched, value)
        for effect, pattern in DANGEROUS:
            if hit := pattern.search(value):
                return Severity(effect, " ".join(hit.group().split())[:_MAX_NAME_LENGTH])
    return None


def _dispatched_effect(words: Sequence[str], value: str) -> Effect | None:
    """The effect of a value that says what the tool shall do, such as `action: delete` or `method: POST`."""
    if not words or words[-1] not in DISPATCHING or len(value) > _MAX_NAME_LENGTH:
        return None
    if value.upper() in WRITING_METHODS:
        return Effect.DELETES if value.upper() == "DELETE" else Effect.SENDS
    effects = (effect_of(word, ALWAYS) or effect_of(word, LEADING) for word in tokens_of(value))
    return next((effect for effect in effects if effect), None)


def openings_of(description: str) -> Iterator[str]:
    """The words with which the description's sentences and their parts begin: where documents put what a tool does."""
    for part in _PART.split(description):
        # “This tool will delete”, “may be used to send”: what stands before the verb says nothing. An article begins no
        # clause, but what the verb is done to.
        words = (word for word in _WORD.findall(part.lower()[:_MAX_NAME_LENGTH]) if word not in FILLERS)
        if word := next(words, None):
            yield word


def effect_of(word: str, table: dict[str, Effect]) -> Effect | None:
    """What a word does by a table, in any of its forms; None where the table has none."""
    return next((table[form] for form in base_forms(word) if form in table), None)


# Documents say early what a tool does; the rest of a long one is examples and formats.
_MAX_DESCRIPTION_LENGTH: Final = 4_000
# Characters of a name or a value that are repeated to a person, and beyond which a value is no name of an operation.
_MAX_NAME_LENGTH: Final = 60
_PART: Final = re.compile(r"[.;:,!\n()]|\b(?:and|or|then|to|which|that|the (?:tool|function))\b", re.IGNORECASE)
# How verbs that stand in no list often end, such as `euthanize`: such a name does tell, only nobody knows what.
_VERB_ENDING: Final = re.compile(r"(?:i[sz]e|ify|ate)$")
_WORD: Final = re.compile(r"[a-z]+")
