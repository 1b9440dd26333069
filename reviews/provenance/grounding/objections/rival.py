"""Another record of the same kind meets what the user says better than the one the value was taken from."""

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.links.singled_out import Singled
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.records.collections import Place


def beaten(held: Found, singled: Singled) -> Found:
    """The rivals as competing values, with what tells them apart."""
    rivals = tuple(
        Competing(rival.span.quote, (rival.span,), shortened(rival.span.quote, 60))
        for rival in singled.rivals
        if rival.span.quote
    )
    return Found(Grounding.COMPETING, held.spans, _told(singled.rivals[0], singled.words), rivals)


def _told(rival: Place, words: tuple[str, ...]) -> str:
    said = ", ".join(f"“{shortened(word, 30)}”" for word in words[:3])
    value = shortened(rival.span.quote, 40)
    return f"{said} is said of {value}, and not of this one." if said else f"{value} fits as well."
