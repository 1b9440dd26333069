"""The message that asks says nothing but the call: each word and sign of it is the call's own, or only polite.

Sound because: what nobody has read may turn around, narrow or postpone what is asked, tell whose words it is, or take
it back ("Explain this.", "I changed my mind."). Here nothing is left unread: behind the verb stand words of the tool,
of its parameters and of what its document says that it works on, a noun behind the preposition that the document has
before it ("of the heating"), values of the call and names of their records; the other sentences greet, thank, or say a
value.
Assumes: articles, prepositions and words that only link ("called") say nothing else than what they link.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from reviews.provenance.core.context import Span
from reviews.provenance.proofs.call import MAX_LEAVES, ProposedCall
from reviews.provenance.proofs.leading import find_stray
from reviews.provenance.proofs.phrase import is_covered
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import ARTICLES, LINKS, PREPOSITIONS, STANDING_IN, documented_nouns, nouns_behind
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place, blank_places, overlaps
from reviews.provenance.text.names import is_plural, local_name, root_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import WORD, Sentence, courtesies_in, hides_something, says_nothing

# Signs that say nothing by themselves; an emoji, an arrow or a fence of code may say anything, and so may a face of
# them (";)"), a bracket without words ("(!)"), and a sign of asking before the end.
_SIGNS: Final = re.compile(
    r"(?>(?:(?![;:!=-][ -]?[()*/])(?!\([^\w\s]{1,4}\))[\w\s.,;:!'\"“”«»#()-]|`(?!``))*)(?:[?][\s.!'\"”»)*]*+)?"
)
# At the end of a sentence: what goes on behind it nobody has read.
_UNFINISHED: Final = re.compile(r"[,:(-]\s*$")
# A word and its full stop before a sentence, and characters in which they stand.
_STOPPED: Final = re.compile(rf"({WORD.pattern})\.\s*\Z")
_MAX_WORD: Final = 40
# What may stand before the first word of a request: the mark of a list. Others make a quotation or a comment of it.
_OPENING: Final = re.compile(r"\s*(?:[-*•]\s+)?(?=\w)")


def find_unread(request: Request, call: ProposedCall) -> Span | None:
    """What the message that asks says beside the call; None where that is nothing."""
    if hides_something(call.text.source.text):
        return call.text.whole
    for sentence in call.text.sentences:
        call.evidence.budget.spend(1 + (sentence.end - sentence.start) // 8)
        if sentence != request.sentence and says_nothing(sentence.text):
            continue
        is_asking = sentence == request.sentence
        is_read = is_used_up(request, call) if is_asking else says_value_alone(sentence, call)
        stretch = (request.end if is_asking else sentence.start, sentence.end)
        if not is_read or find_stray(stretch, request, call):
            return call.text.span(sentence.start, sentence.end)
    return None


def is_used_up(request: Request, call: ProposedCall) -> bool:
    """Whether each word behind the verb is the tool's own, a value of the call, a name, or one of politeness."""
    sentence = request.sentence
    return (
        _is_read((request.end, sentence.end), call)
        and _OPENING.match(sentence.text) is not None
        and _has_plain_signs((sentence.start, sentence.end), call)
        and not _breaks_off(sentence, call)
        and not _joins_things(request, call)
        and not _repeats_words(request, call)
        and not _says_one_of_several(request, call)
        and not _says_value_again(request, call)
    )


def says_value_alone(sentence: Sentence, call: ProposedCall) -> bool:
    """Whether a sentence beside the one that asks says a value of the call and nothing else."""
    stretch = sentence.start, sentence.end
    return (
        overlaps((*call.used, *call.selection_places, *call.names), *stretch)
        and sentence.is_plain
        and not sentence.has_turn()
        and "?" not in sentence.text
        and not _breaks_off(sentence, call)
        and not _follows_abbreviation(sentence, call)
        and _is_read(stretch, call)
        and _has_plain_signs(stretch, call)
    )


def is_read_behind(end: int, call: ProposedCall) -> bool:
    """Whether nothing is left unread from here to the end of the sentence: there an unquoted name may go on."""
    sentence = call.text.sentence_at(end - 1)
    stretch = end, sentence.end if sentence else len(call.text.folded)
    return _is_read(stretch, call) and _has_plain_signs(stretch, call)


def _is_read(stretch: Place, call: ProposedCall) -> bool:
    start, end = stretch
    folded, documented = call.text.folded[start:end], documented_nouns(call)
    read = [*courtesies_in(folded)]
    read += [place for leading, noun, place in nouns_behind(folded) if (leading, stem_of(noun)) in documented]
    places = [*call.names, *((start + first, start + last) for first, last in read), *currencies_behind(call)]
    return is_covered(stretch, call, places)


def currencies_behind(call: ProposedCall) -> Iterator[Place]:
    """Where the currency of a number of the call stands, which nothing that is left out is for."""
    omitted = call.document.properties.keys() - {leaf.name for leaf in call.leaves}
    if any("currency" in tokens_of(name) for name in omitted):
        return
    yield from ((amount.start, amount.end) for amount in call.text.amounts if call.is_used(amount.start, amount.end))


def _breaks_off(sentence: Sentence, call: ProposedCall) -> bool:
    """Whether a sentence ends where something has to follow: "the file a.txt and the", "to Ann called", "A-1, "."""
    if _UNFINISHED.search(sentence.text):
        return True
    last = deque(WORD.finditer(call.text.folded, sentence.start, sentence.end), maxlen=1)
    if not last or overlaps((*call.accounted_places, *call.text.quotations), *last[0].span()):
        return False
    # "Turn the lamp on" ends in what belongs to the verb.
    goes_on = PREPOSITIONS | ARTICLES | LINKS | STANDING_IN
    return last[0][0] in goes_on.difference(tokens_of(local_name(call.tool)))


def _follows_abbreviation(sentence: Sentence, call: ProposedCall) -> bool:
    """Whether the full stop before a sentence stands behind a word that nobody knows: "the limit to approx. 10"."""
    last = _STOPPED.search(call.text.folded, max(0, sentence.start - _MAX_WORD), sentence.start)
    if last is None or overlaps((*call.accounted_places, *call.names), *last.span(1)):
        return False
    return root_of(last[1]) not in call.known_words and not says_nothing(last[1])


def _joins_things(request: Request, call: ProposedCall) -> bool:
    """Whether "and" joins what the tool works on to the first value: "the files and a.txt" are more than that one."""
    first = min((start for start, _ in call.accounted_places if start >= request.end), default=request.end)
    words = [word[0] for word in WORD.finditer(call.text.folded, request.end, first)]
    return any(second == "and" and root_of(noun) in call.things for noun, second in pairwise(words))


def _words_left(request: Request, call: ProposedCall) -> Iterator[str]:
    """The words behind the verb that are in no value of the call and in no quotation."""
    places = (*call.text.quotations, *call.used, *call.selection_places)
    words = WORD.finditer(call.text.folded, request.end, request.sentence.end)
    return (word[0] for word in words if not overlaps(places, word.start(), word.start() + 1))


def _repeats_words(request: Request, call: ProposedCall) -> bool:
    """Whether the verb stands once more behind itself, or a noun more often than the call has values for it.

    "Follow the user whom Ann follows", "open the gate to gate G2": the one that has no value is another thing.
    """
    verb = stem_of(call.text.folded[request.start : request.end])
    names = {*(leaf.name for leaf in call.leaves), *call.document.properties}
    name_counts = Counter(stem for name in names for stem in stems_of(name))
    name_counts |= Counter(stem for leaf in call.leaves for stem in stems_of(leaf.name))
    words = (word for word in _words_left(request, call) if word not in PREPOSITIONS)
    counts = Counter(stem_of(word) for word in words if root_of(word) in call.known_words)
    return counts[verb] > name_counts[verb] or any(count > max(1, name_counts[stem]) for stem, count in counts.items())


def _says_one_of_several(request: Request, call: ProposedCall) -> bool:
    """Whether the message says one of what the tool's name and document have only several of.

    "Delete the file in folder X" does not ask for `delete_files`, unless the call lists which ones.
    """
    if any(path_of(leaf.pointer) != leaf.pointer for leaf in call.leaves):
        return False
    tool_words = {*tokens_of(local_name(call.tool)), *call.object_words}
    single = {root_of(word) for word in tool_words if not is_plural(word)}
    several = set(map(root_of, tool_words)) - single
    return any(root_of(word) in several and not is_plural(word) for word in _words_left(request, call))


def _says_value_again(request: Request, call: ProposedCall) -> bool:
    """Whether a word or a figure of the call stands more often than the call has it: "at noon" is no "At noon." twice.

    Of codes, days and times each place says the same one.
    """
    leaves = [leaf for leaf in call.leaves[:MAX_LEAVES] if kind_of(leaf) in (Kind.TEXT, Kind.NUMBER, Kind.OPTION)]
    count = Counter(leaf.folded for leaf in leaves)
    for leaf in leaves:
        places = sorted({mention.place for mention in mentions_of(leaf, call.text)})
        inside = [place for place in places if request.end <= place[0] < request.sentence.end]
        apart = sum(first[1] <= second[0] for first, second in pairwise(inside)) + bool(inside)
        if apart > count[leaf.folded]:
            return True
    return False


def _has_plain_signs(stretch: Place, call: ProposedCall) -> bool:
    """Whether no sign outside the values may say anything; that of a currency is an amount's."""
    amounts = ((part.start, part.end) for part in call.text.amounts if call.is_used(part.start, part.end))
    places = (*call.accounted_places, *amounts)
    return _SIGNS.fullmatch(blank_places(call.text.folded, places)[slice(*stretch)]) is not None
