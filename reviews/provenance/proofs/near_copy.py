"""An opaque identifier that is one edit away from the only one of its kind that the context holds.

Sound because: nobody derives an e-mail address, an account or a hash from another one; a value of the same length that
differs in one character from the one neighbour it has, and that no term gives, is that neighbour mistyped.
Assumes: identifiers are not counted up, and who corrects one says what is to stand in it. What ends in figures may be
a counter, so of such a code a difference in the last two figures proves nothing: USR003 is another user than USR002.
The same holds of a last letter that is the next one: the seat beside 12AB4F is 12AB4G.
And where the user says the differing signs by themselves ("it ends in 7"), or anything behind the identifier that they
wrote themselves ("Sorry, the last digit is seven."), or denies it ("not 12AB4F"), it may be corrected. So it may be
where the tool sets what the parameter is called by: an address is changed because the old one has a mistake.
"""

import re
from collections.abc import Iterator

from rapidfuzz.distance import OSA
from stdnum import iban

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import ProposedCall, Refutation
from reviews.provenance.proofs.words import SETTING
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.fold import fold, words_of
from reviews.provenance.text.names import local_name, root_of, roots_of, tokens_of
from reviews.provenance.text.replies import says_nothing, sentences_in, words_in
from reviews.provenance.values.identifiers import is_opaque

RULE = "proofs.near_copy"
# Letters, then figures: what a counter makes. Its last figures are those that count.
_COUNTED = re.compile(r"[^\W\d_]*\d+")
_COUNTING = 2
# Characters before an identifier in which a word stands that denies it.
_MAX_DENIAL = 24


def refute_leaf(leaf: Leaf, call: ProposedCall, *, has_term: bool) -> Refutation | None:
    """The refutation of a mistyped identifier."""
    if has_term or not isinstance(leaf.value, str) or not is_opaque(leaf.bare) or _is_set_anew(leaf, call):
        return None
    neighbours: dict[str, Span] = {}
    for quote, span in _near_identifiers(leaf, call):
        neighbours.setdefault(quote, span)
        if len(neighbours) > 1:
            return None
    quote, nearest = next(iter(neighbours.items()), ("", None))
    if nearest is None or _may_be_corrected(leaf.bare, quote, call) or _is_followed(nearest, call):
        return None
    note = f"“{shorten_text(leaf.text, 60)}” is nearly “{shorten_text(nearest.quote, 60)}”, and not the same."
    return Refutation(RULE, note, (nearest,), nearest)


def _is_set_anew(leaf: Leaf, call: ProposedCall) -> bool:
    """Whether the tool sets what the parameter is called by: `update_email` takes another one than there is."""
    verb, *nouns = tokens_of(local_name(call.tool)) or ("",)
    # What tells which thing is set, alone or in a list of such, is no new one.
    tells_thing = tokens_of(leaf.name)[-1:] == ("id",) or leaf.pointer.count("/") > 1
    return verb in SETTING and not tells_thing and not roots_of(leaf.name).isdisjoint(map(root_of, nouns))


def span_as_written(start: int, end: int, text: SourceText, leaf: Leaf) -> Span:
    """An identifier of a text, with the sign before it where the value has it too: the tool takes it so."""
    sign = leaf.folded[: leaf.folded.find(leaf.bare)] if leaf.bare else ""
    return text.span(start - len(sign) if text.folded.endswith(sign, 0, start) else start, end)


def _near_identifiers(leaf: Leaf, call: ProposedCall) -> Iterator[tuple[str, Span]]:
    value = leaf.bare
    for text in call.evidence.texts.values():
        # The agent's own words hold the same mistake, and documents hold examples.
        if text.source.kind in (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC):
            continue
        for start, end in text.opaque:
            call.evidence.budget.spend()
            identifier = text.folded[start:end]
            is_near = end - start == len(value) and OSA.distance(value, identifier, score_cutoff=1) == 1
            if is_near and not _may_be_next(value, identifier):
                yield identifier, span_as_written(start, end, text, leaf)


def _may_be_corrected(value: str, identifier: str, call: ProposedCall) -> bool:
    """Whether a message of the user says what the value has in place of the identifier's signs, by itself."""
    differing = [at for at, (sign, stated) in enumerate(zip(value, identifier, strict=True)) if sign != stated]
    first, last = differing[0], differing[-1] + 1
    for text in call.evidence.user_messages:
        call.evidence.budget.spend(1 + len(text.folded) // 8)
        for word in set(words_of(text.folded)):
            if any(value.startswith(word, begin) for begin in range(max(0, last - len(word)), first + 1)):
                return True
    return False


def _is_followed(nearest: Span, call: ProposedCall) -> bool:
    """Whether the user who wrote the identifier goes on in another sentence: nobody reads whether it corrects it."""
    messages = [text for text in reversed(call.evidence.user_messages) if text.sentences]
    at = next((number for number, text in enumerate(messages) if text.source.id == nearest.source), None)
    if at is None:
        return False
    start = max(0, messages[at].folded.find(fold(nearest.quote)))
    before = words_in(messages[at].folded[max(0, start - _MAX_DENIAL) : start])[-1:]
    if any(sentence.is_limited for word in before for sentence in sentences_in(word)):
        return True
    behind = [sentence for sentence in messages[at].sentences if sentence.start >= nearest.end]
    behind += [sentence for text in messages[at + 1 :] for sentence in text.sentences]
    return not all(says_nothing(sentence.text) for sentence in behind)


def _may_be_next(value: str, identifier: str) -> bool:
    """Whether both may be of one counter, a few apart, or of one row of letters, next to each other."""
    last, next_one = value[-1], identifier[-1]
    is_row = value.isalnum() and last.isalpha() and next_one.isalpha() and value[:-1] == identifier[:-1]
    if is_row and abs(ord(last) - ord(next_one)) == 1:
        return True
    is_counted = _COUNTED.fullmatch(value) is not None and _COUNTED.fullmatch(identifier) is not None
    # Check digits leave no account one digit beside another.
    return is_counted and not iban.is_valid(identifier) and value[:-_COUNTING] == identifier[:-_COUNTING]
