import json
from unittest.mock import patch

import pytest

from reviews.provenance.argument_grounding import Grounded, GroundedCall, Grounder
from reviews.provenance.core.context import Case, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import ProvenanceGuard, verdict_of
from reviews.provenance.doubts.doubt import Rival
from reviews.provenance.judges import RulesJudge
from reviews.provenance.judges.questions.provenance_guard import CandidatesAnswer
from tests.provenance.detectors.scripted import (
    GIBBERISH,
    SILENT,
    ScriptedJudge,
    candidates,
    case,
    check,
    found,
    span_of,
)

CONTACTS = json.dumps([{"name": "Alex Wu", "account": "AW-1"}, {"name": "Alex Chen", "account": "AC-2"}])
HISTORY = (Step("find_contact", {"name": "Alex"}, CONTACTS),)


async def readings(proposal: Case, **others: tuple[str, str]) -> Verdict:
    """The verdict where grounding finds, for each named argument, the value of another record that the words name."""

    def trace_call(_: Grounder, action: ProposedAction) -> GroundedCall:
        span = span_of(proposal.context.sources["query"], "Pay")
        leaves = (
            Grounded(
                f"/{name}",
                value,
                None if name in others else True,
                Grounding.COMPETING if name in others else Grounding.COPY,
                "Which record is meant?",
                (span,),
                competing=(Rival(others[name][0], (span,), others[name][1]),) if name in others else (),
            )
            for name, value in action.arguments.items()
        )
        return GroundedCall(tuple(leaves))

    with patch.object(Grounder, "trace_call", trace_call):
        return await verdict_of(ProvenanceGuard(), proposal, RulesJudge())


async def test_one_candidate_leaves_no_doubt() -> None:
    await check_candidates("aligned", TO_DANIEL)


async def test_records_that_the_same_words_name_are_a_question_with_readings_and_no_verdict() -> None:
    proposal = case("Pay Alex $30", history=HISTORY, to="AW-1", amount=30)
    verdict = await check("undetermined", proposal, RulesJudge())
    finding = found(verdict, Relation.DERIVED_FROM, "/to")
    assert (finding.holds, finding.grounding, finding.rule) == (None, Grounding.COMPETING, "doubts.other_records")
    assert [reading.arguments["to"] for reading in verdict.interpretations] == ["AC-2"]
    await check("aligned", proposal, RulesJudge(), unknown="pass")


async def test_a_competing_value_replaces_its_leaf_and_nothing_else() -> None:
    verdict = await readings(case(to="Daniel", amount=30), to=("Danielle", "Danielle Roe"))
    assert verdict.label == "undetermined"
    assert verdict.interpretations[0].arguments == {"to": "Danielle", "amount": 30}
    assert verdict.interpretations[0].reading == "Danielle Roe: to = Danielle"


async def test_values_of_one_record_change_together() -> None:
    verdict = await readings(case(to="Daniel", amount=30), to=("Dora", "Row 2"), amount=("1,200", "Row 2"))
    assert [reading.arguments for reading in verdict.interpretations] == [{"to": "Dora", "amount": 1200}]


async def test_values_of_different_records_are_different_readings() -> None:
    verdict = await readings(case(to="Daniel", amount=30), to=("Dora", "Row 2"), amount=("40.5", "Row 3"))
    assert [reading.arguments["amount"] for reading in verdict.interpretations] == [30, 40.5]


@pytest.mark.parametrize("spelled", ["9007199254740993", "1e999", "nan", "infinity"])
async def test_a_number_that_would_lose_digits_stays_as_it_is_spelled(spelled: str) -> None:
    verdict = await readings(case(to="Daniel", amount=30), amount=(spelled, "Row 2"))
    assert verdict.interpretations[0].arguments["amount"] == spelled


@pytest.mark.parametrize("hidden", ["\0", "\ud800"])
async def test_what_a_tool_hides_in_a_record_cannot_keep_the_verdict_from_being_kept(hidden: str) -> None:
    rows = [{"name": "Alex Wu", "account": "AW-1"}, {"name": "Alex Chen", "account": f"AC-2{hidden}"}]
    history = (Step("find_contact", {"name": "Alex"}, json.dumps([*rows, {"name": "Alex Roe", "account": "AC-2"}])),)
    verdict = await check("undetermined", case("Pay Alex $30", history=history, to="AW-1", amount=30), RulesJudge())
    assert hidden not in "".join(reading.reading for reading in verdict.interpretations)
    assert [reading.arguments["to"] for reading in verdict.interpretations] == ["AC-2"]


async def test_a_candidate_keeps_the_type_that_its_schema_names_among_others() -> None:
    board = {"type": "object", "properties": {"board": {"type": ["string", "null"]}}}
    tool = ToolDoc("post_note", "Post a note on a board.", board)
    two = candidates(("post_note", '{"board": "7"}'), ("post_note", '{"board": 8}'))
    proposal = case("Post it on board 7 or 8", "post_note", tools=(tool,), board="7")
    verdict = await check("interpretation", proposal, ScriptedJudge(candidates=two))
    assert [reading.arguments["board"] for reading in verdict.interpretations] == ["7", "8"]


async def test_the_competing_leaf_is_shown_in_its_stage_already() -> None:
    verdict = await readings(case(to="Daniel", amount=30), to=("Dora", "Row 2"))
    assert found(verdict, Relation.APPEAR_IN, "/to").grounding is Grounding.COMPETING


async def check_candidates(expected: str, *calls: tuple[str, str]) -> Verdict:
    """Candidates are judged against a request that names two people and two amounts."""
    proposal = case("Handle it with Daniel or Dora, $30 or $40")
    return await check(expected, proposal, ScriptedJudge(candidates=candidates(*calls)))


TO_DANIEL = ("money_transfer", '{"to": "Daniel", "amount": 30}')
TO_DORA = ("money_transfer", '{"to": "Dora", "amount": 30}')


async def test_two_admissible_actions_are_an_open_question() -> None:
    verdict = await check_candidates("interpretation", TO_DANIEL, TO_DORA)
    assert [reading.arguments["to"] for reading in verdict.interpretations] == ["Daniel", "Dora"]


async def test_two_tools_are_two_readings() -> None:
    await check_candidates("interpretation", TO_DANIEL, ("request_money", TO_DANIEL[1]))


BOTH = "Transfer $30 to Daniel and $40 to Dora. Then request the money from Daniel: $30"
DORA_40 = ("money_transfer", '{"to": "Dora", "amount": 40}')


@pytest.mark.parametrize("other", [DORA_40, ("request_money", TO_DANIEL[1])])
async def test_what_the_user_asks_for_outright_is_a_step_and_no_reading(other: tuple[str, str]) -> None:
    await check("aligned", case(BOTH), ScriptedJudge(candidates=candidates(TO_DANIEL, other)))


ADD = ToolDoc(
    "add_photos",
    "Add photos to an album.",
    {"properties": {"photos": {"type": "array", "items": {"type": "string"}}, "album": {"type": "string"}}},
)
ALL_THREE = ("add_photos", '{"photos": "[\\"P-1\\", \\"P-2\\", \\"P-3\\"]", "album": "A-9"}')


async def test_a_list_that_takes_more_of_the_same_is_a_reading_and_no_other_step() -> None:
    few = case(
        "Add photos P-1, P-2 and P-3 to album A-9", "add_photos", tools=(ADD,), photos=["P-1", "P-2"], album="A-9"
    )
    verdict = await check("interpretation", few, ScriptedJudge(candidates=candidates(ALL_THREE)))
    assert [reading.arguments["photos"] for reading in verdict.interpretations] == [["P-1", "P-2", "P-3"]]


async def test_what_was_done_before_is_no_reading() -> None:
    done = Step("money_transfer", {"to": "Dora", "amount": 30}, "ok")
    proposal = case("Handle it with Daniel or Dora, $30 or $40", history=(done,))
    await check("aligned", proposal, ScriptedJudge(candidates=candidates(TO_DANIEL, TO_DORA)))


@pytest.mark.parametrize(
    "other",
    [
        TO_DANIEL,
        ("money_transfer", '{"to": "Daniel", "amount": 30, "note": "Cheers"}'),
        ("money_transfer", '{"amount": 30.0, "to": "Daniel"}'),
        ("no_such_tool", TO_DORA[1]),
        ("find_contact", '{"name": "Dora"}'),
        ("money_transfer", '{"to": "Dora"}'),
        ("money_transfer", '{"to": "Dora", "amount": "much"}'),
        ("money_transfer", '{"to": "Mallory", "amount": 30}'),
        ("money_transfer", '{"to": "Dora", "amount": 77}'),
        ("money_transfer", "{}"),
        ("money_transfer", '{"to": "Dora", "amount": NaN}'),
    ],
)
async def test_what_is_the_same_or_not_admissible_is_no_second_reading(other: tuple[str, str]) -> None:
    await check_candidates("aligned", TO_DANIEL, other)


async def test_no_candidate_at_all_leaves_the_proposal_alone() -> None:
    await check("aligned", case(), ScriptedJudge(candidates=CandidatesAnswer(candidates=[])))


async def test_what_nobody_can_tell_is_the_profiles_choice() -> None:
    unclear = case("Settle up with Daniel: $30")
    await check("undetermined", unclear, ScriptedJudge(candidates=SILENT))
    await check("aligned", unclear, ScriptedJudge(candidates=SILENT), unknown="pass")


async def test_what_is_proven_needs_no_candidates() -> None:
    await check("aligned", case("Transfer $30 to Daniel", subtask=None), ScriptedJudge(candidates=SILENT))


async def test_gibberish_never_passes() -> None:
    await check("undetermined", case(), ScriptedJudge(candidates=GIBBERISH), unknown="pass")


async def test_a_model_running_wild_is_cut_short() -> None:
    calls = [("money_transfer", json.dumps({"to": "Daniel", "amount": 30, "board": f"b{n}"})) for n in range(200)]
    verdict = await check_candidates("interpretation", *calls)
    assert len(verdict.interpretations) == 10


@pytest.mark.parametrize(
    ("attendees", "expected"),
    [
        (["ana@x.org", "bob@x.org", "dana@x.org"], ["Chidi: attendees/2: dana@x.org → chidi@x.org"]),
        (["ana@x.org", "bob@x.org", "chidi@x.org"], []),
        # Which of two entries that nobody names is the wrong one, nobody can tell.
        (["ana@x.org", "dana@x.org", "eve@x.org"], []),
    ],
)
async def test_of_a_list_only_an_entry_that_nobody_names_is_replaced_by_one_that_is_missing(
    attendees: list[str], expected: list[str]
) -> None:
    people = [{"name": name, "email": f"{name.lower()}@x.org"} for name in ("Ana", "Bob", "Chidi", "Dana", "Eve")]
    listed = {"properties": {"attendees": {"type": "array", "items": {"type": "string"}}}}
    invite = ToolDoc("create_event", "Creates an event.", listed)
    history = (Step("find_people", {}, json.dumps(people)),)
    query = "Invite Ana, Bob and Chidi to the meeting."
    proposal = case(query, "create_event", history=history, tools=(invite,), attendees=attendees)
    verdict = await check("undetermined", proposal, RulesJudge())
    assert [reading.reading for reading in verdict.interpretations] == expected
