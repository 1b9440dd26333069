"""Where a thing is moved from, taken for where it is moved to: "from 3 pm to 4:30 pm" set to three."""

from collections.abc import Iterator, Sequence

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.objections.taken_back import typed_values_in, typed_values_of
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
    mentions = [(value, span) for value, span in typed_values_in(text, 0, _READ)] if changing else []
    parts = {span: _part(text.source.text[:_READ], span) for _, span in mentions}
    for leaf in leaves:
        budget.spend()
        own = typed_values_of(leaf)
        if not own or part_of_parameter(leaf.name, leaf.description) in (OLD, SOURCE):
            continue
        origins = [span for value, span in mentions if value in own and parts.get(span) in (OLD, SOURCE)]
        kinds = {kind for kind, _ in own}
        reached = [
            (value, span)
            for value, span in mentions
            if value[0] in kinds
            and value not in own
            and parts.get(span) in (NEW, TARGET)
            and any(0 <= span.start - each.end <= _REACH for each in origins)
        ]
        others = frozenset(value for other in leaves if other is not leaf for value in typed_values_of(other))
        if reached and not any(value in others for value, _ in reached):
            span = reached[0][1]
            note = (
                f"“{shortened(origins[0].quote, 40)}” is what is to be changed; it should become “{span.quote[:40]}”."
            )
            yield leaf, Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))


def _part(raw: str, span: Span) -> str | None:
    before, mention = fold(raw[: span.start]), fold(raw[span.start : span.end])
    return part_of_mention(before + mention + fold(raw[span.end :]), len(before), len(before + mention))
