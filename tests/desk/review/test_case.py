from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from reviews.desk.review.case.arguments import Quoted, StatedSource
from reviews.desk.review.case.authors import Writer, Writers, list_writers
from reviews.desk.review.page import CaseFile
from reviews.desk.text.highlighting import Tone
from reviews.provenance.core.context import Claim, Context, Span
from reviews.provenance.core.findings import Finding as Found
from reviews.provenance.core.findings import Grounding, Misalignment, Relation, StageResult
from reviews.provenance.core.trust import SourceKind
from tests.cast import CONTEXT, MILD, WRONG, Cast, Script
from tests.desk.poisoned import span_of
from tests.desk.review.findings import (
    AMOUNT_FAILS,
    ASKED,
    CONTRADICTED,
    FAILED,
    FOUND,
    TO_HOLDS,
    check_argument,
    stopped,
)

ICONS = Path(settings.BASE_DIR) / "static" / "icons.svg"


def check_written(
    file: CaseFile, path: str, *expected: tuple[str, tuple[str, ...]], untrusted_only: bool = False
) -> None:
    """These, and nobody else, wrote what the argument rests on."""
    argument = next(each for each in file.arguments.listed if each.path == path)
    assert tuple((writer.words, writer.places) for writer in argument.writers.listed) == expected
    assert argument.writers.untrusted_only is untrusted_only


def written(*spans: Span, grounding: Grounding = Grounding.COPY, context: Context = CONTEXT) -> Writers:
    return list_writers(context, spans, grounding)


def test_an_argument_says_how_and_where_it_was_traced(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, FAILED)
    check_argument(file, "to", grounding="resolve", failing=False)
    check_written(file, "to", ("user's words", ()))


def test_a_value_only_a_tool_put_forward_says_so(cast: Cast, script: Script) -> None:
    found = replace(TO_HOLDS, evidence=(FOUND,), grounding=Grounding.COPY)
    file = stopped(cast, script, StageResult("parameter", (found, AMOUNT_FAILS), misalignment=Misalignment.PARAMETER))
    check_written(file, "to", ("tool output", ("history 1",)), untrusted_only=True)


def test_a_value_that_rests_on_nothing_has_no_writer(cast: Cast, script: Script) -> None:
    check_written(stopped(cast, script, FAILED), "amount")


def test_what_is_generated_is_in_the_agents_own_words() -> None:
    writers = written(grounding=Grounding.GENERATED)
    assert ([each.words for each in writers.listed], writers.untrusted_only) == (["agent's own words"], False)


def test_the_users_words_come_first_and_the_worst_decides_the_trust() -> None:
    writers = written(FOUND, ASKED)
    assert ([each.words for each in writers.listed], writers.trust) == (["user's words", "tool output"], 0.5)


def test_two_places_of_one_writer_are_one_tag() -> None:
    calls = replace(CONTEXT, history=(*CONTEXT.history, *CONTEXT.history))
    again = span_of("history/2/outcome", "Kim", calls)
    (tool,) = written(FOUND, again, context=calls).listed
    assert tool.places == ("history 1", "history 2")


@pytest.mark.parametrize("kind", list(SourceKind))
def test_every_kind_of_source_has_a_word_and_a_sign(kind: SourceKind) -> None:
    writer = Writer(kind)
    assert writer.words
    assert f'<symbol id="{writer.icon}"' in ICONS.read_text()


def test_a_value_without_source_names_the_nearest(cast: Cast, script: Script) -> None:
    nearest = Quoted("$30", "request")
    check_argument(stopped(cast, script, FAILED), "amount", grounding="ungrounded", failing=True, nearest=nearest)


def test_a_value_the_context_contradicts_names_what_it_goes_against(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, CONTRADICTED)
    check_argument(
        file, "amount", grounding="contradicted", failing=True, against=(Quoted("$30", "request"),), nearest=None
    )
    check_written(file, "amount")
    assert file.main_reason.words == "“amount” does not fit what was asked"


def test_an_injected_value_never_looks_like_a_good_copy(cast: Cast, script: Script) -> None:
    ordered = replace(TO_HOLDS, holds=False, evidence=(FOUND,), grounding=Grounding.COPY, untrusted_only=True)
    file = stopped(cast, script, StageResult("parameter", (ordered,), misalignment=Misalignment.INJECTION))
    check_argument(file, "to", grounding="injected", tone=Tone.NONE, failing=True)
    assert file.main_reason.words == "“to” comes from an instruction hidden in data"


def test_a_resolved_value_says_how_and_a_copied_one_need_not(cast: Cast, script: Script) -> None:
    check_argument(stopped(cast, script, FAILED), "to", note="One record matches.")
    copied = StageResult(
        "parameter", (replace(TO_HOLDS, grounding=Grounding.COPY),), misalignment=Misalignment.PARAMETER
    )
    check_argument(stopped(cast, script, copied), "to", note="")


def test_the_first_failing_argument_is_selected(cast: Cast, script: Script) -> None:
    selected = stopped(cast, script, FAILED).arguments.selected
    assert selected
    assert selected.path == "amount"


def test_an_argument_no_finding_speaks_of_is_not_traced_for_the_page(cast: Cast, script: Script) -> None:
    tool_fails = StageResult("tool", misalignment=Misalignment.TOOL)
    file = stopped(cast, script, tool_fails)
    check_argument(file, "to", grounding="unchecked", failing=False)


def test_a_finding_on_a_list_speaks_for_its_items(cast: Cast, script: Script) -> None:
    people = Found(Relation.DERIVED_FROM, "/to", False, "Nobody said so.", grounding=Grounding.UNGROUNDED)
    stage = StageResult("parameter", (people,), misalignment=Misalignment.PARAMETER)
    file = stopped(cast, script, stage, action=replace(WRONG, arguments={"to": ["a@b.example", "c@d.example"]}))
    check_argument(file, "to / 2nd", failing=True)


def test_evidence_that_does_not_stand_there_is_not_highlighted(cast: Cast, script: Script) -> None:
    false = replace(TO_HOLDS, evidence=(Span("query", 0, 6, "Daniel"),))
    file = stopped(cast, script, StageResult("parameter", (false,), misalignment=Misalignment.PARAMETER))
    assert "a1" not in {ref for piece in file.request.message.pieces for ref in piece.refs}


def test_thousands_of_values_are_bounded_and_the_failing_one_is_kept(cast: Cast, script: Script) -> None:
    last = replace(AMOUNT_FAILS, subject="/k2999", nearest=None)
    stage = StageResult("parameter", (last,), misalignment=Misalignment.PARAMETER)
    values = {f"k{number}": "Daniel" for number in range(3000)}
    arguments = stopped(cast, script, stage, action=replace(WRONG, arguments=values)).arguments
    assert (len(arguments.listed) + arguments.unlisted, arguments.unlisted > 2000) == (3000, True)
    # Templates ask for these for every row: made anew each time, they would cost the square of the rows.
    assert arguments.open is arguments.open
    assert arguments.entry is arguments.entry
    assert arguments.unproven is arguments.unproven
    assert "k2999" in {argument.path for argument in arguments.listed}


CLAIMED = replace(WRONG, claims=(Claim("/amount", "$30"), Claim("/to", step=0, path="/0/email")))
STANDS = Found(Relation.APPEAR_IN, "/to", True, "It stands there.", rule="claims.verified")
STANDS_NOT = Found(Relation.APPEAR_IN, "/amount", None, "It does not stand there.", rule="doubts.false_claim")


def test_an_argument_says_where_the_agent_has_it_from_and_whether_it_stands_there(cast: Cast, script: Script) -> None:
    stage = replace(FAILED, findings=(*FAILED.findings, STANDS, STANDS_NOT))
    file = stopped(cast, script, stage, action=CLAIMED)
    check_argument(file, "to", stated=StatedSource("", "history 1", "/0/email", stands=True))
    check_argument(file, "amount", stated=StatedSource("$30", "", "", stands=False))


def test_a_claim_that_a_proof_outweighs_does_not_stand_there(cast: Cast, script: Script) -> None:
    outweighed = replace(STANDS, rule="claims.outweighed")
    file = stopped(cast, script, replace(FAILED, findings=(*FAILED.findings, outweighed)), action=CLAIMED)
    check_argument(file, "to", stated=StatedSource("", "history 1", "/0/email", stands=False))


def test_a_claim_that_nobody_checked_is_shown_without_a_mark(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, FAILED, action=CLAIMED)
    check_argument(file, "to", stated=StatedSource("", "history 1", "/0/email", stands=None))


def test_an_agent_that_says_nothing_is_shown_saying_nothing(cast: Cast, script: Script) -> None:
    check_argument(stopped(cast, script, FAILED), "to", stated=None)


STANDS_IN_DATA = replace(TO_HOLDS, holds=None, evidence=(FOUND,), grounding=Grounding.COPY)
TAINTED = Found(Relation.UNTAINTED, "history/1/outcome", False, "It gives an order.", evidence=(FOUND,))


@pytest.mark.parametrize(
    ("findings", "is_to_be_rejected"),
    [
        ((STANDS_IN_DATA,), False),
        ((replace(STANDS_IN_DATA, grounding=Grounding.COMPETING),), True),
        ((replace(STANDS_IN_DATA, grounding=Grounding.UNGROUNDED, evidence=()),), True),
        ((replace(STANDS_IN_DATA, nearest=ASKED),), True),
        ((replace(STANDS_IN_DATA, rule="doubts.beside_order"),), True),
        ((STANDS_IN_DATA, TAINTED), True),
        ((replace(STANDS_IN_DATA, holds=True), TAINTED), True),
    ],
)
def test_no_call_with_a_suspect_value_invites_to_approve(
    cast: Cast, script: Script, findings: tuple[Found, ...], *, is_to_be_rejected: bool
) -> None:
    file = stopped(cast, script, StageResult("parameter", findings, undetermined="Nobody could tell."))
    assert file.is_to_be_rejected is is_to_be_rejected
    # A grave call of which anything is open is nobody's suggestion.
    assert file.consequence.grave
    assert not file.invites_to_approve


def test_of_a_mild_call_that_is_only_not_proven_approving_is_suggested(cast: Cast, script: Script) -> None:
    open_question = replace(STANDS_IN_DATA, subject="/label")
    result = StageResult("parameter", (open_question,), undetermined="Nobody could tell.")
    assert stopped(cast, script, result, action=MILD).invites_to_approve


def test_no_value_without_source_is_folded_away(cast: Cast, script: Script) -> None:
    nowhere = replace(STANDS_IN_DATA, grounding=Grounding.UNGROUNDED, evidence=())
    values = {f"k{number}": "Daniel" for number in range(80)}
    found = [replace(nowhere if number % 2 else STANDS_IN_DATA, subject=f"/k{number}") for number in range(80)]
    stage = StageResult("parameter", tuple(found), undetermined="Nobody could tell.")
    arguments = stopped(cast, script, stage, action=replace(WRONG, arguments=values)).arguments
    # And the headline's.
    assert {row.path for row in arguments.open} == {"k0", *(f"k{number}" for number in range(1, 80, 2))}
    assert {row.grounding for row in arguments.unproven} == {"unproven"}


def test_however_many_values_are_open_the_headlines_row_comes_first(cast: Cast, script: Script) -> None:
    nowhere = replace(STANDS_IN_DATA, grounding=Grounding.UNGROUNDED, evidence=())
    # Every sort of row: one that fails, that nothing speaks for, that only is not proven, and that is established.
    for told, holds in ((AMOUNT_FAILS, False), (nowhere, None), (STANDS_IN_DATA, None), (TO_HOLDS, True)):
        found = [replace(nowhere, subject=f"/k{number}") for number in range(30)]
        found[20] = replace(told, subject="/k20", holds=holds, nearest=None)
        # The strongest objection, whatever is known of where the value comes from.
        headline = Found(Relation.CAN_ADDRESS, "/k20", False, "Meant for something else.")
        stage = StageResult("parameter", (*found, headline), misalignment=Misalignment.PARAMETER)
        values = {f"k{number}": "Daniel" for number in range(30)}
        arguments = stopped(cast, script, stage, action=replace(WRONG, arguments=values)).arguments
        assert [row.path for row in arguments.open][:2] == ["k20", "k0"]
        rows = [*arguments.open, *arguments.unproven, *arguments.traced]
        assert sorted(row.number for row in rows) == list(range(1, 31))


def test_of_values_without_end_that_nothing_speaks_for_the_wrong_one_is_listed(cast: Cast, script: Script) -> None:
    nowhere = replace(STANDS_IN_DATA, grounding=Grounding.UNGROUNDED, evidence=())
    found = [replace(nowhere, subject=f"/k{number}") for number in range(200)]
    found[190] = replace(AMOUNT_FAILS, subject="/k190", nearest=None)
    stage = StageResult("parameter", tuple(found), misalignment=Misalignment.PARAMETER)
    values = {f"k{number}": "Daniel" for number in range(200)}
    arguments = stopped(cast, script, stage, action=replace(WRONG, arguments=values)).arguments
    assert arguments.selected
    assert (arguments.selected.path, arguments.open[0].path) == ("k190", "k190")
    assert [row.path for row in arguments.listed] == [f"k{number}" for number in (*range(119), 190)]


def test_of_a_long_path_the_row_shows_the_end(cast: Cast, script: Script) -> None:
    deep: dict[str, object] = {"city": "Berlin"}
    for level in range(20):
        deep = {f"level{level}": deep}
    row = stopped(cast, script, FAILED, action=replace(WRONG, arguments=deep)).arguments.listed[0]
    assert (row.label[0], row.label.endswith(" / level0 / city"), len(row.label)) == ("…", True, 80)
