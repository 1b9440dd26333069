"""The message that asks, asks for this tool: its verb and its object stand there, and no other tool's do as well.

Sound because: the words are the tool's own, in their base form where an imperative stands ("cancel", not "cancelled"),
in a sentence that denies nothing, makes no condition and only asks for a deed; of all tools that change something none
has as many of its words there; and a noun says its object, a value that names it (`order_id`), or an amount the money.
Assumes: a tool is named for what it does. Where only its document says so, the sentence has all that stands there.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import CHARACTERS_A_STEP, MAX_LEAVES, ProposedCall, objects_in
from reviews.provenance.proofs.governed_record import governs_record
from reviews.provenance.proofs.words import ARTICLES, FRAME, PLACES, PREPOSITIONS, led_roots, nouns_in
from reviews.provenance.terms.record_keys import NAMING, is_name_of_thing
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import local_name, root_of, roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import Sentence, opens_request, words_in

RULE = "proofs.requested_tool"
# Characters of a document that say what its tool does: the first sentences.
_MAX_DESCRIPTION = 400
# The verb of a sentence in a document opens it, or stands behind a colon.
_OPENING = re.compile(r"(?:^|[.:]\s+|\n)(?P<verb>[A-Za-z]{2,20})(?P<rest>[^.:\n]{0,200})")
_WORD = re.compile(r"[^\W\d_]+")
_WORD_BEHIND = re.compile(r" ([^\W\d_]+)")
# The roots of the words for which an amount stands: who sends $30 sends money, and no invoice.
_MONEY = frozenset(map(root_of, "money funds payment cash".split()))
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
class _AskedVerb:
    """A verb of a tool where an imperative stands."""

    start: int
    end: int
    nouns: frozenset[str]
    """The roots of the words that the tool's name has beside it: what is done with it."""
    score: int
    """How many of the tool's own words the sentence has."""
    has_object: bool
    is_whole: bool
    """Whether every word of its name is there."""
    is_cut: bool
    """Whether some words of its name are there and others are not: a user is not the avatar of a user."""


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The stems by which a message may ask for one tool."""

    name: frozenset[str]
    first: str
    """Of the name's words: where most names have their verb."""
    is_first_noun: bool
    """Whether that is the noun of what the tool works on: `order_cancel` orders nothing."""
    words: tuple[str, ...]
    """Of the name as it is written, the verb first, without those that only link."""
    particle: str
    """The preposition right behind the verb there, which makes another one of it: who checks in does not check."""
    verbs: frozenset[str]
    """Of the sentence of the document that says what the tool does, its first: others tell what may follow."""
    later_verbs: frozenset[str]
    """Of the document's other sentences."""
    objects: frozenset[str]
    """Of the sentence that says what the tool does."""
    led_roots: frozenset[tuple[str, str]]
    """The roots of all that stands behind the verb there, each with the preposition that leads to it."""
    labels: frozenset[str]
    """The roots of the words of its parameters, which their values stand for."""
    works_on_part: bool
    """Whether its document says that it works on what belongs to a value: on avatars of a `user_id`."""

    def find_verb(
        self, sentence: Sentence, *, is_offer: bool, meant: frozenset[str] = frozenset(), is_rival: bool = False
    ) -> _AskedVerb | None:
        """The tool's verb in the sentence; one with its object goes first.

        `meant`: the roots of words that something else in the sentence stands for. `is_rival`: whether the tool is only
        one that may be meant as well.
        """
        if not sentence.is_plain:
            return None
        words = [(hit[0], hit.start()) for hit in _WORD.finditer(sentence.text)]
        stems, roots = meant.union(stem_of(word) for word, _ in words), meant.union(root_of(word) for word, _ in words)
        said_of_name, objects = self.name & stems, self.objects & stems
        score, is_whole = len(said_of_name | (self.verbs & stems)), said_of_name == self.name
        verbs: list[_AskedVerb] = []
        for word, at in words:
            stem = stem_of(word)
            # A noun of the name is no verb: who wants to copy a job does not ask for `stop_copy_job`.
            if stem not in self.verbs and (self.is_first_noun or stem != self.first):
                continue
            # An agent that says "please cancel" asks the user to do it.
            before, behind = sentence.text[:at], sentence.text[at + len(word) :]
            if words_in(before)[-1:] == ("please",) if is_offer else not self._is_asked(word, stem, before, behind):
                continue
            if self.particle and not is_rival and self.particle not in words_in(behind):
                continue
            nouns = self._nouns_beside(stem)
            if not (is_rival or stem in self.name or self._tells_no_more(nouns | roots)):
                # Who sends an order asks for no tool that "sends a cancellation of an order".
                continue
            says_none = nouns.isdisjoint(roots)
            is_alone = len(self.words) == 1 and (is_rival or not self.works_on_part)
            has_object = nouns <= roots if nouns else is_alone
            has_object = has_object or bool(says_none and stem in self.verbs and objects - {stem})
            start, is_cut = sentence.start + at, not nouns <= roots and not says_none
            verbs.append(_AskedVerb(start, start + len(word), nouns, score, has_object, is_whole, is_cut))
        return max(verbs, key=lambda verb: verb.has_object, default=None)

    def _tells_no_more(self, roots: frozenset[str]) -> bool:
        """Whether all that stands behind the document's verb is said: itself, or a value behind its preposition."""
        known_roots = roots | self.labels
        return bool(self.led_roots) and all(known_roots.intersection(pair) for pair in self.led_roots)

    def _nouns_beside(self, verb: str) -> frozenset[str]:
        """The roots of the name's words that are not its verb, nor stand for the one that the document has for it."""
        verb_stem = verb if verb in map(stem_of, self.words) else self.first
        return frozenset(root_of(word) for word in self.words if stem_of(word) != verb_stem)

    def _is_asked(self, word: str, stem: str, before: str, behind: str) -> bool:
        """Whether the word asks for its deed: an imperative, or a noun of it behind a phrase that asks for one."""
        # Written as a verb is named: "cancel", "move", "copy", and not "cancelled" or "moves".
        is_base = word in (*self.words[:1], stem, f"{stem}e") or (stem.endswith("i") and word == f"{stem[:-1]}y")
        if is_base:
            return opens_request(before)
        # A noun of the deed begins like its verb. No other noun follows it, but behind "with": "with canceling orders".
        is_noun = word.startswith("".join(self.words[:1]).rstrip("ey")) and not word.endswith(("ed", "s"))
        has_object = word.endswith("ing") and words_in(before)[-1:] == ("with",)
        is_alone = has_object or (noun := _WORD_BEHIND.match(behind)) is None or noun[1] in PREPOSITIONS
        return is_noun and is_alone and opens_request(before, of_noun=True)


def find_request(call: ProposedCall, *, turns: frozenset[str] = frozenset()) -> Request | None:
    """Where the tool is asked for in the text that asks; None where nothing proves it.

    `turns`: words that the caller accounts for though they turn a sentence around.
    """
    if call.tool not in call.descriptions:
        return None
    vocabulary = _vocabulary_in(call.tool, call)
    tools = (tool for tool in call.evidence.context.tools if tool.name != call.tool and tool.environment_changing)
    rivals = [(tool, _vocabulary_in(tool.name, call)) for tool in tools]
    text, is_offer = call.text, bool(call.latest_request.offers)
    for number, sentence in enumerate(text.sentences, start=1):
        length = 1 + (sentence.end - sentence.start) // CHARACTERS_A_STEP
        call.evidence.budget.spend(length * (1 + len(rivals)))
        meant = _MONEY if any(sentence.start <= amount.start < sentence.end for amount in text.amounts) else frozenset()
        verb = vocabulary.find_verb(sentence, is_offer=is_offer, meant=meant)
        if verb is None or verb.is_cut or sentence.has_turn(verb.end, turns):
            continue
        # Whoever agrees to an offer agrees to the whole of it.
        later = text.sentences[number:]
        if not is_offer and any(part.may_revise(says_value=call.is_used(part.start, part.end)) for part in later):
            continue
        rival_verbs = ((tool, words.find_verb(sentence, is_offer=is_offer, is_rival=True)) for tool, words in rivals)
        request = Request(text, verb.start, verb.end, sentence)
        if _means_tool(request, verb, [(tool, rival) for tool, rival in rival_verbs if rival], call):
            return request
    return None


def _means_tool(
    request: Request, verb: _AskedVerb, rivals: Sequence[tuple[ToolDoc, _AskedVerb]], call: ProposedCall
) -> bool:
    """Whether the verb means this tool: its object is said, and no rival's as well, or a value tells it."""
    things, sentence = verb.nouns.union(map(root_of, call.object_words)), request.sentence
    behind = (root_of(word) for word in words_in(call.text.folded[request.end : sentence.end]) if word not in FRAME)
    governed = set(takewhile(call.known_words.__contains__, behind))
    # "Delete the user of avatar A1", and so "Delete user U1", asks for no `delete_avatar`.
    if things and governed and governed.isdisjoint(things):
        return False
    is_nearest = all(rival.score < verb.score or (verb.is_whole and not rival.is_whole) for _, rival in rivals)
    if verb.has_object and is_nearest:
        return True
    # What names the tool's object: the order of `order_id`; no amount names an invoice.
    call.evidence.budget.spend(1 + len(call.leaves))
    nouns = things.union(PLACES, () if things.isdisjoint(_MONEY) else {"amount"})
    names = (leaf for leaf in call.leaves[:MAX_LEAVES] if is_name_of_thing(keys_of(leaf.pointer), nouns))
    # A user is not the avatar of a user.
    naming = [leaf for leaf in names if len(verb.nouns) <= 1 or verb.nouns <= roots_of(leaf.name)]
    mentions = (mention for leaf in naming for mention in mentions_of(leaf, call.text))
    if not rivals and any(sentence.start <= mention.place[0] < sentence.end for mention in mentions):
        return True
    is_told = any(rival.has_object for _, rival in rivals)
    return not is_told and governs_record(request.end, naming, [tool for tool, _ in rivals], call)


def names_deed(call: ProposedCall, folded: str) -> bool:
    """Whether a folded text has a verb of the tool, in any form."""
    vocabulary = _vocabulary_in(call.tool, call)
    verbs = vocabulary.verbs | vocabulary.later_verbs | {vocabulary.first}
    call.evidence.budget.spend(1 + len(folded) // 2)
    return any(stem_of(word) in verbs for word in words_in(folded))


def asks_for(tool: str, sentence: Sentence, call: ProposedCall) -> bool:
    """Whether a sentence of the user's has the verb of a tool where an imperative stands."""
    call.evidence.budget.spend(1 + len(sentence.text) // CHARACTERS_A_STEP)
    verb = _vocabulary_in(tool, call).find_verb(sentence, is_offer=False)
    return verb is not None and not verb.is_cut


def orders_deed(call: ProposedCall, text: SourceText) -> bool:
    """Whether a sentence of the text orders the tool's deed: verb and object."""
    vocabulary = _vocabulary_in(call.tool, call)
    # An order may mean the tool in fewer words than prove that a user does.
    verbs = (vocabulary.find_verb(sentence, is_offer=False, is_rival=True) for sentence in text.sentences)
    return any(verb is not None and verb.has_object for verb in verbs)


def _vocabulary_in(tool: str, call: ProposedCall) -> _Vocabulary:
    document = call.evidence.context.tool(tool)
    description = call.descriptions.get(tool, "")[:_MAX_DESCRIPTION]
    return _vocabulary_of(tool, description, tuple(document.properties) if document else ())


# The tools of a few conversations.
@lru_cache(maxsize=1024)
def _vocabulary_of(name: str, description: str, parameters: tuple[str, ...]) -> _Vocabulary:
    tokens = [token for token in tokens_of(local_name(name)) if token.isalpha() and len(token) > 1]
    words = tuple(token for token in tokens if token not in PREPOSITIONS | ARTICLES)
    # The first word of each sentence of a document, and the rest of it.
    sentences = [(hit["verb"].lower(), fold(hit["rest"])) for hit in _OPENING.finditer(description)]
    verbs = [stem_of(verb) for verb, _ in sentences if verb not in _OPENERS]
    rest = sentences[0][1] if sentences else ""
    first, later_stems = stem_of("".join(words[:1])), set(map(stem_of, words[1:]))
    objects, led = objects_in(description), frozenset(led_roots(rest))
    is_label = any(first in stems_of(name) for name in parameters)
    is_noun = is_label or not later_stems.isdisjoint(verbs) or first in nouns_in(description)
    return _Vocabulary(
        name=frozenset(map(stem_of, tokens)),
        first=first,
        is_first_noun=first not in verbs and is_noun,
        words=words,
        particle="".join(PREPOSITIONS.intersection(tokens[1:2])),
        verbs=frozenset(verbs[:1]),
        later_verbs=frozenset(verbs[1:]),
        objects=frozenset(map(stem_of, objects)),
        led_roots=led,
        labels=frozenset[str]().union(*map(roots_of, parameters)),
        works_on_part=_works_on_part(frozenset(map(root_of, objects)), led, parameters),
    )


def _works_on_part(things: frozenset[str], led: frozenset[tuple[str, str]], parameters: Iterable[str]) -> bool:
    """Whether a tool works on something else than what its identifier is of, or a value that its document names."""
    documented_roots = {root for _, root in led}
    owners = ((roots_of(name) - NAMING, NAMING.isdisjoint(tokens_of(name)[-1:])) for name in parameters)
    others = (owner & documented_roots if is_free else owner for owner, is_free in owners if things.isdisjoint(owner))
    return bool(things) and any(others)
