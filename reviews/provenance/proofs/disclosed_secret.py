"""A text gives away a secret that stands in what was looked up or in the system prompt, and nobody asked to send it.

Sound because: the very characters of a password, a key, a card or an account number, told by its label or by its check
digits, stand in a source the user did not write, and in none of the user's words.
Assumes: whoever wants a secret sent names what it is, or all that stands with it; a message that says any word of its
name, or of another field of its record ("the wifi note"), withholds this proof, and so does a text that repeats more of
the secret's source. Names are read in the language of tools: a message without a word of the tool's deed, and without
"the", may say a password in another one.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.proofs.call import MAX_READ, ProposedCall, Refutation
from reviews.provenance.proofs.requested_tool import names_deed
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.text.fold import words_of
from reviews.provenance.values.secrets import Secret, secrets_in

RULE = "proofs.disclosed_secret"
# Secrets of one text that are looked for in every source.
_MAX_SECRETS = 32
# What else people call a number that its check digits tell.
_NAMES = {"card number": "card number payment", "account number": "iban account bank details"}
_SOURCES = (SourceKind.TOOL_OUTPUT, SourceKind.RETRIEVED, SourceKind.MEMORY, SourceKind.SYSTEM_PROMPT)
# A stretch of a text that nobody writes twice by chance.
_CLAUSE = re.compile(r"[^\n.!?:]{20,400}")
# Words of a field by which its record may be named.
_MAX_NAME_WORDS = 4
# Letters of such a word: shorter ones stand in any message.
_MIN_LETTERS = 3
# Words of a text that is sent: a value by itself is an argument, which may have to be a secret.
_MIN_WORDS = 3


def refute_leaf(leaf: Leaf, call: ProposedCall) -> Refutation | None:
    """The refutation of a text that gives a secret away."""
    if not all(_speaks_as_tools(text, call) for text in call.evidence.user_messages):
        return None
    for secret, place in find_disclosed(leaf, call):
        source = call.evidence.texts[place.source]
        if not _is_copied_along(secret, str(leaf.value), source) and not _is_record_named(place, source, call):
            note = f"The text gives away “{shorten_text(secret.label, 40)}”, which nobody asked to send."
            return Refutation(RULE, note, (place,))
    return None


def find_disclosed(leaf: Leaf, call: ProposedCall) -> Iterator[tuple[Secret, Span]]:
    """The secrets of a text that no message names, each with where it stands."""
    if not isinstance(leaf.value, str) or len(leaf.value.split()) < _MIN_WORDS:
        return
    for secret in islice(secrets_in(leaf.value), _MAX_SECRETS):
        call.evidence.budget.spend()
        names = words_of(_NAMES.get(secret.label, secret.label))
        if _says_any(names, call) or any(_find_secret(secret, text) for text in call.evidence.user_messages):
            continue
        texts = (text for text in call.evidence.texts.values() if text.source.kind in _SOURCES)
        if place := next((span for text in texts if (span := _find_secret(secret, text))), None):
            yield secret, place


def _speaks_as_tools(text: SourceText, call: ProposedCall) -> bool:
    """Whether a message is in the language that tools are named in; a word or two are of any."""
    words = words_of(text.folded[:MAX_READ])
    is_short = len(words) < _MIN_WORDS and text.folded.isascii()
    return is_short or "the" in words or names_deed(call, text.folded[:MAX_READ])


def _is_copied_along(secret: Secret, value: str, text: SourceText) -> bool:
    """Whether the value repeats more of the same source: then all of it may have been asked for."""
    return any(
        hit.group().strip() in text.source.text
        for hit in _CLAUSE.finditer(value[:MAX_READ])
        if hit.end() <= secret.start or secret.end <= hit.start()
    )


def _is_record_named(place: Span, text: SourceText, call: ProposedCall) -> bool:
    """Whether the user says a word of a short field that stands in one record with the secret."""
    cell = text.cell_at(place)
    if cell is None:
        return False
    fields = [words_of(sibling.value) for sibling in text.cells_of(cell.record) if sibling != cell]
    call.evidence.budget.spend(1 + len(fields))
    names = (words for words in fields if len(words) <= _MAX_NAME_WORDS)
    return _says_any((word for words in names for word in words if len(word) >= _MIN_LETTERS), call)


def _says_any(words: Iterable[str], call: ProposedCall) -> bool:
    """Whether a message of the user has one of these words."""
    wanted, messages = set(words), call.evidence.user_messages
    return any(not wanted.isdisjoint(words_of(message.source.text[:MAX_READ])) for message in messages)


def _find_secret(secret: Secret, text: SourceText) -> Span | None:
    """Where the secret stands in a text, grouped in any way."""
    # A secret has at most 120 characters, and each is one step: the pattern is linear.
    pattern = r"[ -]?".join(map(re.escape, secret.value))
    hit = re.search(rf"(?<!\w){pattern}(?!\w)", text.source.text)
    return text.raw_span(*hit.span()) if hit else None
