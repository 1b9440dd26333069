"""The value is another parameter's: the latest request says it beside that one's label, or it is that one's default.

Where it says two values each beside the other one's label, no judge's yes stands for them: “from 88 to 77” is a fact.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.wording import quote_as_value
from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.proofs.words import COUNTING
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import are_alike
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place
from reviews.provenance.text.names import tokens_of

RULE, EXCHANGED = "doubts.other_parameter", "doubts.exchanged_values"
# Other values of the call with which one may be exchanged: a list has more, and its entries have one label.
_MAX_OTHERS = 16


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about a value that may have been taken for another parameter's."""
    places = [mention.place for mention in mentions_of(leaf, call.text)]
    labels = [is_labelled(leaf, *place, call) for place in places]
    value = shorten_text(leaf.text, 60)
    counts_anything = "".join(tokens_of(leaf.name)[-1:]) in COUNTING
    if False in labels and True not in labels and not counts_anything:
        stated = quote_as_value(call.text.span(*places[labels.index(False)]), leaf, call.text.now)
        if exchanged := next(_find_exchanged(leaf, call), None):
            theirs = shorten_text(exchanged.text, 60)
            note = f"The request says {stated} for {exchanged.name} and “{theirs}” for {leaf.name}."
            return Doubt(EXCHANGED, f"{note} The call has them exchanged.")
        return Doubt(RULE, f"The request says {stated}, maybe for something else than {leaf.name}. Is it meant here?")
    if places and (whole := _find_whole(places, leaf, call)):
        part = quote_as_value(call.text.span(*places[0]), leaf, call.text.now)
        note = f"The request says {part} as a part of “{shorten_text(whole.text, 60)}”, which is {whole.name}."
        return Doubt(RULE, f"{note} Is it meant for {leaf.name or 'this'}?")
    if not labels and (other := _parameter_with_default(leaf, call)):
        return Doubt(RULE, f"“{value}” is what the tool takes for {other} by default. Is it meant for {leaf.name}?")
    return None


def _find_exchanged(leaf: Leaf, call: ProposedCall) -> Iterator[Leaf]:
    """The values that the request says for this parameter, where it says this one's value for theirs."""
    others = (other for other in call.leaves if other.parameter != leaf.parameter and other.text)
    for other in islice(others, _MAX_OTHERS):
        call.evidence.budget.spend()
        if other.folded != leaf.folded and are_alike(other, leaf) and _is_labelled_only(other, call, own=False):
            as_told = replace(leaf, value=other.value), replace(other, value=leaf.value)
            if all(_is_labelled_only(told, call, own=True) for told in as_told):
                yield other


def _find_whole(places: Sequence[Place], leaf: Leaf, call: ProposedCall) -> Leaf | None:
    """The longer value of another parameter as a part of which alone the request says this one: a house's number."""
    for other in islice((other for other in call.leaves if other.parameter != leaf.parameter), _MAX_OTHERS):
        call.evidence.budget.spend(1 + len(places))
        stretches = [mention.place for mention in mentions_of(other, call.text)]
        if all(any(_is_part_of(place, whole) for whole in stretches) for place in places):
            return other
    return None


def _is_part_of(place: Place, whole: Place) -> bool:
    return whole[0] <= place[0] and place[1] <= whole[1] and place != whole


def _is_labelled_only(leaf: Leaf, call: ProposedCall, *, own: bool) -> bool:
    """Whether the request says the value, and labels it only as the parameter's own, or only as another one's."""
    labels = {is_labelled(leaf, *mention.place, call) for mention in mentions_of(leaf, call.text)}
    return labels == {own}


def _parameter_with_default(leaf: Leaf, call: ProposedCall) -> str | None:
    """The other parameter that has this text as its default, where this one has another."""
    defaults = call.text_defaults
    call.evidence.budget.spend(1 + len(defaults))
    if not leaf.text or defaults.get(leaf.parameter) == leaf.value:
        return None
    return next((name for name, default in defaults.items() if default == leaf.value), None)
