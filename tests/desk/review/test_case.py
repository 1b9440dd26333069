import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from reviews.desk.review.case.arguments import Quoted, Said
from reviews.desk.review.case.authors import Writer, Writers, writers_of
from reviews.desk.review.case.consequence import consequence_of, gist_of
from reviews.desk.review.case.relation_texts import in_symbols, in_words
from reviews.desk.review.case.sources import unfolded
from reviews.desk.review.case.vocabulary import path_of, place
from reviews.desk.review.page import CaseFile, open_casefile
from reviews.desk.text.highlighting import PieceKind, Tone
from reviews.provenance.core.context import Claim, Context, ProposedAction, SourceKind, Span, Step, ToolDoc
from reviews.provenance.core.findings import Finding as Found
from reviews.provenance.core.findings import Grounding, Interpretation, Misalignment, Relation, StageResult
from tests.cast import CONTEXT, RIGHT, TRANSFER, UNSURE, WRONG, Cast, Script, flagged
from tests.desk.desk import opened
from tests.desk.panel import found, looked, shadowed
from tests.desk.poisoned import span_of

ICONS = Path(settings.BASE_DIR) / "static" / "icons.svg"
AMOUNT_FAILS = Found(
    Relation.DERIVED_FROM,
    "/amount",
    False,
    "The value 300 appears nowhere.",
    grounding=Grounding.UNGROUNDED,
    nearest=Span("query", 5, 8, "$30"),
)
TO_HOLDS = Found(
    Relation.DERIVED_FROM,
    "/to",
    True,
    "One record matches.",
    evidence=(Span("query", 12, 18, "Daniel"),),
    grounding=Grounding.RESOLVE,
)
CONTRADICTED = StageResult(
    "parameter",
    (replace(AMOUNT_FAILS, evidence=(Span("query", 5, 8, "$30"),)),),
    misalignment=Misalignment.PARAMETER,
)
FAILED = StageResult("parameter", (TO_HOLDS, AMOUNT_FAILS), misalignment=Misalignment.PARAMETER)


def stopped(cast: Cast, script: Script, *stages: StageResult, **choices: Any) -> CaseFile:
    script(*stages)
    return opened(flagged(cast, **choices))


def check_argument(file: CaseFile, path: str, **expected: object) -> None:
    argument = next(each for each in file.arguments.listed if each.path == path)
    assert {name: getattr(argument, name) for name in expected} == expected


def check_written(
    file: CaseFile, path: str, *expected: tuple[str, tuple[str, ...]], untrusted_only: bool = False
) -> None:
    """These, and nobody else, wrote what the argument rests on."""
    argument = next(each for each in file.arguments.listed if each.path == path)
    assert tuple((writer.words, writer.places) for writer in argument.writers.listed) == expected
    assert argument.writers.untrusted_only is untrusted_only


def written(*spans: Span, grounding: Grounding = Grounding.COPY, context: Context = CONTEXT) -> Writers:
    return writers_of(context, spans, grounding)


FOUND = span_of("history/1/outcome", "daniel.kim@example.org", CONTEXT)
ASKED = span_of("query", "Daniel", CONTEXT)


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
    check_argument(file, "to", grounding="unknown", failing=False)


def test_a_finding_on_a_list_speaks_for_its_items(cast: Cast, script: Script) -> None:
    people = Found(Relation.DERIVED_FROM, "/to", False, "Nobody said so.", grounding=Grounding.UNGROUNDED)
    stage = StageResult("parameter", (people,), misalignment=Misalignment.PARAMETER)
    file = stopped(cast, script, stage, action=replace(WRONG, arguments={"to": ["a@b.example", "c@d.example"]}))
    check_argument(file, "to / 1", failing=True)


def test_evidence_that_does_not_stand_there_is_not_highlighted(cast: Cast, script: Script) -> None:
    false = replace(TO_HOLDS, evidence=(Span("query", 0, 6, "Daniel"),))
    file = stopped(cast, script, StageResult("parameter", (false,), misalignment=Misalignment.PARAMETER))
    assert "a1" not in {ref for piece in file.query.pieces for ref in piece.refs}


def test_thousands_of_values_are_bounded_and_the_failing_one_is_kept(cast: Cast, script: Script) -> None:
    last = replace(AMOUNT_FAILS, subject="/k2999", nearest=None)
    stage = StageResult("parameter", (last,), misalignment=Misalignment.PARAMETER)
    values = {f"k{number}": "Daniel" for number in range(3000)}
    arguments = stopped(cast, script, stage, action=replace(WRONG, arguments=values)).arguments
    assert (len(arguments.listed) + arguments.unlisted, arguments.unlisted > 2000) == (3000, True)
    assert "k2999" in {argument.path for argument in arguments.listed}


def test_the_failing_relation_is_said_in_words_and_in_symbols(cast: Cast, script: Script) -> None:
    reason = stopped(cast, script, FAILED).main_reason
    assert reason.words == "“amount” has no source"
    assert reason.symbols == "DerivedFrom(amount, e) does not hold"


def test_an_undetermined_check_says_why(cast: Cast, script: Script) -> None:
    reason = stopped(cast, script, UNSURE).main_reason
    assert (reason.settled, reason.rationale) == (False, "The judge gave no usable answer.")


def test_what_is_wrong_is_told_at_once_and_what_nobody_knows_is_folded(cast: Cast, script: Script) -> None:
    unknown = Found(Relation.CAN_ADDRESS, WRONG.tool, None, "The rules cannot tell.")
    both = (replace(TO_HOLDS, holds=False), unknown, AMOUNT_FAILS)
    file = stopped(cast, script, StageResult("parameter", both, misalignment=Misalignment.PARAMETER))
    assert [reason.settled for reason in (*file.main_reasons, *file.folded)] == [True, True, False]
    assert (len(file.main_reasons), file.folded_is_open) == (2, True)


def test_where_no_value_fails_none_is_selected(cast: Cast, script: Script) -> None:
    arguments = stopped(cast, script, StageResult("tool", misalignment=Misalignment.TOOL), action=RIGHT).arguments
    assert (arguments.selected, arguments.entry) == (None, arguments.listed[0])


TAINTED = StageResult("segment", (Found(Relation.UNTAINTED, "history/1/outcome", False, "It gives an order."),))
SAYINGS = [
    (Relation.PERMITTED_BY, "plan", "The plan may serve a harmful end", "PermittedBy(plan, q)"),
    (Relation.PERMITTED_BY, "calls", "What these calls do together may serve a harmful end", "PermittedBy(calls, q)"),
    (Relation.PERMITTED_BY, "wipe", "The tool “wipe” may serve a harmful end", "PermittedBy(wipe, q)"),
    (Relation.CONTRIBUTE_TO, "plan", "The plan does not serve the request", "ContributeTo(p, q)"),
    (Relation.CONTRIBUTE_TO, "Pay", "This step does not serve the request", "ContributeTo(s, q)"),
    (Relation.SATISFIES, "Only Daniel", "The call breaks a condition of the task: “Only Daniel”", "Satisfies(a, i)"),
    (Relation.ENTAILED_BY, "pay", "What can be trusted does not justify the call", "EntailedBy(a, e)"),
]


@pytest.mark.parametrize(("relation", "subject", "sentence", "formula"), SAYINGS)
def test_what_other_methods_find_is_said_in_words_too(
    relation: Relation, subject: str, sentence: str, formula: str
) -> None:
    assert (in_words(relation, subject, False), in_symbols(relation, subject, False)) == (
        sentence,
        f"{formula} does not hold",
    )


@pytest.mark.parametrize("holds", [True, False, None])
@pytest.mark.parametrize("relation", list(Relation))
def test_every_relation_has_its_words(relation: Relation, holds: bool | None) -> None:
    assert re.fullmatch(r"[“A-Z][^{}]+", in_words(relation, "x", holds))
    assert in_symbols(relation, "x", holds).startswith(relation)


def test_text_out_of_place_is_a_note_and_not_the_reason(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, TAINTED, FAILED)
    assert [note.rationale for note in file.notes] == ["It gives an order."]
    assert file.main_reason.words == "“amount” has no source"
    assert not [reason for reason in file.reasons if "out of place" in reason.words]


def test_a_passing_check_leaves_its_note(cast: Cast, script: Script) -> None:
    script(FAILED)
    review = flagged(cast)
    looked(review, "argus", "", found(Relation.UNTAINTED, "history/1/outcome", "It gives an order."))
    file = opened(review)
    assert [note.words for note in file.notes] == ["“history 1” holds text that is out of place"]
    assert [reason.words for reason in file.reasons] == ["“amount” has no source"]


def test_the_detectors_are_counted_and_the_strongest_objection_comes_first(cast: Cast, script: Script) -> None:
    script(FAILED)
    review = flagged(cast)
    looked(review, "argus", "injection", found(Relation.ENTAILED_BY, "pay", "Only the order asks for it."))
    looked(review, "direct-prompt")
    file = opened(review)
    assert file.panel.count == "2 of 3 object"
    assert [(each.check.detector, each.objects) for each in file.panel.verdicts] == [
        ("argus", True), ("provenance-guard", True), ("direct-prompt", False),
    ]  # fmt: skip
    assert (file.misalignment, file.main_reason.rationale) == ("injection", "Only the order asks for it.")


def test_a_verdict_comes_before_none(cast: Cast, script: Script) -> None:
    script(UNSURE)
    review = flagged(cast)
    looked(review, "direct-prompt", "tool", found(Relation.CAN_ADDRESS, "pay", "It cannot.", decided_by="judge"))
    assert [reason.words for reason in opened(review).reasons] == [
        "This call cannot do what the step asks for",
        "The check reached no verdict",
    ]


def test_what_two_detectors_find_is_one_reason(cast: Cast, script: Script) -> None:
    script(FAILED)
    review = flagged(cast)
    looked(review, "argus", "parameter", found(Relation.DERIVED_FROM, "/amount", "Nobody said 300."))
    (reason,) = opened(review).reasons
    assert set(reason.detectors) == {"argus", "provenance-guard"}
    assert {reason.rationale, *reason.also} == {"The value 300 appears nowhere.", "Nobody said 300."}


def test_what_ran_in_shadow_sways_nothing(cast: Cast, script: Script) -> None:
    script(FAILED)
    review = flagged(cast)
    before = opened(review)
    tainted = found(Relation.UNTAINTED, "history/1/outcome", "It gives an order.")
    shadowed(review, "argus", "injection", found(Relation.DERIVED_FROM, "/to", "Injected."), tainted)
    after = opened(review)
    assert (after.reasons, after.notes, after.influence) == (before.reasons, before.notes, before.influence)
    assert [verdict.check.detector for verdict in after.panel.verdicts] == ["provenance-guard"]
    assert [argument.grounding for argument in after.arguments.listed] == [
        argument.grounding for argument in before.arguments.listed
    ]


def test_competing_readings_are_counted(cast: Cast, script: Script) -> None:
    readings = tuple(Interpretation(f"Pay {n}", "money_transfer", {"to": "x", "amount": n}) for n in (1, 2))
    stage = StageResult("interpretation", interpretations=readings, misalignment=Misalignment.INTERPRETATION)
    assert stopped(cast, script, stage).main_reason.words == "The request can be read in 2 ways"


def test_a_review_nobody_checked_still_has_a_reason(cast: Cast) -> None:
    review = flagged(cast)
    assert open_casefile(review, []).main_reason.rationale == review.reason


def test_a_reading_equal_to_the_proposal_says_so(cast: Cast, script: Script) -> None:
    same = Interpretation("As it is", WRONG.tool, dict(WRONG.arguments))
    stage = StageResult("interpretation", interpretations=(same,), misalignment=Misalignment.INTERPRETATION)
    assert [reading.is_proposed for reading in stopped(cast, script, stage).readings] == [True]


def test_a_reading_shows_what_sets_it_apart(cast: Cast, script: Script) -> None:
    other = Interpretation("Thirty", WRONG.tool, {**WRONG.arguments, "amount": 30})
    stage = StageResult("interpretation", interpretations=(other,), misalignment=Misalignment.INTERPRETATION)
    values = stopped(cast, script, stage).readings[0].values
    assert [(value.path, value.text, value.differs) for value in values] == [("amount", "30", True)]


def test_steps_with_evidence_are_open_and_others_folded_in_a_long_history(cast: Cast, script: Script) -> None:
    history = tuple(Step("search_contacts", {"page": n}, f"nothing {n}") for n in range(11))
    context = replace(CONTEXT, history=(*history, *CONTEXT.history))
    pointed = replace(TO_HOLDS, evidence=(Span("history/12/outcome", 1, 7, '{"name'[:6]),))
    stage = StageResult("parameter", (pointed,), misalignment=Misalignment.PARAMETER)
    file = stopped(cast, script, stage, context=context)
    assert [entry.position for entry in file.history if entry.is_open] == [12]


def test_a_tool_nobody_documents_has_no_document(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, FAILED, action=replace(WRONG, tool="wipe_disk"))
    assert (file.tool, "money_transfer" in file.offered) == (None, True)


def test_a_folded_stretch_unfolds_in_chunks(cast: Cast, script: Script) -> None:
    context = replace(CONTEXT, history=(Step("search_contacts", {}, "x" * 100_000),))
    file = stopped(cast, script, FAILED, context=context)
    arguments = file.action.arguments
    pieces = unfolded(file.case.context, arguments, file.evidence, source="history/1/outcome", start=500, end=90_000)
    assert [piece.kind for piece in pieces] == [PieceKind.TEXT, PieceKind.GAP]
    assert pieces[-1].end == 90_000


@pytest.mark.parametrize(
    "words", ["cannot be undone", "This is irreversible.", "Deletes it permanently", "can't be undone"]
)
def test_a_document_that_says_so_makes_the_call_final(cast: Cast, words: str) -> None:
    action = flagged(cast).action
    assert consequence_of(action, ToolDoc("x", words)).cannot_be_undone


def test_a_document_that_is_silent_does_not(cast: Cast) -> None:
    assert not consequence_of(flagged(cast).action, ToolDoc("x", "Sends a message.")).cannot_be_undone


@pytest.mark.parametrize(
    ("arguments", "gist"),
    [
        ({"amount": 30, "to": "Daniel"}, "pay 30 to Daniel"),
        ({"path": "/tmp/x"}, "pay /tmp/x"),
        ({"nested": {"to": "x"}}, "pay"),
        ({}, "pay"),
    ],
)
def test_the_gist_names_what_is_obvious(arguments: dict[str, Any], gist: str) -> None:
    assert gist_of("pay", arguments) == gist


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("query", "request"),
        ("history/2/outcome", "history 2"),
        ("history/2/call", "call 2"),
        ("tool/x", "tool document"),
    ],
)
def test_a_source_is_named_as_the_page_names_it(source: str, where: str) -> None:
    assert place(source) == where


def test_a_submitted_source_keeps_its_name() -> None:
    assert place("source/a/b") == "a/b"


def test_a_pointer_reads_as_a_path() -> None:
    assert path_of("/items/0/a~1b") == "items / 0 / a/b"


def test_a_context_without_history_is_fine(cast: Cast, script: Script) -> None:
    context = Context("Pay 300", (TRANSFER,))
    action = ProposedAction("money_transfer", {"to": "x", "amount": 300})
    file = stopped(cast, script, StageResult("tool", misalignment=Misalignment.TOOL), context=context, action=action)
    assert (file.history, file.query.kind) == ([], SourceKind.USER_QUERY)


CLAIMED = replace(WRONG, claims=(Claim("/amount", "$30"), Claim("/to", step=0, path="/0/email")))
STANDS = Found(Relation.APPEAR_IN, "/to", True, "It stands there.", rule="claims.verified")
STANDS_NOT = Found(Relation.APPEAR_IN, "/amount", None, "It does not stand there.", rule="doubts.false_claim")


def test_an_argument_says_where_the_agent_has_it_from_and_whether_it_stands_there(cast: Cast, script: Script) -> None:
    stage = replace(FAILED, findings=(*FAILED.findings, STANDS, STANDS_NOT))
    file = stopped(cast, script, stage, action=CLAIMED)
    check_argument(file, "to", said=Said("", "history 1", "/0/email", stands=True))
    check_argument(file, "amount", said=Said("$30", "", "", stands=False))


def test_a_claim_that_a_proof_outweighs_does_not_stand_there(cast: Cast, script: Script) -> None:
    outweighed = replace(STANDS, rule="claims.outweighed")
    file = stopped(cast, script, replace(FAILED, findings=(*FAILED.findings, outweighed)), action=CLAIMED)
    check_argument(file, "to", said=Said("", "history 1", "/0/email", stands=False))


def test_a_claim_that_nobody_checked_is_shown_without_a_mark(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, FAILED, action=CLAIMED)
    check_argument(file, "to", said=Said("", "history 1", "/0/email", stands=None))


def test_an_agent_that_says_nothing_is_shown_saying_nothing(cast: Cast, script: Script) -> None:
    check_argument(stopped(cast, script, FAILED), "to", said=None)


def test_a_false_claim_is_told_as_one_and_not_as_something_nobody_knows(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, replace(FAILED, findings=(*FAILED.findings, STANDS_NOT)), action=CLAIMED)
    assert "“amount” does not stand where the agent says" in [reason.words for reason in file.reasons]
