"""Another record of the same kind meets what the user says better than the one the value was taken from."""

from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.links.singled_out import Singled
from reviews.provenance.grounding.results import Competing, Found
from reviews.provenance.records.collections import Place
from reviews.provenance.text.fold import fold

# Words that tell a rival apart, in a note: with more nobody reads on.
_MOST_WORDS = 3


def beaten(found: Found, singled: Singled) -> Found:
    """The rivals as competing values, with what tells them apart."""
    rivals = tuple(
        Competing(rival.span.quote, (rival.span,), shortened(rival.span.quote, 60))
        for rival in singled.rivals
        if rival.span.quote
    )
    return Found(Grounding.COMPETING, found.spans, _note(singled.rivals[0], singled.words), rivals)


def _note(rival: Place, words: tuple[str, ...]) -> str:
    quoted = [f"“{shortened(word, 30)}”" for word in words[:_MOST_WORDS]]
    value = shortened(rival.span.quote, 40)
    if rival.value in map(fold, words):
        return f"The user names “{value}”, and not this one."
    if not quoted:
        return f"“{value}” fits as well."
    listed = " and ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))
    return f"{listed} {'is' if len(quoted) == 1 else 'are'} said of “{value}”, and not of this one."
