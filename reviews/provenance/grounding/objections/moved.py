"""Where a thing is moved from, taken for where it is moved to: "from 3 pm to 4:30 pm" set to three."""

from collections.abc import Iterator, Sequence

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.objections.taken_back import kinds_of, meant_between
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.parts import NEW, OLD, SOURCE, TARGET, part_of_mention, part_of_parameter
from reviews.provenance.request.purposes import purpose_of
from reviews.provenance.text.fold import fold

# Arguments that are looked at: a call that moves one thing has few.
_MOST_ARGUMENTS = 16
# Characters of a message that are read, and those between what is left and what is reached.
_READ, _REACH = 8_000, 60
# Tools that put one value in the place of another.
_CHANGING = frozenset("move reschedule change update modify edit adjust set shift postpone delay switch rename".split())


def moved(leaves: Sequence[Leaf], evidence: Evidence, budget: Budget) -> Iterator[tuple[Leaf, Found]]:
    """Each argument that the last message gives as what is left, while no argument takes what is reached."""
    tool = leaves[0].tool if leaves else None
    if tool is None or len(leaves) > _MOST_ARGUMENTS or not evidence.spoken:
        return
    changing = not _CHANGING.isdisjoint(purpose_of(tool.name, tool.description).verbs)
    text = evidence.spoken[0]
    said = [(meant, span) for meant, span in meant_between(text, 0, _READ)] if changing else []
    parts = {span: _part(text.source.text[:_READ], span.start) for _, span in said}
    for leaf in leaves:
        budget.spend()
        own = kinds_of(leaf)
        if not own or part_of_parameter(leaf.name, leaf.description) in (OLD, SOURCE):
            continue
        left = [span for meant, span in said if meant in own and parts.get(span) in (OLD, SOURCE)]
        kinds = {kind for kind, _ in own}
        reached = [
            (meant, span)
            for meant, span in said
            if meant[0] in kinds
            and meant not in own
            and parts.get(span) in (NEW, TARGET)
            and any(0 <= span.start - each.end <= _REACH for each in left)
        ]
        others = frozenset(meant for other in leaves if other is not leaf for meant in kinds_of(other))
        if reached and not any(meant in others for meant, _ in reached):
            span = reached[0][1]
            note = f"“{shortened(left[0].quote, 40)}” is what is to be changed; it should become “{span.quote[:40]}”."
            yield leaf, Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))


def _part(raw: str, start: int) -> str | None:
    before = fold(raw[:start])
    return part_of_mention(before + fold(raw[start:]), len(before))
