"""Options chosen by comparison."""

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import ground_arguments

ENUM = {"type": "string", "enum": ["visits_direct", "visits_mail", "visits_web"]}
TOOL = ToolDoc("create_plot", parameters={"properties": {"value": ENUM}})
LOOKUPS = (
    Step("count", {"source": "direct", "since": "2026-03-01"}, '{"2026-03-01": 5, "2026-03-02": 4}'),
    Step("count", {"source": "mail", "since": "2026-03-01"}, '{"2026-03-01": 1, "2026-03-02": 2}'),
)


def check(value: str, text: str, how: Grounding, *against: str, history: tuple[Step, ...] = LOOKUPS) -> None:
    context = Context(text, (TOOL,), history)
    found = ground_arguments(Case(context, ProposedAction("create_plot", {"value": value})))[0]
    assert (found.how, tuple(span.quote for span in found.against)) == (how, against), found
    assert all(context.verifies(span) for span in (*found.spans, *found.against))


@pytest.mark.parametrize(
    ("value", "text"), [("visits_direct", "plot the most popular source"), ("visits_mail", "plot the smallest source")]
)
def test_the_option_that_compares_best_follows_from_the_numbers(value: str, text: str) -> None:
    check(value, text, Grounding.DERIVE)


def test_another_of_those_compared_goes_against_them() -> None:
    check("visits_mail", "plot the most popular source", Grounding.UNGROUNDED, "most popular", '2026-03-01": 5')


@pytest.mark.parametrize("text", ["plot a source", "plot at least one source"])
def test_without_a_comparison_nothing_follows(text: str) -> None:
    check("visits_direct", text, Grounding.UNGROUNDED)


def test_numbers_of_other_days_or_of_one_option_do_not_compare() -> None:
    other = Step("count", {"source": "mail"}, '{"2026-03-01": 1}')
    check("visits_direct", "plot the most popular source", Grounding.UNGROUNDED, history=(LOOKUPS[0], other))
    check("visits_direct", "plot the most popular source", Grounding.UNGROUNDED, history=LOOKUPS[:1])
