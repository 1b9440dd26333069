"""The last message gives another record of the list the part that the parameter asks for."""

from collections.abc import Iterator, Sequence

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.objections.mentions import mentions_in, mentions_of_record, named_alike
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import fits, part_of_parameter

# Arguments that are looked at: a call that moves one thing has few.
_MOST_ARGUMENTS = 16


def other_part(leaves: Sequence[Leaf], evidence: Evidence, budget: Budget) -> Iterator[tuple[Leaf, Found]]:
    """Each argument that the last message says in the opposed part, while another one that it says right is left.

    "Ken takes over the desk from Ada": whoever is to have it is Ken.
    """
    if len(leaves) > _MOST_ARGUMENTS or not evidence.spoken:
        return
    text, used = evidence.spoken[0], frozenset(other.folded for other in leaves)
    for leaf in leaves:
        part = part_of_parameter(leaf.name, leaf.description)
        if part is None or not leaf.text or leaf.choices or isinstance(leaf.value, bool):
            continue
        budget.spend()
        own = [each for each in (*mentions_in(leaf, text), *mentions_of_record(leaf, evidence)) if each.part]
        if not own or any(mention.part and fits(mention.part, part) > 0 for mention in own):
            continue
        alike = named_alike(leaf, text, evidence, used)
        other = next((each.span for each in alike if each.part and fits(each.part, part) > 0), None)
        if other is not None:
            note = f"“{shortened(other.quote, 40)}” is what the user names for {leaf.name[:40]}, not this."
            yield leaf, Found(Grounding.UNGROUNDED, (), note, nearest=other, against=(other,))
