"""The message that asks, asks for this tool: its verb and its object stand there, and no other tool's do as well.

Sound because: the words are the tool's own, in their base form where an imperative stands ("cancel", not "cancelled"),
in a sentence that denies nothing, makes no condition and is no question but one that asks for a deed; and of all tools
that change something none has as many of its words there.
Assumes: a tool is named for what it does. Where only its document says what it does, its verb and an object do.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_covered
from reviews.provenance.proofs.words import ARTICLES, PREPOSITIONS, known_words
from reviews.provenance.terms.search import fields_with
from reviews.provenance.text.names import local_name, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import Sentence, opens_request, words_in

RULE = "proofs.requested_tool"
# Characters of a document that say what its tool does: the first sentences.
_MAX_DESCRIPTION = 400
# The verb of a sentence in a document opens it, or stands behind a colon.
_OPENING = re.compile(r"(?:^|[.:]\s+|\n)(?P<verb>[A-Za-z]{2,20})(?P<rest>[^.:\n]{0,200})")
_WORD = re.compile(r"[^\W\d_]+")
# Letters of a word that is an object: shorter ones join others.
_MIN_OBJECT = 4
# Values of a call, and places of one in a result, whose records are looked at.
_MAX_LEAVES, _MAX_PLACES = 16, 4
# What opens a sentence of a document and is no verb.
_OPENERS = ARTICLES | PREPOSITIONS | frozenset("it these those they there note tool".split())


@dataclass(frozen=True, slots=True)
class Request:
    """Where the message asks for the tool."""

    text: SourceText
    start: int
    """Of the verb, in the folded text."""
    end: int
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The stems by which a message may ask for one tool."""

    name: frozenset[str]
    first: str
    """Of the name's words: where most names have their verb."""
    verb: str
    """The same word as it is written: "administer" has a shorter stem."""
    verbs: frozenset[str]
    """Of the document's sentences."""
    objects: frozenset[str]
    """Of the sentence that says what the tool does."""


def find_request(
    call: ProposedCall, texts: Sequence[SourceText] | None = None, *, turns: frozenset[str] = frozenset()
) -> Request | None:
    """Where the tool is asked for, in these texts or all that ask; None where nothing proves it.

    `turns`: words that the caller accounts for though they turn a sentence around. Raises `OutOfBudgetError`.
    """
    if call.document is None:
        return None
    vocabulary = _vocabulary_in(call.document, call)
    rivals = [
        (tool, _vocabulary_in(tool, call))
        for tool in call.evidence.context.tools
        if tool.name != call.tool and tool.environment_changing
    ]
    for text in call.asking.texts if texts is None else texts:
        is_offer = call.asking.agreement_to(text) is not None
        for number, sentence in enumerate(text.sentences, start=1):
            call.evidence.budget.spend(1 + len(rivals))
            verb = _find_verb(vocabulary, sentence, is_offer=is_offer)
            if verb is None or sentence.has_turn(verb.end, turns):
                continue
            # Whoever agrees to an offer agrees to the whole of it.
            if not is_offer and any(later.may_revise for later in text.sentences[number:]):
                continue
            request = Request(text, verb.start, verb.end, sentence)
            rival_verbs = {
                tool.name: rival_verb
                for tool, vocabulary in rivals
                if (rival_verb := _find_verb(vocabulary, sentence, is_offer=is_offer))
            }
            if verb.has_object and all(_is_nearer(verb, rival_verb) for rival_verb in rival_verbs.values()):
                return request
            # A value of the call in the same sentence stands for the object, where no other tool has that verb.
            if not rival_verbs and _says_value(call, text, sentence):
                return request
            if not any(rival_verb.has_object for rival_verb in rival_verbs.values()):
                tools = [tool for tool, _ in rivals if tool.name in rival_verbs]
                if _governs_record(request, tools, call):
                    return request
    return None


def names_deed(call: ProposedCall, texts: Iterable[SourceText]) -> bool:
    """Whether any of these texts has a verb of the tool, in any form. Raises `OutOfBudgetError`."""
    vocabulary = _vocabulary_in(call.document, call) if call.document else None
    verbs = vocabulary.verbs | {vocabulary.first} if vocabulary else frozenset()
    return any(stem_of(word) in verbs for text in texts for word in words_in(text.folded))


def orders_deed(call: ProposedCall, text: SourceText) -> bool:
    """Whether a sentence of the text orders the tool's deed: verb and object. Raises `OutOfBudgetError`."""
    if call.document is None:
        return False
    verbs = (_find_verb(_vocabulary_in(call.document, call), part, is_offer=False) for part in text.sentences)
    return any(verb is not None and verb.has_object for verb in verbs)


def _vocabulary_in(tool: ToolDoc, call: ProposedCall) -> _Vocabulary:
    return _vocabulary_of(tool.name, call.descriptions[tool.name][:_MAX_DESCRIPTION])


def _says_value(call: ProposedCall, text: SourceText, sentence: Sentence) -> bool:
    return any(sentence.start <= start < sentence.end for start, _ in call.used.get(text.source.id, ()))


def _governs_record(request: Request, rivals: Sequence[ToolDoc], call: ProposedCall) -> bool:
    """Whether the verb leads to a record that a value of the call stands in, and that no rival tool takes a field of.

    "Delete Ann Lee from the list" says no object: the record says which tool deletes it.
    """
    for leaf in call.decisive[:_MAX_LEAVES]:
        for text in call.evidence.data:
            for field in islice(fields_with(leaf, text), _MAX_PLACES):
                call.evidence.budget.spend()
                scalar = text.document.scalar_at(field.span.start, field.span.end)
                if scalar is not None and _leads_to_record(scalar, text, request, rivals, call):
                    return True
    return False


def _leads_to_record(
    scalar: int, text: SourceText, request: Request, rivals: Sequence[ToolDoc], call: ProposedCall
) -> bool:
    document = text.document
    record = document.record_of(scalar)
    fields = [stems_of(document.field_of(n)[-1]) for n in document.fields_of(record) if document.field_of(n)]
    if any(stems_of(name) in fields for tool in rivals for name in tool.properties):
        return False
    return any(
        (name.text, name.record) == (text, record)
        and name.said_in is request.text
        and request.end <= name.start < request.sentence.end
        and is_covered((request.end, name.start), request.text, known_words(call), call)
        for name in call.named_records(text, document.kind_of(record))
    )


@dataclass(frozen=True, slots=True)
class _AskedVerb:
    """A verb of a tool where an imperative stands."""

    start: int
    end: int
    score: int
    """How many of the tool's own words the sentence has."""
    has_object: bool
    is_whole: bool
    """Whether every word of its name is there."""


def _is_nearer(verb: _AskedVerb, rival: _AskedVerb) -> bool:
    return rival.score < verb.score or (verb.is_whole and not rival.is_whole)


def _find_verb(vocabulary: _Vocabulary, sentence: Sentence, *, is_offer: bool) -> _AskedVerb | None:
    """The tool's verb in the sentence; one with its object goes first."""
    if not sentence.is_plain:
        return None
    raw = sentence.text
    words = [(hit.group(), hit.start()) for hit in _WORD.finditer(raw)]
    stems = {stem_of(word) for word, _ in words}
    name_stems, objects = vocabulary.name & stems, vocabulary.objects & stems
    score = len(name_stems | (vocabulary.verbs & stems))
    best: _AskedVerb | None = None
    for word, at in words:
        stem = stem_of(word)
        is_verb = stem in vocabulary.verbs or stem == vocabulary.first
        if stem not in vocabulary.name and not is_verb:
            continue
        # An agent that says "please cancel" asks the user to do it.
        if words_in(raw[:at])[-1:] == ("please",) if is_offer else not _is_asked(word, vocabulary, raw, at):
            continue
        has_object = bool((name_stems - {stem}) or (stem in vocabulary.verbs and objects - {stem}))
        is_whole = len(vocabulary.name) == 1 and stem in vocabulary.name
        if has_object or is_whole or is_verb:
            start = sentence.start + at
            verb = _AskedVerb(start, start + len(word), score, has_object or is_whole, name_stems == vocabulary.name)
            best = verb if best is None or (verb.has_object and not best.has_object) else best
    return best


def _is_asked(word: str, vocabulary: _Vocabulary, sentence: str, at: int) -> bool:
    """Whether the word asks for its deed: an imperative, or a noun of it behind a phrase that asks for one."""
    if word == vocabulary.verb or _is_base(word, stem_of(word)):
        return opens_request(sentence[:at])
    return not word.endswith(("ed", "s")) and opens_request(sentence[:at], of_noun=True)


def _is_base(word: str, stem: str) -> bool:
    """Whether the word is written as a verb is named: "cancel", "move", "copy", and not "cancelled" or "moves"."""
    return word in (stem, f"{stem}e") or (stem.endswith("i") and word == f"{stem[:-1]}y")


# The tools of a few conversations.
@lru_cache(maxsize=1024)
def _vocabulary_of(name: str, description: str) -> _Vocabulary:
    tokens = [token for token in tokens_of(local_name(name)) if token.isalpha() and len(token) > 1]
    verbs, objects = [], []
    for verb, rest in _sentences_of(description):
        verbs += [stem_of(verb)] if verb not in _OPENERS else []
        objects += [stem_of(word) for word in _WORD.findall(rest.lower()) if len(word) >= _MIN_OBJECT]
    stems = [stem_of(token) for token in tokens]
    first, verb = next(zip(stems, tokens, strict=True), ("", ""))
    return _Vocabulary(frozenset(stems), first, verb, frozenset(verbs), frozenset(objects))


def _sentences_of(description: str) -> Iterator[tuple[str, str]]:
    """The first word of each sentence of a document, and the rest of it."""
    return ((hit["verb"].lower(), hit["rest"]) for hit in _OPENING.finditer(description))
