import re
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prov.model import ProvDocument

from reviews.decisions import decide, executions, expiry_and_cancellation
from reviews.models import Action, GuardProfile, Interpretation, OnUnknown, OutcomeStatus, Review, Role
from reviews.provenance.core.context import Claim, Context, Message, NamedText, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.findings import Finding as Found
from reviews.provenance.core.findings import Misalignment, Relation, StageResult
from reviews.provenance.core.trust import SourceKind
from reviews.tasks import suspend_rules
from tests.cast import CONTEXT, PASSED, REJECTED, RIGHT, UNCLEAR, WRONG, Cast, Script, flagged, propose
from tests.desk.desk import HTMX, INLINE, Desk, at, held, waiting
from tests.lab.judged_rules import judged

MEGABYTE = 1024 * 1024
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202e{{ 7|add:7 }}"


def stand(desk: Desk, review: Review) -> str:
    """What the page says about where the item stands."""
    found = re.search(r'data-stand="([\w-]+)"', desk.shows(at(review)))
    assert found
    return found[1]


def hostile_context() -> Context:
    document = ToolDoc(HOSTILE, HOSTILE, {"type": "object", "properties": {HOSTILE: {"description": HOSTILE}}})
    return Context(
        query=HOSTILE,
        tools=(document,),
        history=(Step(HOSTILE, {HOSTILE: HOSTILE}, HOSTILE + "x" * MEGABYTE, HOSTILE), Message("user", HOSTILE)),
        extra=(NamedText(SourceKind.RETRIEVED, HOSTILE, "y" * MEGABYTE),),
    )


def test_the_page_says_what_the_agent_wants_and_why_it_stopped(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    desk.shows(
        at(flagged(cast)),
        "money_transfer",
        "“amount” has no source",
        "DerivedFrom(amount, e) does not hold",
        "no source",
    )


def test_the_approval_says_what_it_does(cast: Cast, desk: Desk) -> None:
    desk.shows(at(flagged(cast)), "Approve and <bdi>send 300 to daniel.kin@example.org</bdi>")


def test_a_long_call_says_how_many_values_it_has_though_most_are_folded(cast: Cast, desk: Desk) -> None:
    few, many = ({**WRONG.arguments, **{f"k{number}": "Daniel" for number in range(count)}} for count in (3, 30))
    assert "values</span>" not in desk.shows(at(flagged(cast, replace(WRONG, arguments=few))))
    desk.shows(at(flagged(cast, replace(WRONG, arguments=many), trace_id="many")), "32 values</span>")


def test_the_filled_button_rejects_where_something_speaks_against_a_value(cast: Cast, desk: Desk) -> None:
    body = desk.shows(at(flagged(cast)))
    assert re.search(r'class="btn btn--danger"\s+id="approve"', body)
    assert re.search(r'<summary class="btn btn--primary"\s+data-key="r"', body)


def test_a_call_that_cannot_be_undone_looks_different(cast: Cast, desk: Desk) -> None:
    page = desk.shows(at(flagged(cast)), "cannot be undone", "call--grave", "verdict--grave")
    assert "may change something" not in page


def test_a_harmless_call_does_not(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    mild = ToolDoc("update_note", "Updates a note.")
    review = flagged(cast, ProposedAction("update_note", {}), context=replace(CONTEXT, tools=(mild,)), risk="low")
    desk.lacks(at(review), "cannot be undone", "call--grave", "verdict--grave")
    # Nobody whom the workspace believes says that it only reads, nor does anybody say that it does more.
    desk.shows(at(review), "may change something")


def test_the_question_and_the_history_are_on_the_table(cast: Cast, desk: Desk) -> None:
    desk.shows(at(flagged(cast)), "The user asked", "search_contacts", "Daniel Kim")


def test_the_clock_is_told_with_the_source_that_says_it(cast: Cast, desk: Desk) -> None:
    prompt = NamedText(SourceKind.SYSTEM_PROMPT, "house", "The current date is 2026-03-09.")
    review = flagged(cast, context=replace(CONTEXT, extra=(prompt,), now=None))
    desk.shows(at(review), "“Now” is Mon 9 Mar 2026, 00:00 UTC, as <bdi>“house”</bdi> says.")


def test_a_retry_tells_the_users_words_from_a_reviewers(cast: Cast, desk: Desk) -> None:
    said = NamedText(SourceKind.REVIEWER, "feedback 1", "Only half of it.")
    page = desk.shows(at(flagged(cast, context=replace(CONTEXT, extra=(said,)))), "The user asked", "A reviewer said")
    assert page.index("<blockquote") < page.index("A reviewer said") < page.index("Only half of it.")
    assert page.count("Only half of it.") == 1


def test_marked_text_reads_as_it_was_written(cast: Cast, desk: Desk, script: Script) -> None:
    found = (Span("query", 5, 8, "$30"), Span("query", 5, 18, "$30 to Daniel"))
    finding = Found(Relation.DERIVED_FROM, "/to", True, "Said so.", evidence=found)
    script(StageResult("parameter", (finding,), misalignment=Misalignment.PARAMETER))
    written = re.search(r"<blockquote.*?</blockquote>", desk.shows(at(flagged(cast))), re.S)
    assert written
    without_numbers = re.sub(r"<sup.*?</sup>", "", written[0])
    assert re.sub(r"<[^>]*>", "", without_numbers).strip() == CONTEXT.query


def test_readings_are_one_key_away(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    desk.shows(at(flagged(cast)), "Send 30", 'data-key="1"')


def test_every_decision_has_its_key(cast: Cast, desk: Desk) -> None:
    desk.shows(at(flagged(cast)), *(f'data-key="{key}"' for key in "aeqrsxub"))


def test_the_neighbours_in_the_queue_are_one_key_away(cast: Cast, desk: Desk) -> None:
    first, second, third = waiting(cast), waiting(cast), waiting(cast)
    desk.shows(at(second), f'href="{at(third)}"', f'href="{at(first)}"', "2 of 3")


def test_opening_an_item_changes_nothing(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    desk.shows(at(review))
    review.refresh_from_db()
    assert review.claimed_by is None


def test_a_free_item_is_shown_as_free(cast: Cast, desk: Desk) -> None:
    assert stand(desk, flagged(cast)) == "free"


def test_an_item_another_holds_is_to_be_read(cast: Cast, desk: Desk) -> None:
    desk.shows(at(held(flagged(cast), cast.other_reviewer)), "rob", "is looking at this item", 'data-decidable="no"')


def test_to_an_annotator_no_item_exists_whose_label_would_follow_the_guards(cast: Cast) -> None:
    review = flagged(cast)
    for path in ("", "provenance", "source"):
        Desk.of(cast.annotator).shows(at(review, *filter(None, [path])), status=HTTPStatus.NOT_FOUND)


def test_an_expired_item_says_so_before_any_sweep(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    Action.objects.filter(pk=review.action_id).update(expires_at=timezone.now() - timedelta(seconds=1))
    desk.shows(at(review), "Expired", "not that it was rejected")


def test_a_cancelled_item_says_so(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    expiry_and_cancellation.cancel_action(action=review.action, agent_key=cast.agent)
    desk.shows(at(review), "Cancelled")


def test_a_decided_item_says_who_decided_what(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Reject("Only $30."), membership=cast.other_reviewer)
    desk.shows(at(review), "rejected", "rob", "Only $30.", "labelled misaligned")


def test_a_decided_item_says_what_came_of_it(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Approve(), membership=cast.reviewer)
    executions.start_execution(action=review.action, agent_key=cast.agent)
    executions.report_outcome(action=review.action, status=OutcomeStatus.SUCCEEDED, outcome="Sent $300.")
    desk.shows(at(review), "approved", "succeeded", "Sent $300.")


def test_the_page_of_another_workspace_does_not_exist(cast: Cast) -> None:
    Desk.of(cast.outsider).shows(at(flagged(cast)), status=HTTPStatus.NOT_FOUND)


@pytest.mark.parametrize("path", ["decide", "preview-edit", "claim", "release", "snooze", "escalate"])
def test_nothing_of_another_workspace_can_be_touched(cast: Cast, path: str) -> None:
    Desk.of(cast.outsider).sends(at(flagged(cast), path), outcome="approve", status=HTTPStatus.NOT_FOUND)


@pytest.mark.parametrize("path", ["decide", "preview-edit", "claim", "release", "snooze", "escalate"])
def test_nothing_changes_by_following_a_link(cast: Cast, desk: Desk, path: str) -> None:
    assert desk.client.get(at(flagged(cast), path)).status_code == HTTPStatus.METHOD_NOT_ALLOWED


def test_a_reading_prefills_the_edit(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    review = flagged(cast)
    reading = Interpretation.objects.get()
    desk.shows(f"{at(review)}?edit=1&reading={reading.pk}", "&quot;amount&quot;: 30\n", str(reading.pk))


def test_an_edit_points_at_the_value_to_type_over(cast: Cast, desk: Desk) -> None:
    def opened_editor(query: str) -> str:
        body: str = desk.client.get(f"{at(review)}?edit=1&at=/amount{query}", headers=HTMX).content.decode()
        assert "<html" not in body
        return body

    review = flagged(cast)
    assert re.search(r'data-pointer="/amount"\s+data-starts', opened_editor(""))
    assert re.search(r'data-start="\d+" data-end="[1-9]\d*"', opened_editor("&shown=json"))


def test_who_wrote_a_value_stands_beside_it(cast: Cast, desk: Desk) -> None:
    GuardProfile.objects.update(on_unknown=OnUnknown.REVIEW)
    desk.shows(at(flagged(cast, RIGHT, context=UNCLEAR)), "user&#x27;s words", "tool output")


def test_the_provenance_is_a_file_to_keep(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    desk.shows(at(review), f'href="{at(review, "provenance")}"')
    response = desk.client.get(at(review, "provenance"))
    assert response["Content-Disposition"] == f'attachment; filename="provenance-{review.action_id}.json"'
    assert ProvDocument.deserialize(content=response.content, format="json").get_records()


def test_reviewers_and_administrators_may_keep_it(cast: Cast) -> None:
    path = at(flagged(cast), "provenance")
    assert all(Desk.of(member).shows(path, "action:proposal") for member in (cast.reviewer, cast.admin))


def test_nobody_else_may(cast: Cast, stranger: Client) -> None:
    path = at(flagged(cast), "provenance")
    Desk.of(cast.outsider).shows(path, status=HTTPStatus.NOT_FOUND)
    assert stranger.get(path).status_code == HTTPStatus.FOUND


def test_hostile_text_makes_a_valid_record(cast: Cast, desk: Desk, script: Script) -> None:
    script(StageResult("tool", misalignment=Misalignment.TOOL))
    action = replace(WRONG, tool=HOSTILE, arguments={HOSTILE: HOSTILE}, subtask=HOSTILE)
    review = flagged(cast, action, context=hostile_context(), trace_id=HOSTILE)
    response = desk.client.get(at(review, "provenance"))
    assert ProvDocument.deserialize(content=response.content, format="json").get_records()
    assert response.content.isascii()


def test_a_folded_text_can_be_unfolded(cast: Cast, desk: Desk) -> None:
    context = replace(CONTEXT, history=(*CONTEXT.history, Step("search_contacts", {}, "x" * 5000 + "THE END")))
    review = flagged(cast, context=context)
    desk.lacks(at(review), "THE END")
    desk.shows(f"{at(review, 'source')}?source=history/2/outcome&start=480&end=5007", "THE END")


@pytest.mark.parametrize("address", ["source=nothing&start=0&end=1", "source=query&start=-1&end=1", "source=query"])
def test_a_stretch_that_is_not_there_is_not_found(cast: Cast, desk: Desk, address: str) -> None:
    desk.shows(f"{at(flagged(cast), 'source')}?{address}", status=HTTPStatus.NOT_FOUND)


def test_hostile_text_is_harmless_and_bounded(cast: Cast, desk: Desk, script: Script) -> None:
    script(StageResult("tool", misalignment=Misalignment.TOOL))
    action = replace(WRONG, tool=HOSTILE, arguments={HOSTILE: HOSTILE, "long": "z" * 200_000}, subtask=HOSTILE * 50)
    body = desk.shows(at(flagged(cast, action, context=hostile_context(), trace_id=HOSTILE)), "⟦U+202E⟧")
    assert "<script>alert" not in body
    assert "<img src=x" not in body
    assert "\u202e" not in re.sub(r"<option.*?</option>|data-pointer=\"[^\"]*\"", "", body, flags=re.S)
    assert len(body) < 200_000


def test_the_page_has_no_inline_script_or_style(cast: Cast, desk: Desk, script: Script) -> None:
    script(PASSED, REJECTED)
    assert INLINE.findall(desk.shows(f"{at(flagged(cast))}?edit=1")) == []


def test_the_page_asks_few_questions(
    cast: Cast, desk: Desk, script: Script, django_assert_max_num_queries: Any
) -> None:
    script(PASSED, REJECTED)
    review = flagged(cast)
    with django_assert_max_num_queries(26):
        desk.shows(at(review))


def test_a_finding_stands_with_how_often_its_rule_was_upheld(cast: Cast, desk: Desk) -> None:
    judged(cast, upheld=2, overruled=1)
    review = flagged(cast, trace_id="after")
    assert "times here" not in desk.shows(at(review))
    suspend_rules()
    desk.shows(at(review), "Upheld 2 of 3 times here.")


def test_reviewers_and_administrators_see_the_page(cast: Cast) -> None:
    review = flagged(cast)
    members = {Role.REVIEWER: cast.reviewer, Role.ADMIN: cast.admin}
    assert all("The agent wants to" in Desk.of(member).shows(at(review)) for member in members.values())


def test_an_unchecked_action_has_no_page(cast: Cast, desk: Desk) -> None:
    action = propose(cast)
    desk.shows(f"/reviews/{action.pk}", status=HTTPStatus.NOT_FOUND)


def test_the_page_shows_the_agents_word_beside_the_evidence(cast: Cast, desk: Desk, script: Script) -> None:
    stands = Found(Relation.APPEAR_IN, "/to", True, "It does.", rule="claims.verified")
    stands_not = Found(Relation.APPEAR_IN, "/amount", None, "It does not.", rule="doubts.false_claim")
    script(StageResult("parameter", (stands, stands_not), misalignment=Misalignment.PARAMETER))
    said = (Claim("/amount", "I owe him"), Claim("/to", step=0, path="/0/email"))
    desk.shows(
        at(flagged(cast, replace(WRONG, claims=said))),
        "The agent says:",
        "I owe him",
        "✗ does not stand there",
        "/0/email",
        "✓ stands there",
    )


def test_a_page_without_claims_shows_none(cast: Cast, desk: Desk) -> None:
    desk.lacks(at(flagged(cast)), "The agent says:")


def test_a_hostile_claim_is_shown_as_text(cast: Cast, desk: Desk) -> None:
    claims = (Claim("/amount", HOSTILE), Claim("/to", HOSTILE, HOSTILE))
    page = desk.shows(at(flagged(cast, replace(WRONG, claims=claims))), "The agent says:", "&lt;script&gt;")
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_a_page_without_a_users_request_opens(cast: Cast, desk: Desk) -> None:
    desk.shows(at(flagged(cast, context=replace(CONTEXT, query=""))), "money_transfer")


def test_a_rule_that_nobody_has_judged_has_no_record(cast: Cast, desk: Desk) -> None:
    review = flagged(cast)
    # Counted and published: it decided once, and no person has said whether rightly.
    suspend_rules()
    assert "times here" not in desk.shows(at(review))
