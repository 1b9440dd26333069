"""Reviewers who annotate: only where the workspace lets them, and only what they can be blind to."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from reviews import access
from reviews.annotation import answers, assignment, campaigns, seen_verdicts, staffing
from reviews.annotation.schema import Answer
from reviews.datasets import curation, export_jobs
from reviews.decisions import decide
from reviews.errors import ConflictError, InvalidCampaignError, NotAssignedError
from reviews.models import Action, Campaign, Canary, Dataset, DatasetVersion, Membership, Role, VerdictSight
from reviews.workspaces import agent_keys, members
from tests.annotation.study import ALIGNED, MISALIGNED, dataset_of, study
from tests.api.agent import Agent, check_problem, read
from tests.cast import Cast, approved, flagged
from tests.datasets.collections import frozen, line, load, write_lines
from tests.desk.desk import Desk


def let_in(cast: Cast) -> Membership:
    """The reviewer, in a workspace that lets reviewers annotate."""
    members.let_reviewers_annotate(allowed=True, membership=cast.admin)
    return Membership.objects.select_related("workspace", "user").get(pk=cast.reviewer.pk)


def mixed(cast: Cast) -> Dataset:
    """One imported item, and one recorded call, which a reviewer could look up."""
    approved(cast)
    dataset = dataset_of(cast, 1)
    assert curation.add_decided_calls(dataset=dataset, by=cast.admin) == 1
    return dataset


def test_reviewers_do_not_annotate_unless_the_workspace_lets_them(cast: Cast) -> None:
    asked: dict[str, Any] = {"by": cast.admin, "dataset": mixed(cast), "annotators_per_item": 1}
    with pytest.raises(InvalidCampaignError):
        campaigns.open_campaign(name="No", annotators=[cast.reviewer], **asked)
    assert not access.can(cast.reviewer, access.Permission.ANNOTATE)
    assert access.can(let_in(cast), access.Permission.ANNOTATE)


def test_a_reviewer_is_given_imported_items_alone(cast: Cast) -> None:
    dataset, reviewer = mixed(cast), let_in(cast)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="Both", annotators=[reviewer, cast.annotator], annotators_per_item=2
    )
    slot = assignment.next_item(campaign=campaign, membership=reviewer)
    assert slot is not None
    assert slot.item.action is None
    answers.store_answer(campaign=campaign, item=slot.item_id, membership=reviewer, answer=ALIGNED, seconds=1)
    assert assignment.next_item(campaign=campaign, membership=reviewer) is None
    annotator = campaign.annotators.get(user=reviewer.user)
    assert campaigns.reserve_items(campaign=campaign, membership=cast.admin, annotator=annotator, most=5) == 0
    # Even a slot that is theirs is of no use for what they can see a verdict of.
    recorded = campaign.assignments.filter(item__action__isnull=False, annotator__isnull=True)[0]
    campaign.assignments.filter(pk=recorded.pk).update(annotator=annotator)
    with pytest.raises(NotAssignedError):
        answers.store_answer(campaign=campaign, item=recorded.item_id, membership=reviewer, answer=ALIGNED, seconds=1)


def decided_by(cast: Cast, membership: Membership, trace_id: str) -> Action:
    """A call that this member approved."""
    action = flagged(cast, trace_id=trace_id).action
    decide.decide_action(action=action, choice=decide.Approve(), membership=membership)
    return action


def recorded_campaign(cast: Cast, reviewer: Membership) -> Campaign:
    """Of two calls that somebody else decided, once the reviewer's looks are kept."""
    for trace_id in ("one", "two"):
        decided_by(cast, cast.other_reviewer, trace_id)
    dataset = curation.create_dataset(by=cast.admin, name="Recorded")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    return campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="Recorded", annotators=[reviewer], annotators_per_item=1
    )


def test_a_reviewer_is_asked_about_recorded_calls_that_no_page_has_shown_them(cast: Cast) -> None:
    reviewer = let_in(cast)
    campaign = recorded_campaign(cast, reviewer)
    slot = assignment.next_item(campaign=campaign, membership=reviewer)
    assert slot is not None
    assert slot.item.action is not None
    # Looked up while it is lent to them: the answer is refused, and they are given the other one.
    Desk.of(reviewer).shows(f"/actions/{slot.item.action_id}")
    with pytest.raises(NotAssignedError, match="you were shown"):
        answers.store_answer(campaign=campaign, item=slot.item_id, membership=reviewer, answer=ALIGNED, seconds=1)
    other = assignment.next_item(campaign=campaign, membership=reviewer)
    assert other is not None
    assert other.item_id != slot.item_id
    answers.store_answer(campaign=campaign, item=other.item_id, membership=reviewer, answer=ALIGNED, seconds=1)


def test_a_list_that_names_a_call_has_shown_it(cast: Cast) -> None:
    reviewer = let_in(cast)
    campaign = recorded_campaign(cast, reviewer)
    Desk.of(reviewer).shows("/actions")
    assert VerdictSight.objects.filter(user=reviewer.user).count() == 2
    assert assignment.next_item(campaign=campaign, membership=reviewer) is None
    # Of those who are never asked nothing is kept.
    Desk.of(cast.annotator).client.get("/campaigns")
    assert not VerdictSight.objects.exclude(user=reviewer.user).exists()


def test_a_reviewer_is_never_asked_about_a_call_that_they_decided_or_that_came_before(cast: Cast) -> None:
    decided_by(cast, cast.other_reviewer, "early")
    reviewer = let_in(cast)
    decided_by(cast, reviewer, "own")
    campaign = recorded_campaign(cast, reviewer)
    assert campaign.assignments.count() == 4
    asked = campaign.assignments.filter(seen_verdicts.blind_for(reviewer)).values_list("item__action", flat=True)
    assert set(asked) == set(Action.objects.filter(trace__external_id__in=("one", "two")).values_list("pk", flat=True))
    assert not campaign.assignments.filter(seen_verdicts.blind_for(cast.admin)).exists()


def test_who_was_a_reviewer_is_not_asked_about_what_they_could_look_up(cast: Cast) -> None:
    decided_by(cast, cast.other_reviewer, "before")
    decided_by(cast, cast.reviewer, "own")
    members.change_role(member=cast.reviewer, role=Role.ANNOTATOR, membership=cast.admin)
    former = Membership.objects.select_related("workspace", "user").get(pk=cast.reviewer.pk)
    decided_by(cast, cast.other_reviewer, "after")
    dataset = dataset_of(cast, 1)
    assert curation.add_decided_calls(dataset=dataset, by=cast.admin) == 3
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="All", annotators=[former, cast.annotator], annotators_per_item=1
    )
    asked = campaign.assignments.filter(seen_verdicts.blind_for(former))
    assert set(asked.values_list("item__action__trace__external_id", flat=True)) == {None, "after"}
    # Also through the role that an operator gives at the shell, after a time outside.
    members.remove_member(member=former, membership=cast.admin)
    former = members.admit_member(workspace=cast.workspace, user=former.user, role=Role.ANNOTATOR)
    assert not campaign.assignments.filter(seen_verdicts.blind_for(former), item__action__isnull=False).exists()
    # Who never was anything else is asked about everything.
    assert campaign.assignments.filter(seen_verdicts.blind_for(cast.annotator)).count() == 4


@pytest.mark.parametrize("met", ["decided", "seen", "met as a canary"])
def test_an_annotator_is_never_asked_about_a_call_that_they_decided_or_were_shown(cast: Cast, met: str) -> None:
    action = decided_by(cast, cast.reviewer if met == "decided" else cast.other_reviewer, "own")
    if met == "seen":
        VerdictSight.objects.create(action=action, user=cast.reviewer.user)
    if met == "met as a canary":
        Canary.objects.create(
            workspace=cast.workspace, action=action, user=cast.reviewer.user, is_aligned=True, expires_at=timezone.now()
        )
    # As nobody wrote down: by an update past every use case.
    Membership.objects.filter(pk=cast.reviewer.pk).update(role=Role.ANNOTATOR)
    former = Membership.objects.select_related("workspace", "user").get(pk=cast.reviewer.pk)
    campaign = recorded_campaign(cast, former)
    asked = campaign.assignments.filter(seen_verdicts.blind_for(former))
    assert set(asked.values_list("item__action__trace__external_id", flat=True)) == {"one", "two"}


def test_nothing_is_given_on_to_who_could_not_judge_it_blind(cast: Cast) -> None:
    reviewer = let_in(cast)
    decided_by(cast, reviewer, "own")
    campaign = both_in(cast, reviewer)
    assert assignment.next_item(campaign=campaign, membership=cast.annotator) is not None
    holder, other = (campaign.annotators.get(user=member.user) for member in (cast.annotator, reviewer))
    assert staffing.release_items(campaign=campaign, membership=cast.admin, annotator=holder, to=other) == 1
    assert not other.assignments.exists()
    assert assignment.next_item(campaign=campaign, membership=cast.annotator) is not None


def both_in(cast: Cast, reviewer: Membership) -> Campaign:
    """One answer is asked of the reviewer or of Anna about each call that was decided."""
    dataset = curation.create_dataset(by=cast.admin, name="Decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    return campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="Both", annotators=[reviewer, cast.annotator], annotators_per_item=1
    )


def test_what_was_put_aside_for_somebody_who_then_looked_goes_to_others(cast: Cast) -> None:
    reviewer = let_in(cast)
    decided_by(cast, cast.other_reviewer, "one")
    campaign = both_in(cast, reviewer)
    annotator = campaign.annotators.get(user=reviewer.user)
    assert campaigns.reserve_items(campaign=campaign, membership=cast.admin, annotator=annotator, most=5) == 1
    Desk.of(reviewer).shows("/actions")
    assert assignment.next_item(campaign=campaign, membership=reviewer) is None
    assert assignment.next_item(campaign=campaign, membership=cast.annotator) is not None


def managers_campaign(cast: Cast) -> Campaign:
    """The administrator and Anna are asked about two imported items; Anna has flagged and answered the first."""
    let_in(cast)
    people = [
        Membership.objects.select_related("workspace", "user").get(pk=member.pk)
        for member in (cast.admin, cast.annotator)
    ]
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset_of(cast, 2), name="Two", annotators=people, annotators_per_item=2, seed=7
    )
    slot = assignment.next_item(campaign=campaign, membership=cast.annotator)
    assert slot is not None
    answers.store_answer(
        campaign=campaign, item=slot.item_id, membership=cast.annotator, answer=MISALIGNED, seconds=1, flagged=True
    )
    return campaign


def test_no_list_tells_a_manager_what_others_said_of_an_item_that_they_owe(cast: Cast) -> None:
    campaign, desk = managers_campaign(cast), Desk.of(cast.admin)
    answered = campaign.annotations.get().item_id
    listed = f"/datasets/{campaign.dataset_id}/items"
    desk.shows(listed, str(answered), "—")
    desk.lacks(listed, "badge--bad", '<td class="small">one annotator')
    for filters in ("label=misaligned", "method=one+annotator", "mark=flagged"):
        desk.lacks(f"{listed}?{filters}", str(answered))
    desk.lacks(f"/campaigns/{campaign.pk}", str(answered))
    version = frozen(campaign.dataset)
    entries = f"/datasets/{campaign.dataset_id}/versions/{version.number}/entries"
    desk.shows(entries, str(answered))
    desk.lacks(entries, "<td>misaligned")
    answers.store_answer(
        campaign=campaign, item=open_item_of(campaign, cast.admin, answered), membership=cast.admin, answer=ALIGNED,
        seconds=1,
    )  # fmt: skip
    desk.shows(f"/datasets/{campaign.dataset_id}/items?mark=flagged", str(answered), "disputed")
    desk.shows(f"/campaigns/{campaign.pk}", str(answered))


def open_item_of(campaign: Campaign, membership: Membership, item: UUID) -> UUID:
    """The item, put aside for this person."""
    annotator = campaign.annotators.get(user=membership.user)
    slot = campaign.assignments.filter(item=item, annotator__isnull=True)[0]
    campaign.assignments.filter(pk=slot.pk).update(annotator=annotator, reserved=True)
    return item


def test_who_gave_back_an_owed_item_and_why_is_not_told_to_a_manager_who_has_not_answered(cast: Cast) -> None:
    campaign, desk = managers_campaign(cast), Desk.of(cast.admin)
    item, skipped = (
        campaign.annotations.get().item_id,
        assignment.next_item(campaign=campaign, membership=cast.annotator),
    )
    assert skipped is not None
    assert skipped.item_id != item
    answers.skip_item(
        campaign=campaign, item=skipped.item_id, membership=cast.annotator, reason="Broken text", seconds=1
    )
    inside = f"/datasets/{campaign.dataset_id}/items/{skipped.item_id}"
    desk.shows(inside, "once you have answered")
    desk.lacks(inside, "Broken text")


def disputed_before(cast: Cast) -> tuple[Campaign, UUID]:
    """A campaign in which others differ about an item, and the item; the administrator owes it in a later campaign."""
    running = study(cast, items=1)
    running.given(0, MISALIGNED, flagged=True)
    running.given(1)
    let_in(cast)
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    campaigns.open_campaign(
        by=cast.admin, dataset=running.campaign.dataset, name="Later", annotators=[admin], annotators_per_item=1
    )
    return running.campaign, running.campaign.annotations.first().item_id  # type: ignore[union-attr]


def test_no_page_of_an_earlier_campaign_tells_what_a_manager_still_has_to_answer_in_a_later_one(cast: Cast) -> None:
    earlier, item = disputed_before(cast)
    desk = Desk.of(cast.admin)
    desk.lacks(f"/campaigns/{earlier.pk}", str(item))
    settled_at = desk.client.get(f"/campaigns/{earlier.pk}/adjudicate/{item}", follow=True)
    assert "Answer this item yourself first" in settled_at.content.decode()


def test_a_key_tells_and_settles_nothing_that_its_issuer_still_has_to_answer(cast: Cast) -> None:
    earlier, item = disputed_before(cast)
    script = Agent(agent_keys.issue_key(membership=cast.admin, name="study", manages_ground_truth=True).secret)
    where = f"/api/v1/campaigns/{earlier.pk}"
    told = read(script.get(f"{where}/disputes"))
    assert (told["count"], told["left"], told["disputes"]) == (1, 1, [])
    assert read(script.get(f"{where}/agreement"))["hard"] == []
    sources = [str(key) for key in earlier.annotations.values_list("pk", flat=True)]
    body = {"method": "written", "judgement": "aligned", "reason": "Clear.", "sources": sources}
    settle = f"{where}/items/{item}/adjudication"
    check_problem(script.send("PUT", settle, json.dumps(body).encode()), 403, slug="forbidden")
    later = Campaign.objects.get(name="Later")
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    assert assignment.next_item(campaign=later, membership=admin) is not None
    answers.store_answer(campaign=later, item=item, membership=admin, answer=ALIGNED, seconds=1)
    assert len(read(script.get(f"{where}/disputes"))["disputes"]) == 1
    read(script.send("PUT", settle, json.dumps(body).encode()))


def test_a_manager_who_annotates_sees_no_answer_before_their_own(cast: Cast) -> None:
    let_in(cast)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset_of(cast, 1), name="Two", annotators=[
            Membership.objects.select_related("workspace", "user").get(pk=member.pk)
            for member in (cast.admin, cast.annotator)
        ], annotators_per_item=2,
    )  # fmt: skip
    slot = assignment.next_item(campaign=campaign, membership=cast.annotator)
    assert slot is not None
    answers.store_answer(campaign=campaign, item=slot.item_id, membership=cast.annotator, answer=ALIGNED, seconds=1)
    desk, path = Desk.of(cast.admin), f"/campaigns/{campaign.pk}/adjudicate/{slot.item_id}"
    assert "Answer this item yourself first" in desk.client.get(path, follow=True).content.decode()
    inside = f"/datasets/{campaign.dataset_id}/items/{slot.item_id}"
    desk.shows(inside, "once you have answered")
    desk.lacks(inside, "Answer of anna", "by one annotator")
    slot = assignment.next_item(campaign=campaign, membership=cast.admin)
    assert slot is not None
    answers.store_answer(campaign=campaign, item=slot.item_id, membership=cast.admin, answer=ALIGNED, seconds=1)
    desk.shows(path, "Settle one label")


def version_owed(cast: Cast) -> tuple[DatasetVersion, UUID]:
    """A frozen version with others' answers about its item, which the administrator still owes; and the item."""
    earlier, item = disputed_before(cast)
    return frozen(earlier.dataset), item


def test_no_export_hands_an_answer_to_who_still_owes_their_own_about_the_item(cast: Cast) -> None:
    version, item = version_owed(cast)
    # Somebody who owes nothing, such as the installation's shell, may have had the file written before.
    job = export_jobs.request_export(version, form="jsonl")
    assert export_jobs.run_export(job.pk) is not None
    desk = Desk.of(cast.admin)
    page = f"/datasets/{version.dataset_id}/versions/{version.number}"
    file = f"/datasets/exports/{job.pk}"
    desk.shows(page, "You are asked about 1 entry of this version")
    desk.lacks(page, file)
    assert desk.client.get(file).status_code == 403
    assert desk.client.post(f"{page}/export", {"format": "jsonl"}).status_code == 403
    script = Agent(agent_keys.issue_key(membership=cast.admin, name="study", reads_all_labels=True).secret)
    where = f"/api/v1/datasets/{version.dataset_id}/versions/{version.number}/exports"
    check_problem(script.post(where, {"format": "jsonl"}), 403, slug="forbidden")
    check_problem(script.get(f"/api/v1/exports/{job.pk}/file"), 403, slug="forbidden")
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    later = Campaign.objects.get(name="Later")
    assert assignment.next_item(campaign=later, membership=admin) is not None
    answers.store_answer(campaign=later, item=item, membership=admin, answer=ALIGNED, seconds=1)
    desk.shows(page, file)
    assert desk.client.get(file).getvalue()
    assert script.post(where, {"format": "jsonl"}).status_code == 202
    assert script.get(f"/api/v1/exports/{job.pk}/file").getvalue()


def test_a_version_without_a_label_is_exported_to_whoever_is_asked_about_it(cast: Cast) -> None:
    let_in(cast)
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset_of(cast, 1), name="One", annotators=[admin], annotators_per_item=1
    )
    assert export_jobs.request_export(frozen(campaign.dataset), form="jsonl", by=admin).status == "queued"


def given(campaign: Campaign, person: Membership, answer: Answer = ALIGNED, item: UUID | None = None) -> UUID:
    """This person's answer about the item, or about the next one; returns the item."""
    if item is None:
        slot = assignment.next_item(campaign=campaign, membership=person)
        assert slot is not None
        item = slot.item_id
    answers.store_answer(campaign=campaign, item=item, membership=person, answer=answer, seconds=1)
    return item


def campaign_of_two(cast: Cast) -> tuple[Campaign, Membership]:
    """One item, about which the annotator and the administrator are asked, and the administrator."""
    let_in(cast)
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset_of(cast, 1), name="Two", annotators=[admin, cast.annotator],
        annotators_per_item=2,
    )  # fmt: skip
    return campaign, admin


def test_a_manager_changes_no_answer_once_what_others_say_is_open_to_them(cast: Cast) -> None:
    campaign, admin = campaign_of_two(cast)
    item = given(campaign, admin)
    # Nobody else has said anything: a slip is mended.
    given(campaign, admin, MISALIGNED, item)
    given(campaign, cast.annotator)
    Desk.of(admin).shows(f"/datasets/{campaign.dataset_id}/items/{item}", "Answer of anna")
    with pytest.raises(ConflictError, match="would not be blind"):
        given(campaign, admin, ALIGNED, item)
    with pytest.raises(ConflictError, match="would not be blind"):
        answers.undo_latest_answer(campaign=campaign, membership=admin)
    kept = campaign.annotations.get(annotator__user=admin.user, in_force=True)
    assert kept.judgement == "misaligned"
    # An annotator is shown nobody's answer and may change their own.
    given(campaign, cast.annotator, MISALIGNED, item)


def test_a_manager_who_gave_an_item_back_does_not_answer_it_after_reading_others(cast: Cast) -> None:
    campaign, admin = campaign_of_two(cast)
    slot = assignment.next_item(campaign=campaign, membership=admin)
    assert slot is not None
    answers.skip_item(campaign=campaign, item=slot.item_id, membership=admin, reason="Unclear", seconds=1)
    given(campaign, cast.annotator)
    Desk.of(admin).shows(f"/datasets/{campaign.dataset_id}/items/{slot.item_id}", "Answer of anna")
    with pytest.raises(ConflictError, match="would not be blind"):
        answers.undo_latest_answer(campaign=campaign, membership=admin)


def test_that_the_label_of_an_owed_item_changed_between_two_versions_is_not_told(cast: Cast) -> None:
    campaign, admin = campaign_of_two(cast)
    frozen(campaign.dataset)
    item = given(campaign, cast.annotator, MISALIGNED)
    frozen(campaign.dataset)
    desk, page = Desk.of(admin), f"/datasets/{campaign.dataset_id}/versions/2/comparison"
    desk.lacks(page, str(item), "1 entry")
    script = Agent(agent_keys.issue_key(membership=admin, name="study", manages_ground_truth=True).secret)
    where = f"/api/v1/datasets/{campaign.dataset_id}/versions/2/diff?against=1"
    assert read(script.get(where))["changed"]["count"] == 0
    # That it is in another split is told, and nothing more.
    frozen(campaign.dataset, shares={"test": 1.0})
    desk.shows(page.replace("/2/", "/3/"), str(item), "— test")
    desk.lacks(page.replace("/2/", "/3/"), "misaligned parameter")
    given(campaign, admin)
    desk.shows(page, str(item), "1 entry", "misaligned")
    assert read(script.get(where))["changed"]["count"] == 1


def test_no_copy_of_a_call_in_another_dataset_tells_what_a_manager_still_has_to_answer(
    cast: Cast, tmp_path: Path
) -> None:
    file = write_lines(tmp_path / "lines.jsonl", [line(0)])
    asked, copy = (load(cast, file, name=name).dataset for name in ("asked", "copy"))
    let_in(cast)
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=asked, name="One", annotators=[admin], annotators_per_item=1
    )
    version, item = frozen(copy), copy.items.get()
    desk, page = Desk.of(admin), f"/datasets/{copy.pk}/versions/{version.number}"
    desk.shows(f"/datasets/{copy.pk}/items/{item.pk}", "once you have answered")
    desk.lacks(f"{page}/entries", "<td>misaligned")
    assert desk.client.post(f"{page}/export", {"format": "jsonl"}).status_code == 403
    given(campaign, admin)
    desk.shows(f"/datasets/{copy.pk}/items/{item.pk}", "given by the collection")
    desk.shows(f"{page}/entries", "misaligned")
