"""Addresses, where every character counts: e-mail addresses and links; and names written the other way round."""

import re

from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.notes import found_at
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences, stands_alone
from reviews.provenance.text.fold import fold, words_of

# How the signs of an address are read out, in English and the languages that have a word of their own.
_AT = re.compile(r"\b(?:at|arobase|arroba|chiocciola|apenstaartje|klammeraffe)\b")
_DOT = r"\b(?:dot|point|punto|ponto|punkt|punt)\b"
# Bounded as RFC 5321 bounds its parts: a pattern without bounds takes quadratic time on a long run of letters.
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
# A link's host and path are compared apart: people leave the scheme out.
_LINK = re.compile(r"https?://[^\s/]+(?:/\S*)?", re.I)
# Addresses, links and paths are the same only sign by sign: words in between mean nothing.
_EXACT = re.compile(r"\S+@\S+|[a-z][\w+.-]*://\S+|(?:[\w.~-]*/){2,}[\w.~-]*|\w:\\\S*", re.I)
# "Novak, Mira" for Mira Novak.
_LAST_FIRST = re.compile(r"(?P<last>[^\W\d_][\w'-]*), ?(?P<first>[^\W\d_][\w'-]*(?: [^\W\d_][\w'.-]*)?)")
# Longer than any address, and short enough to be compared with all of them.
_LONGEST = 256
# A first and a last name may change places; of three words nobody knows which belong together.
_NAME_WORDS = 2


def is_address(value: str) -> bool:
    """Whether other punctuation would make it another address: `a-b@x.org` is not `a.b@x.org`."""
    return len(value) <= _LONGEST and _EXACT.fullmatch(value) is not None


def addressed(leaf: Leaf, text: Indexed) -> Found | None:
    """An e-mail address in other letter case or spelled out ("kim at example dot com"), a link without its scheme."""
    if not isinstance(leaf.value, str) or not is_address(leaf.text):
        return None
    folded = text.folded.text
    for at in occurrences(folded, leaf.folded):
        return found_at(Grounding.NORMALIZE, text.span(at, at + len(leaf.folded)))
    if _EMAIL.fullmatch(leaf.folded):
        return _spelled_out(leaf, text)
    return _without_scheme(leaf, text) if _LINK.fullmatch(leaf.text) else None


def turned(leaf: Leaf, text: Indexed) -> Found | None:
    """A person's name with the family name first: "Kim, Daniel" is "Daniel Kim"."""
    if not isinstance(leaf.value, str) or len(leaf.text) > _LONGEST:
        return None
    if hit := _LAST_FIRST.fullmatch(leaf.text):
        pattern = rf"{re.escape(fold(hit['first']))}\s+{re.escape(fold(hit['last']))}"
    elif len(leaf.words) == _NAME_WORDS and "," not in leaf.text and "".join(leaf.words).isalpha():
        pattern = rf"{re.escape(leaf.words[1])},\s?{re.escape(leaf.words[0])}"
    else:
        return None
    for found in re.finditer(pattern, text.folded.text):
        if stands_alone(text.folded.text, *found.span()):
            return found_at(Grounding.NORMALIZE, text.span(*found.span()))
    return None


def _spelled_out(leaf: Leaf, text: Indexed) -> Found | None:
    # Asked in this order, most texts are not read: letters stay as they are, however the signs are written.
    if re.split(r"\W", leaf.folded, maxsplit=1)[0] not in text.folded.text or not _AT.search(text.folded.text):
        return None
    signs = {"@": rf"\s?[(\[]?(?:{_AT.pattern}|@)[)\]]?\s?", ".": rf"(?:\.|\s?[(\[]?(?:{_DOT})[)\]]?\s?)"}
    pattern = "".join(signs.get(char, re.escape(char)) for char in leaf.folded)
    for hit in re.finditer(pattern, text.folded.text):
        if stands_alone(text.folded.text, *hit.span()):
            return found_at(Grounding.NORMALIZE, text.span(*hit.span()))
    return None


def _without_scheme(leaf: Leaf, text: Indexed) -> Found | None:
    bare = leaf.text.partition("://")[2].rstrip("/")
    for at in occurrences(text.plain.text, bare) if words_of(bare) else ():
        behind = text.plain.text[at + len(bare) : at + len(bare) + 2]
        if not (behind[:1] == "/" and behind[1:].strip()):
            return found_at(Grounding.NORMALIZE, text.plain_span(at, at + len(bare)))
    return None
