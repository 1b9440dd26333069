"""What a call does, by its tool's name and document and its arguments: is it grave, or does it only look something up?

Grave is what deletes, moves money, sends something outside, runs code, grants rights, steers what others depend on or
cannot be undone: a person should see it even where nothing speaks against it. It is read off general words, and not by
a list of known tools. A verb that stands in no table is grave: only what is known to be mild is let off.

What is said of the effect is told by verbs: the first word of the tool's own name, and of the clauses of its document.
A word that names a thing as well ("order", "contact") counts where only a verb can stand: at the beginning of a name or
a sentence, behind “and” in a name, and in a later clause before what is ordered. Elsewhere, as in `close_work_order` or
"creates a reminder to contact somebody", it says nothing.

Sound because: no word that is a verb alone is passed over, wherever it begins a name or a clause. Where a name does not
begin with a known verb, what its other words may mean keeps the call grave, and nothing is said of its effect; so do
the names of its arguments.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from reviews.provenance.core.context import ProposedAction, ToolDoc, leaves
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.detectors import severity_words as vocabulary
from reviews.provenance.detectors.critical_actions import CriticalAction, is_critical
from reviews.provenance.detectors.documented_deeds import deeds_of, effect_of, is_letting, may_be_thing, openings_of
from reviews.provenance.detectors.severity_words import MILD, Effect
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.text.names import local_name, tokens_of

# Documents say early what a tool does; the rest of a long one is examples and formats.
_MAX_DESCRIPTION_LENGTH: Final = 4_000
# Of a look-up less is read: later sentences often name other tools, to be called first.
_MAX_LOOKUP_LENGTH: Final = 400
# Characters of a name or a value that are repeated to a person, and beyond which a value is no name of an operation.
_MAX_NAME_LENGTH: Final = 60
# How verbs that stand in no table often end, such as `euthanize`: such a name does tell, only nobody knows what.
_VERB_ENDING: Final = re.compile(r"(?:i[sz]e|ify|ate)$")
# The verb of tools that a statement may tell what to do.
_QUERYING: Final = "query"


@dataclass(frozen=True)
class Severity:
    """That a call is grave, and by what."""

    effect: Effect
    words: str
    """What in the tool or the call says so; empty where the effect says it all."""
    is_by_noun: bool = False
    """Whether they name what is worked on: that the effect is on it nobody has said."""

    @property
    def claim(self) -> str:
        """What is known of the call, as a sentence about it goes on."""
        return f"works on something sensitive: {self.words}" if self.is_by_noun else str(self.effect)

    @property
    def code(self) -> str:
        """The claim in a word that is stored: `pays`, or `sensitive`."""
        return "sensitive" if self.is_by_noun else self.effect.name.lower()

    @property
    def sentence(self) -> str:
        """In one sentence for a person."""
        has_words = self.words and not self.is_by_noun
        return f"The call {self.claim} (“{self.words}”)." if has_words else f"The call {self.claim}."


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
    if final := vocabulary.CANNOT_BE_UNDONE.search(description):
        return Severity(Effect.FINAL, final.group())
    return _by_arguments(action) or _by_name(action, description)


def says_it_is_final(document: ToolDoc | None) -> bool:
    """Whether the tool's document says that its effect cannot be undone."""
    description = document.description[:_MAX_DESCRIPTION_LENGTH] if document else ""
    return vocabulary.CANNOT_BE_UNDONE.search(description) is not None


def is_lookup(tool: ToolDoc, action: ProposedAction) -> bool:
    """Whether the tool's name begins with a verb that finds what is there, and nothing says that it does more.

    In doubt it is none. A mark as read-only comes from somebody the workspace trusts, a name does not: such a call does
    not pass unasked, but it is not rejected for looking something up that the request does not mention, nor for the
    values it tries.
    """
    words = tokens_of(local_name(tool.name))
    # A name such as `get_ride` tells less than what the document says first: "Orders a taxi."
    openings = openings_of(tool.description[:_MAX_LOOKUP_LENGTH].partition(". ")[0])
    deeds = [effect_of(opening, vocabulary.VERBS) for opening in openings]
    return (
        effect_of(words[0] if words else "", vocabulary.VERBS) is Effect.READS
        and vocabulary.NOT_ONLY_READING.isdisjoint(words)
        and not any(map(_is_second_deed, words[1:]))
        and all(deed in (Effect.READS, Effect.COMPUTES, None) for deed in deeds)
        and None not in deeds[:1]
        # A database is queried by name and changed by what the query says.
        and _by_arguments(action) is None
        and not _settles_or_shows(tool, words[0], action)
    )


def _grave_effect(word: str) -> Effect | None:
    return effect_of(word, vocabulary.LEADING)


def _by_name(action: ProposedAction, description: str) -> Severity | None:
    """By the words of the tool's name, then those with which the clauses of its description begin."""
    name_words = tokens_of(action.tool)
    # The part behind a name space: in `mail.search_messages` it is not the mail that counts.
    words = tokens_of(local_name(action.tool)) or name_words
    for word in name_words:
        if effect := effect_of(word, vocabulary.ALWAYS):
            return Severity(Effect.POSSIBLE if _qualifies(word, name_words) else effect, word)
    deed, verb = _first_deed(words)
    if deed is None and not _VERB_ENDING.search(words[0] if words else ""):
        # The name tells nothing, so what the description begins with stands for it.
        deed, verb = _first_deed(tuple(islice(openings_of(description), 1)))
        deed = Effect.POSSIBLE if is_letting(verb) else deed
    if deed is None:
        return Severity(Effect.UNCLEAR, action.tool[:_MAX_NAME_LENGTH])
    if deed not in MILD:
        return Severity(deed, verb)
    documented = [(opening, is_tools, _grave_effect(opening)) for opening, is_tools in deeds_of(description)]
    # What the tool does goes before what somebody else may do.
    for opening, is_tools, effect in sorted(documented, key=lambda deed: not deed[1]):
        if effect:
            return Severity(effect if is_tools and not is_letting(opening) else Effect.POSSIBLE, opening)
    if deed is Effect.CHANGES and (severity := _by_objects(action, words, verb)):
        return severity
    # What stands before the verb of a name, or in a name without one, may be the verb: `shop_order`.
    possible = words[: words.index(verb)] if verb in words else words
    return next((Severity(Effect.POSSIBLE, word) for word in possible if _grave_effect(word)), None)


def _first_deed(words: Sequence[str]) -> tuple[Effect | None, str]:
    """What the first verb does, and the verb; None and nothing where no word is a verb.

    A word behind “and” counts like a first one, and the graver of them decides.
    """
    deed, verb, begins, before = None, "", True, ""
    for word in words:
        if word in vocabulary.CONJUNCTIONS:
            begins, before = True, ""
            continue
        # Words before the first verb qualify it: `factory_reset`. What they qualify may be a thing: `work_order`.
        effect = effect_of(word, vocabulary.VERBS) if begins else None
        may_qualify = _qualifies(word, words) or (before and may_be_thing(word))
        if effect and (effect in MILD or not may_qualify):
            if effect not in MILD:
                return effect, word
            if deed is not Effect.CHANGES:
                deed, verb = effect, word
            begins = False
        before = word
    return deed, verb


def _qualifies(word: str, words: Sequence[str]) -> bool:
    """Whether a word of a name is the participle of a verb: `exchange_delivered_items` delivers nothing."""
    return len(words) > 1 and word.endswith(("ed", "ing")) and word not in vocabulary.VERBS


def _by_objects(action: ProposedAction, words: Sequence[str], verb: str) -> Severity | None:
    """By what is changed: the nouns of the tool's name, and the names of the arguments."""
    # Messages are made to be sent: `create_message` sends, `label_message` and `draft_message` do not.
    objects = vocabulary.OBJECTS | vocabulary.MADE_TO_SEND if verb in vocabulary.MAKERS else vocabulary.OBJECTS
    for before, word in pairwise(("", *words)):
        if effect := effect_of(word, objects):
            # A work order is no order of goods.
            is_qualified = before not in ("", verb) and may_be_thing(word) and effect_of(word, vocabulary.OBJECTS)
            # Whoever makes a payment pays; whoever makes an alarm has set off none.
            is_made = verb in vocabulary.MAKERS and effect is not Effect.STEERS
            return Severity(Effect.POSSIBLE, word) if is_qualified else Severity(effect, word, is_by_noun=not is_made)
    for pointer, _ in leaves(dict(action.arguments)):
        for key in keys_of(pointer):
            for word in tokens_of(key):
                if effect_of(word, vocabulary.OBJECTS):
                    return Severity(Effect.POSSIBLE, key[:_MAX_NAME_LENGTH])
    return None


def _by_arguments(action: ProposedAction) -> Severity | None:
    """By code, commands and switches among the arguments: they count whatever the tool is called."""
    for pointer, value in leaves(dict(action.arguments)):
        name = next((key for key in reversed(keys_of(pointer)) if not key.isdecimal()), "")
        words = tokens_of(name)
        if value is True and any(word in vocabulary.SWITCHES for word in words):
            return Severity(Effect.FINAL, name[:_MAX_NAME_LENGTH])
        if not isinstance(value, str):
            continue
        if words and words[-1] in vocabulary.CODE and value.strip():
            return Severity(Effect.RUNS, name[:_MAX_NAME_LENGTH])
        if dispatched := _dispatched_effect(words, value):
            return Severity(dispatched, value)
        for effect, pattern in vocabulary.DANGEROUS:
            if hit := pattern.search(value):
                return Severity(effect, " ".join(hit.group().split())[:_MAX_NAME_LENGTH])
    return None


def _dispatched_effect(words: Sequence[str], value: str) -> Effect | None:
    """The effect of a value that says what the tool shall do, such as `action: delete` or `method: POST`."""
    if not words or words[-1] not in vocabulary.DISPATCHING or len(value) > _MAX_NAME_LENGTH:
        return None
    if value.upper() in vocabulary.WRITING_METHODS:
        return Effect.DELETES if value.upper() == "DELETE" else Effect.SENDS
    return next(filter(None, map(_grave_effect, tokens_of(value))), None)


def _is_second_deed(word: str) -> bool:
    """Whether a word behind the first verb of a name says that the tool does more."""
    if word in vocabulary.ALSO_NOUNS:
        return False
    return _is_deed(word) or word in vocabulary.MAKERS or effect_of(word, vocabulary.ALWAYS) is not None


def _settles_or_shows(tool: ToolDoc, verb: str, action: ProposedAction) -> bool:
    """Whether an argument settles something, as `approved: true` does, or is a text to be shown."""
    classes = DerivableParameters.by_rule(tool)
    for pointer, value in leaves(dict(action.arguments)):
        keys = list(map(tokens_of, keys_of(pointer)))
        # "Archive", "mark as read", "create if missing": a switch that begins with a deed does it.
        if value is True and any(any(map(_grave_effect, words)) or any(map(_is_deed, words[:1])) for words in keys):
            return True
        # What a statement does nobody reads: it is what is called so, or has more than one word.
        is_statement = isinstance(value, str) and (len(value.split()) > 1 or any(_QUERYING in words for words in keys))
        if verb == _QUERYING and is_statement:
            return True
        if verb in vocabulary.SHOWING and isinstance(value, str) and classes.is_derivable(pointer) is False:
            return True
    return False


def _is_deed(word: str) -> bool:
    """Whether a word is the verb of a deed."""
    return vocabulary.VERBS.get(word, Effect.READS) not in (Effect.READS, Effect.COMPUTES)
