import re
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.annotation import answers
from reviews.annotation.custom_questions import parse_questions
from reviews.annotation.schema import Answer
from reviews.decisions import decide
from reviews.models import Adjudication, Annotation, Campaign, Membership, Role
from reviews.workspaces import members
from tests.annotation.study import ALIGNED, MISALIGNED, Study, dataset_of, study
from tests.cast import Cast, flagged
from tests.datasets.collections import line, load, write_lines
from tests.desk.annotate.test_annotator_views import at
from tests.desk.desk import INLINE, Desk


def answered(cast: Cast) -> Study:
    """Two people, three items, one about which they differ."""
    running = study(cast)
    for answer in (MISALIGNED, ALIGNED, ALIGNED):
        running.given(0, answer, flagged=answer is MISALIGNED)
    for _ in range(3):
        running.given(1)
    return running


def disputed(running: Study) -> str:
    item = running.campaign.annotations.get(judgement="misaligned").item_id
    return at(running, "adjudicate", item)


def test_a_campaign_over_decided_calls_is_opened(cast: Cast, admin_desk: Desk) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Reject("No."), membership=cast.reviewer)
    admin_desk.shows("/campaigns/new", "anna", "Calls that people decided")
    admin_desk.sends(
        "/campaigns/new", "Round 1", "of 1 answers", name="Round 1", source="decided", most=10, per_item=1,
        annotators=cast.annotator.pk, questions=["type", "step"],
    )  # fmt: skip
    campaign = Campaign.objects.get()
    assert (campaign.questions, campaign.assignments.count()) == (["type", "step"], 1)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({}, 'id="id_source_error"'),
        ({"name": ""}, "Give the campaign a name."),
        ({"annotators": []}, "Choose who answers."),
        ({"per_item": 2}, "need 2 people"),
    ],
)
def test_a_campaign_that_cannot_be_opened_says_why(
    cast: Cast, admin_desk: Desk, form: dict[str, Any], says: str
) -> None:
    sent = {"name": "R", "source": "decided", "most": 5, "per_item": 1, "annotators": cast.annotator.pk, **form}
    admin_desk.sends("/campaigns/new", says, status=HTTPStatus.UNPROCESSABLE_ENTITY, **sent)
    assert not Campaign.objects.exists()


def test_a_datasets_page_leads_to_a_campaign_over_it(cast: Cast, admin_desk: Desk) -> None:
    dataset = dataset_of(cast, 1)
    link = f"/campaigns/new?source={dataset.pk}"
    admin_desk.shows(f"/datasets/{dataset.pk}", link)
    admin_desk.shows(link, f'<option value="{dataset.pk}" selected>', "Judge by what stands in the conversation")


def test_the_page_tells_progress_agreement_hard_items_and_what_is_to_settle(cast: Cast, admin_desk: Desk) -> None:
    running = answered(cast)
    admin_desk.shows(
        at(running), "First round", "of 6 answers", "annotator-1", "Krippendorff", "AC1", "Hard items", "To settle",
        "1 item about which people differ", disputed(running), "flagged by 1",
    )  # fmt: skip


def test_each_row_tells_what_its_call_does_it_with_by_one_query_for_all(
    cast: Cast, admin_desk: Desk, tmp_path: Path
) -> None:
    running = study(cast, dataset=load(cast, write_lines(tmp_path / "calls.jsonl", map(line, range(3)))).dataset)
    for answer in (MISALIGNED, ALIGNED, ALIGNED):
        running.given(0, answer, flagged=answer is MISALIGNED)
    counts = []
    for _ in range(3):
        running.given(1, MISALIGNED)
        with CaptureQueriesContext(connection) as queries:
            page = admin_desk.shows(at(running))
        counts.append(len(queries))
    # Among the hard items, and either to settle or flagged.
    for number in range(3):
        assert page.count(f"to ann{number}@example.org") == 2
    assert counts[1] == counts[2]


def test_uneven_answers_are_pointed_out(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.shows(at(answered(cast)), "83 % of all answers", "read AC1")


def test_a_campaign_is_paused_resumed_and_closed(cast: Cast, admin_desk: Desk) -> None:
    running = study(cast)
    for move, state in (("pause", "paused"), ("resume", "running"), ("close", "closed")):
        admin_desk.sends(at(running, "move"), move=move)
        running.campaign.refresh_from_db()
        assert running.campaign.state == state
    admin_desk.sends(at(running, "move"), "is closed", move="resume")
    admin_desk.sends(at(running, "move"), status=HTTPStatus.NOT_FOUND, move="explode")


def test_items_are_put_aside(cast: Cast, admin_desk: Desk) -> None:
    running = study(cast)
    person = running.campaign.annotators.get(user=cast.annotator.user)
    admin_desk.sends(at(running, "reserve"), "2 items are put aside for anna", annotator=person.pk, most=2)
    admin_desk.sends(at(running, "reserve"), "Choose a person", annotator=person.pk, most="many")
    assert running.campaign.assignments.filter(reserved=True).count() == 2


def test_who_answers_no_more_is_told_apart_and_is_given_nothing(cast: Cast, admin_desk: Desk) -> None:
    running = study(cast)
    gone, other = (running.campaign.annotators.get(user=member.user) for member in running.people)
    members.remove_member(member=running.people[0], membership=cast.admin)
    page = admin_desk.shows(at(running), "answers no more", "anna (answers no more)")
    # Theirs can be given on, and that alone.
    assert page.count(f'<option value="{gone.pk}">') == 1
    assert page.count(f'<option value="{other.pk}">') == 3
    admin_desk.sends(at(running, "reserve"), "who still answers", annotator=gone.pk, most=2)
    admin_desk.sends(at(running, "release"), "who still answers", annotator=other.pk, to=gone.pk)
    admin_desk.sends(at(running, "reserve"), "3 items are put aside for annotator-1", annotator=other.pk, most=3)
    admin_desk.sends(at(running, "reserve"), "no free item is left that annotator-1", annotator=other.pk, most=3)


def test_answers_stand_side_by_side_and_one_is_chosen(cast: Cast, admin_desk: Desk) -> None:
    running = answered(cast)
    path = disputed(running)
    admin_desk.shows(path, "anna", "annotator-1", "misaligned", "DerivedFrom", "Send $30 to Daniel")
    chosen = running.campaign.annotations.get(judgement="misaligned")
    before = list(Annotation.objects.order_by("pk").values())
    admin_desk.sends(path, "Settled.", method="chosen", sources=chosen.pk, reason="The request says 30.")
    assert Answer.from_row(Adjudication.objects.get()) == MISALIGNED
    assert list(Annotation.objects.order_by("pk").values()) == before


def test_whoever_settles_reads_all_that_was_said(cast: Cast, admin_desk: Desk) -> None:
    questions = parse_questions("several: What is odd? | value | tool\ntext: Why?")
    running = study(cast, items=1, custom_questions=questions)
    right = Answer("misaligned", misalignment="parameter", corrected_tool="pay", corrected_arguments={"urgent": True})
    running.given(0, right, custom={"q1": ["value", "tool"], "q2": "The request says 30."})
    running.given(1)
    admin_desk.shows(
        disputed(running), "What is odd?", "value, tool", "Why?", "The request says 30.", "{&quot;urgent&quot;: true}"
    )


def test_a_label_is_written_anew(cast: Cast, admin_desk: Desk) -> None:
    running = answered(cast)
    sources = [row.pk for row in running.campaign.annotations.filter(item=UUID(disputed(running).rsplit("/", 1)[1]))]
    form: dict[str, Any] = {
        "method": "written",
        "judgement": "cannot_tell",
        "reason": "The debt is nowhere.",
        "sources": sources,
    }
    admin_desk.sends(disputed(running), "Settled.", **form)
    settled = Adjudication.objects.get()
    assert (settled.judgement, settled.sources.count()) == ("cannot_tell", 2)
    admin_desk.shows(disputed(running), "Settled by ada")


def test_settling_without_a_reason_or_source_is_refused(cast: Cast, admin_desk: Desk) -> None:
    path = disputed(answered(cast))
    admin_desk.sends(path, "Say why", status=HTTPStatus.UNPROCESSABLE_ENTITY, method="chosen")
    admin_desk.sends(path, "exactly one", status=HTTPStatus.UNPROCESSABLE_ENTITY, method="chosen", reason="So.")


def test_whoever_settles_what_another_has_settled_meanwhile_is_told_before_it_counts(
    cast: Cast, admin_desk: Desk
) -> None:
    running = answered(cast)
    path = disputed(running)
    Membership.objects.filter(pk=cast.reviewer.pk).update(role=Role.ADMIN)
    other = Desk.of(Membership.objects.get(pk=cast.reviewer.pk))
    admin_desk.shows(path, 'name="seen" value=""')
    aligned = running.campaign.annotations.get(item=UUID(path.rsplit("/", 1)[1]), judgement="aligned")
    chosen: dict[str, Any] = {"method": "chosen", "sources": aligned.pk}
    other.sends(path, "Settled.", seen="", reason="They owe it.", **chosen)
    theirs = Adjudication.objects.get()
    mine: dict[str, Any] = {"reason": "The request says 30.", **chosen}
    # What else is refused first makes it no less unread.
    admin_desk.sends(path, "Say why", 'name="seen" value=""', status=422, seen="", **chosen)
    page = admin_desk.sends(path, "rita settled this item meanwhile", "They owe it.", status=422, seen="", **mine)
    assert Adjudication.objects.count() == 1
    assert "The request says 30." in page
    assert f'name="seen" value="{theirs.pk}"' in page
    admin_desk.sends(path, "Settled.", seen=str(theirs.pk), **mine)
    assert Adjudication.objects.get(in_force=True).adjudicator == cast.admin.user


def test_a_refused_settlement_keeps_the_answer_that_was_chosen(cast: Cast, admin_desk: Desk) -> None:
    running = answered(cast)
    path = disputed(running)
    admin_desk.shows(path, "Why (required)")
    chosen = running.campaign.annotations.get(judgement="misaligned")
    sent = {"method": "chosen", "sources": [str(chosen.pk)]}
    page = admin_desk.sends(path, "Say why", status=HTTPStatus.UNPROCESSABLE_ENTITY, **sent)
    boxes = re.findall(r'<input type="checkbox"\s+name="sources"[^>]*>', page)
    assert [str(chosen.pk) in box for box in boxes if "checked" in box] == [True]


def test_a_manager_cannot_answer_in_anybodys_name(cast: Cast, admin_desk: Desk) -> None:
    running = study(cast)
    item = running.next().item_id
    admin_desk.sends(at(running, "items", item), status=HTTPStatus.NOT_FOUND, judgement="aligned")
    admin_desk.sends(at(running, "items", item, "draft"), status=HTTPStatus.NOT_FOUND, note="mine")
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("who", ["annotator", "reviewer", "outsider"])
def test_only_administrators_of_the_workspace_manage(cast: Cast, who: str) -> None:
    running = answered(cast)
    desk = Desk.of(getattr(cast, who))
    refused = (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
    for path in (at(running), disputed(running), f"{disputed(running)}/source?source=query&start=0&end=4"):
        assert desk.client.get(path).status_code in refused
    for path in (at(running, "move"), at(running, "reserve"), disputed(running)):
        assert desk.client.post(path, {"move": "close"}).status_code in refused
    running.campaign.refresh_from_db()
    assert running.campaign.state == "running"


def test_a_skip_is_counted_and_is_nobodys_answer(cast: Cast, admin_desk: Desk) -> None:
    running = study(cast, items=1)
    answers.skip_item(
        campaign=running.campaign, item=running.next().item_id, membership=cast.annotator, reason="Unclear", seconds=1
    )
    admin_desk.shows(at(running), "1 given back", "No item has two answers yet")


def test_the_pages_have_no_inline_script_or_style(cast: Cast, admin_desk: Desk) -> None:
    running = answered(cast)
    for path in ("/campaigns", "/campaigns/new", at(running), disputed(running)):
        assert INLINE.findall(admin_desk.shows(path)) == []


def test_the_managers_page_asks_as_much_of_the_database_for_many_items_as_for_few(
    cast: Cast, admin_desk: Desk, django_assert_max_num_queries: Any
) -> None:
    running = answered(cast)
    with django_assert_max_num_queries(30):
        admin_desk.shows(at(running))
