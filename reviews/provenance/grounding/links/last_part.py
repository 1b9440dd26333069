"""A path, an address or a qualified name that the user calls by its last part: the file's name for its path."""

import re
from collections.abc import Iterator

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links.stated import say
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf

# A path, a qualified name or a key with colons, and what people call it by.
_PARTS = re.compile(r"(?P<lead>\S*[/\\:])(?P<last>[^/\\:\s]+)")
# Characters of a last part that names something: shorter ones (`v1`, `en`) end many paths.
_SHORTEST = 4
# What may stand before the last part in the same path.
_BEFORE = re.compile(r"[^\s\"'<>|,;()\[\]{}]*$")
# Characters of a path that are read before its last part.
_REACH = 300


def by_last_part(leaf: Leaf, evidence: Evidence) -> Found | None:
    """The one value of everything looked up that ends in a name the user says; None where several end so."""
    parts = _PARTS.fullmatch(leaf.folded) if isinstance(leaf.value, str) else None
    places = evidence.collections.places(leaf.folded) if parts and len(parts["last"]) >= _SHORTEST else ()
    if parts is None or not places:
        return None
    last = Leaf(leaf.text[-len(parts["last"]) :])
    mention = next((found for text in evidence.spoken if (found := say(last, text))), None)
    if mention is None or any(
        path != leaf.folded for text in evidence.data for path in _ending_in(parts["last"], text)
    ):
        return None
    source, name = where(places[0].document.text.source.id), shortened(last.text, 60)
    return Found(Grounding.RESOLVE, (*mention.spans, places[0].span), f"“{name}” names one thing in {source}.")


def _ending_in(last: str, text: Indexed) -> Iterator[str]:
    """Every path of a text with this last part; the bare name is none."""
    folded = text.folded.text
    for hit in re.finditer(rf"(?<=[/\\:]){re.escape(last)}(?![\w-])", folded):
        at = hit.start()
        begun = _BEFORE.search(folded[max(0, at - _REACH) : at])
        lead = begun.group() if begun else ""
        if lead and not text.repeats(lead + last):
            yield lead + last
