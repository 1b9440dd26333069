import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, cases_of
from reviews.evaluation.benchmarks.bfcl import BFCL
from reviews.evaluation.benchmarks.taubench import TauBench
from reviews.evaluation.perturbations.cipher import renaming_of
from reviews.evaluation.perturbations.renaming import rename_case
from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc, leaves
from tests.evaluation.data import BFCL_RUNS, TAUBENCH, needs_bfcl, needs_taubench

SCHEMA = {
    "type": "object",
    "properties": {
        "voucher_id": {"type": "string", "description": "The voucher's id"},
        "cabin": {"type": "string", "enum": ["economy", "business"]},
    },
    "required": ["voucher_id"],
}
FOUND = {"voucher_id": "HAT028", "guest": {"name": "Daniel Kimura", "email": "d.kimura@kimura-foods.com"}, "cost": 30.5}
QUERY = (
    "Please cancel Daniel's vouchers from 1 December, HAT028 in economy for $30.50, at 7pm, and tell "
    "d.kimura@kimura-foods.com"
)


def labelled(query: str = QUERY) -> LabelledCase:
    tools = (ToolDoc("cancel_voucher", "Cancels a voucher.", SCHEMA), ToolDoc("get_voucher"))
    history = (Step("get_voucher", {"name": "Daniel"}, json.dumps(FOUND, indent=1)),)
    action = ProposedAction("cancel_voucher", {"voucher_id": "HAT028", "cabin": "business"}, "Cancel the voucher")
    right = ProposedAction("cancel_voucher", {"voucher_id": "HAT029"})
    return LabelledCase(
        "made/1", "wrong", Case(Context(query, tools, history), action), True, frozenset({"/voucher_id"}), right
    )


def test_tool_parameter_value_and_what_the_user_calls_them_change_alike() -> None:
    case = rename_case(labelled()).case
    tool = case.context.tool(case.action.tool)
    assert tool is not None
    pointer, cabin = tool.properties
    noun = pointer.removesuffix("_id")
    assert noun not in ("voucher", "")
    assert tool.name == f"cancel_{noun}"
    assert tool.parameters["required"] == [pointer]
    assert f"{noun}s from 1 December" in case.context.query
    assert case.action.subtask == f"Cancel the {noun}"
    result = json.loads(case.context.history[0].outcome)  # type: ignore[union-attr,arg-type]
    assert case.action.arguments[pointer] == result[pointer] != "HAT028"
    assert case.action.arguments[pointer] in case.context.query
    assert case.action.arguments[cabin] in tool.properties[cabin]["enum"]


def test_a_value_that_a_pattern_tells_and_a_moment_stay_what_they_are() -> None:
    patterned = {"type": "string", "pattern": "^(Daniel|Kimura)$"}
    tool = ToolDoc("greet_guest", "Greets.", {"properties": {"guest": patterned, "at": {}, "voucher": {}}})
    arguments = {"guest": "Daniel", "at": "2026-07-10T12:00:00Z", "voucher": "HAT028"}
    case = Case(Context("Greet Daniel about the voucher HAT028.", (tool,)), ProposedAction("greet_guest", arguments))
    renamed = rename_case(LabelledCase("made/2", "right", case, False, frozenset(), None)).case
    guest, moment, voucher = renamed.action.arguments.values()
    assert (guest, moment) == ("Daniel", "2026-07-10T12:00:00Z")
    assert voucher != "HAT028"
    assert "Greet Daniel about" in renamed.context.query


def test_a_persons_name_and_the_address_made_of_it_change_alike() -> None:
    (step,) = rename_case(labelled()).case.context.history
    guest = next(value for value in json.loads(step.outcome).values() if isinstance(value, dict))  # type: ignore[union-attr,arg-type]
    first, last = guest["name"].split()
    assert (first, last) != ("Daniel", "Kimura")
    assert guest["email"].startswith(f"{first[0]}.{last}@{last}-".lower())
    assert guest["email"].endswith(".com")
    assert step.arguments == {"name": first}  # type: ignore[union-attr]


def test_grammar_verbs_days_and_amounts_stay() -> None:
    query = rename_case(labelled()).case.context.query
    for kept in ("Please cancel ", "'s ", " from 1 December, ", " for $30.50, at 7pm, and tell "):
        assert kept in query


def test_the_right_call_and_the_leaves_that_differ_are_renamed_with_the_case() -> None:
    changed = rename_case(labelled())
    assert changed.right
    assert changed.differing == frozenset(f"/{name}" for name in changed.right.arguments)
    one, other = (call.arguments for call in (changed.case.action, changed.right))
    (pointer,) = other
    assert one[pointer][:-1] == other[pointer][:-1]
    assert one[pointer] != other[pointer]


def test_a_case_is_renamed_alike_in_every_run() -> None:
    assert rename_case(labelled()) == rename_case(labelled())


@pytest.mark.parametrize("apart", ["HAT 028", "HAT-028"])
def test_an_identifier_that_somewhere_stands_in_parts_keeps_its_name(apart: str) -> None:
    values = [str(value) for _, value in leaves(dict(rename_case(labelled(f"Cancel {apart}")).case.action.arguments))]
    assert "HAT028" in values


def test_an_account_that_is_said_by_fours_keeps_its_name() -> None:
    said = "Pay it to DE44 5001 0517 5407 3249 31"
    action = ProposedAction("pay", {"iban": "DE44500105175407324931"})
    case = LabelledCase("made/2", "right", Case(Context(said, (ToolDoc("pay"),)), action), False)
    assert rename_case(case).case.context.query.endswith("DE44 5001 0517 5407 3249 31")


@pytest.mark.parametrize(
    "read",
    ["2030-01-02T10:00:00", "20300102", "3rd", "15kg", "Q3", "12345.67", "+4915112345678", "GB33BUKB20201555555555"],
)
def test_what_is_read_and_not_only_compared_stays(read: str) -> None:
    case = labelled().case
    assert renaming_of(frozenset(), case, "seed").rename_text(read) == read


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,7}", fullmatch=True), min_size=2, max_size=6, unique=True), st.text())
def test_words_that_begin_alike_still_do_and_different_ones_stay_different(names: list[str], seed: str) -> None:
    case = Case(Context("Write to " + " and ".join(names)), ProposedAction("write", {"to": names}))
    renaming = renaming_of(frozenset(map(str.casefold, names)), case, seed)
    images = [renaming.rename_text(name) for name in names]
    assert len(set(images)) == len(names)
    moved = [(name, image) for name, image in zip(names, images, strict=True) if name != image]
    for name, image in moved:
        for other, other_image in moved:
            assert name.startswith(other[:3]) is image.startswith(other_image[:3])


@pytest.mark.parametrize(
    "benchmark",
    [
        pytest.param(TauBench(TAUBENCH, every_call=True), marks=needs_taubench),
        pytest.param(BFCL(BFCL_RUNS), marks=needs_bfcl),
    ],
    ids=["taubench", "bfcl"],
)
def test_every_value_of_recorded_calls_stands_in_the_same_sources_as_before(benchmark: Benchmark) -> None:
    # Every tenth: each holds a whole conversation.
    cases = list(cases_of(benchmark.read_traces()))[::10]
    renamed = 0
    for case in cases:
        changed = rename_case(case)
        assert list(places(changed)) == list(places(case)), case.id
        renamed += changed.case.action != case.case.action
    assert renamed > len(cases) * 3 / 4


def places(case: LabelledCase) -> Iterator[bool]:
    """Of each text of the call and each source whether it stands there."""
    for _, value in leaves(dict(case.case.action.arguments)):
        for source in case.case.context.sources.values():
            # Between other letters a short word stands by chance: “no” in whatever letters a name was given.
            whole = re.compile(rf"(?<!\w){re.escape(str(value))}(?!\w)")
            yield isinstance(value, str) and whole.search(source.text) is not None
