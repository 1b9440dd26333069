from dataclasses import replace
from typing import Any

import pytest

from reviews.desk.review.case.consequence import weigh_consequence, word_deed
from reviews.desk.review.case.sources import unfold_text
from reviews.desk.review.case.vocabulary import name_path, name_place
from reviews.desk.text.gist import gist_of
from reviews.desk.text.highlighting import PieceKind
from reviews.provenance.core.context import Context, JsonValue, Message, NamedText, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.findings import Misalignment, StageResult
from reviews.provenance.core.trust import SourceKind
from tests.cast import CONTEXT, TRANSFER, WRONG, Cast, Script, flagged
from tests.desk.review.findings import FAILED, TO_HOLDS, stopped


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
    pieces = unfold_text(file.case.context, arguments, file.evidence, source="history/1/outcome", start=500, end=90_000)
    assert [piece.kind for piece in pieces] == [PieceKind.TEXT, PieceKind.GAP]
    assert pieces[-1].end == 90_000


@pytest.mark.parametrize(
    "words", ["cannot be undone", "This is irreversible.", "Deletes it permanently", "can't be undone"]
)
def test_a_document_that_says_so_makes_the_call_final(cast: Cast, words: str) -> None:
    action = flagged(cast).action
    assert weigh_consequence(action, ToolDoc("x", words), injected=False, refuted=False).cannot_be_undone


def test_a_document_that_is_silent_does_not(cast: Cast) -> None:
    mild = ToolDoc("x", "Sends a message.")
    assert not weigh_consequence(flagged(cast).action, mild, injected=False, refuted=False).cannot_be_undone


_FIRST_OF_NINE = "~/Downloads/setup-0-of-the-office.msi and 8 more"


@pytest.mark.parametrize(
    ("arguments", "gist"),
    [
        ({"amount": 30, "to": "Daniel"}, "pay 30 to Daniel"),
        ({"amount": 80, "currency": "EUR", "iban": "DE68 2105"}, "pay 80 · DE68 2105"),
        ({"amount": 80, "to_account": 12}, "pay 80 to 12"),
        ({"amount": 80, "reference": "May rent", "iban": "DE68 2105"}, "pay 80 · DE68 2105"),
        ({"amount": 80, "from_currency": "EUR", "to_currency": "CHF", "note": "lunch"}, "pay 80 · lunch"),
        ({"path": "/tmp/x"}, "pay /tmp/x"),
        ({"to": ["ann@example.org", "bob@example.org"]}, "pay to ann@example.org, bob@example.org"),
        ({"to": "ann@example.org", "cc": ["spy@example.net"]}, "pay to ann@example.org cc spy@example.net"),
        ({"bcc": "spy@example.net", "id": "m-1"}, "pay m-1 bcc spy@example.net"),
        ({"paths": [f"~/Downloads/setup-{n}-of-the-office.msi" for n in range(9)]}, f"pay {_FIRST_OF_NINE}"),
        ({"ids": list(range(1_000, 1_040))}, "pay 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007 and 32 more"),
        ({"flags": {}, "command": "rm -rf /srv/data"}, "pay rm -rf /srv/data"),
        ({"recursive": True, "timeout": 120000, "command": "rm -rf /srv"}, "pay rm -rf /srv"),
        ({"id": " ", "to": "  ", "recipient": "x@example.org"}, "pay to x@example.org"),
        ({"amount": 80, "currency": "EUR"}, "pay 80"),
        ({"enabled": True, "timeout": 30}, "pay 30"),
        ({"nested": {"to": "x"}}, "pay"),
        ({}, "pay"),
    ],
)
def test_the_gist_names_what_is_obvious(arguments: dict[str, Any], gist: str) -> None:
    assert gist_of("pay", arguments) == gist


@pytest.mark.parametrize(
    "name", ["to_account", "destinationAccount", "recipient-iban", "beneficiary", "payee_ids", "receiver_wallet"]
)
def test_the_recipient_is_told_by_the_words_of_its_name_and_never_the_payer(name: str) -> None:
    arguments: dict[str, JsonValue] = {"amount": 80, "from_account": "DE89 3704", "user": "ann", name: "PT50 0002"}
    assert gist_of("pay", arguments) == "pay 80 to PT50 0002"


@pytest.mark.parametrize("name", ["from_account", "sourceAccount", "sender", "payer_iban", "debtor_name"])
def test_where_it_comes_from_is_not_read_as_where_it_goes(name: str) -> None:
    assert gist_of("pay", {"amount": 80, name: "DE89 3704", "credit_to": "PT50 0002"}) == "pay 80 · PT50 0002"


def test_an_account_says_more_of_the_recipient_than_a_name() -> None:
    assert gist_of("pay", {"beneficiary_name": "Ann", "beneficiary_iban": "PT50"}) == "pay to PT50"


@pytest.mark.parametrize(
    ("arguments", "deed"),
    [
        ({"amount": 64.4, "currency": "SEK", "to": "Irma"}, "send 64.40 SEK to Irma"),
        ({"amount": 30000, "ccy": "JPY", "account": "765432"}, "send 30000 JPY · 765432"),
        ({"amount": 30, "currency_code": "usd"}, "send $30"),
        ({"amount": 30, "from_currency": "EUR", "to_currency": "CHF", "iban": "DE68"}, "send 30 · DE68"),
        ({"amount": 30, "scope": "ALL", "iban": "DE68"}, "send 30 · DE68"),
        ({"amount": 30, "iban": "DE68"}, "send 30 · DE68"),
        ({"currency": "EUR", "iban": "DE68"}, "run bank_transfer DE68"),
    ],
)
def test_the_deed_tells_the_amount_in_the_currency_that_the_call_names(arguments: dict[str, Any], deed: str) -> None:
    assert word_deed("bank_transfer", arguments) == deed


def test_what_the_tool_works_on_says_more_than_why() -> None:
    assert gist_of("block_card", {"reason": "stolen", "card_id": "c2"}) == "block_card c2"
    assert gist_of("update_order_status", {"status": "done", "order_id": 7}) == "update_order_status 7"
    assert gist_of("set_status", {"status": "done", "ticket": "T-1"}) == "set_status done"


def test_what_lets_somebody_in_is_not_shown_at_a_glance() -> None:
    arguments: dict[str, JsonValue] = {"token": "p9o8i7u6y5", "access_token": "q1w2", "time": "2026-03-24 09:00"}
    assert gist_of("move_alarm", arguments) == "move_alarm 2026-03-24 09:00"
    assert gist_of("change_password", {"new_password": "hunter22"}) == "change_password"


@pytest.mark.parametrize(("tool", "deed"), [("bash", "run bash rm -rf /srv"), ("wipe_disk", "wipe disk rm -rf /srv")])
def test_the_name_of_a_shell_is_no_verb(tool: str, deed: str) -> None:
    assert word_deed(tool, {"command": "rm -rf /srv"}) == deed


def test_a_mild_deed_tells_the_currency_too(cast: Cast) -> None:
    action = flagged(cast).action
    action.tool, action.arguments = "note_price", {"price": 30, "currency": "CHF"}
    consequence = weigh_consequence(action, ToolDoc("note_price", "Notes."), injected=False, refuted=False)
    assert consequence.deed == "run note_price 30 CHF"


@pytest.mark.parametrize(
    ("source", "where"),
    [
        ("query", "request"),
        ("history/2/outcome", "history 2"),
        ("history/2/call", "call 2"),
        ("tool/x", "tool document"),
        ("feedback/2", "reviewer's words"),
    ],
)
def test_a_source_is_named_as_the_page_names_it(source: str, where: str) -> None:
    assert name_place(source) == where


def test_a_submitted_source_keeps_its_name() -> None:
    assert name_place("source/a/b") == "a/b"


def test_a_pointer_reads_as_a_path() -> None:
    call: dict[str, JsonValue] = {"items": [{"a/b": 1}, {"2026": 2}]}
    assert name_path("/items/0/a~1b", call) == "items / 1st / a/b"
    # A key of digits is no position.
    assert name_path("/items/1/2026", call) == "items / 2nd / 2026"


def test_a_context_without_history_is_fine(cast: Cast, script: Script) -> None:
    context = Context("Pay 300", (TRANSFER,))
    action = ProposedAction("money_transfer", {"to": "x", "amount": 300})
    file = stopped(cast, script, StageResult("tool", misalignment=Misalignment.TOOL), context=context, action=action)
    assert (file.history, file.request.message.kind) == ([], SourceKind.USER_QUERY)


SENT_BACK = (NamedText(SourceKind.REVIEWER, "feedback 1", "Only $30."), NamedText(SourceKind.REVIEWER, "2", "Not Kim."))


def test_a_retry_shows_the_request_and_below_it_what_reviewers_said(cast: Cast, script: Script) -> None:
    file = stopped(cast, script, FAILED, context=replace(CONTEXT, extra=SENT_BACK))
    assert (file.request.message.source, file.request.place, file.request.earlier) == ("query", "", [])
    assert [said.source for said in file.request.reviewers] == ["feedback/1", "feedback/2"]
    assert [other.source for other in file.other_sources] == []


def test_a_retry_in_a_conversation_shows_the_message_that_asks(cast: Cast, script: Script) -> None:
    context = replace(CONTEXT, history=(*CONTEXT.history, Message("user", "Send him $30 now.")), extra=SENT_BACK)
    file = stopped(cast, script, FAILED, context=context)
    assert (file.request.message.source, file.request.place) == ("history/2/message", "message 2")
    assert [message.source for message in file.request.earlier] == ["query"]


def test_what_a_tool_returned_is_shown_by_its_letters_and_nothing_else_is(cast: Cast, script: Script) -> None:
    contact = '{"name": "Max M\\u00fcller"}'
    context = replace(CONTEXT, history=(Step("search_contacts", {}, contact), Message("assistant", contact)))
    file = stopped(cast, script, FAILED, context=context)
    returned, said = (entry.outcome for entry in file.history)
    assert returned is not None
    assert said is not None
    assert ["Müller" in "".join(piece.text for piece in part.pieces) for part in (returned, said)] == [True, False]
    assert "Müller" in file.history[0].preview
    unfolded = unfold_text(
        file.case.context, file.action.arguments, file.evidence, source="history/1/outcome", start=0, end=99
    )
    assert "Müller" in unfolded[0].text
