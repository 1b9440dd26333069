"""Known items come between others, look like them, and leave no trace but the person's own figure."""

from http import HTTPStatus
from typing import Any

import pytest
from lxml import html

from reviews import access, audit
from reviews.datasets import curation
from reviews.decisions import call_audits, decide
from reviews.desk.overview.own import own_figures
from reviews.errors import ConflictError
from reviews.models import (
    Action,
    ActionEvent,
    Adjudication,
    AuditEvent,
    Canary,
    Comment,
    DatasetItem,
    Decision,
    Execution,
    Label,
    LabelSource,
    Outcome,
    Review,
    WebhookDelivery,
)
from reviews.queue import canaries
from tests.annotation.study import study
from tests.cast import Cast, flagged
from tests.desk.desk import Desk, at, decision_of, waiting

STORED = (Action, ActionEvent, Review, Decision, Label, Execution, WebhookDelivery, Comment)


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chance draws a canary wherever the rate is not 0."""
    monkeypatch.setattr("random.random", lambda: 0.0)


@pytest.fixture
def known(cast: Cast) -> Action:
    """A wrong call that another person rejected and a third judged."""
    action = flagged(cast, trace_id="conv-7").action
    decide.decide_action(action=action, choice=decide.Reject("No."), membership=cast.other_reviewer)
    call_audits.judge_audit(action=action, membership=cast.admin, aligned=False)
    canaries.set_rate(membership=cast.admin, percent=10)
    return action


def met(cast: Cast, desk: Desk) -> str:
    """The address of the canary that comes behind the first item."""
    first = waiting(cast)
    waiting(cast)
    form = decision_of(first, cast.reviewer, outcome="reject", message="No.")
    location = desk.client.post(at(first, "decide"), form).headers["Location"]
    assert location == f"/reviews/{Canary.objects.get().pk}"
    return location


def counts() -> list[int]:
    return [model.objects.count() for model in STORED]


def disguised() -> Review:
    """The canary as the item that its page sends a decision of."""
    canary = Canary.objects.get()
    return Review(pk=canary.pk, action=canary.action)


def test_a_canary_looks_like_an_item_and_its_answer_reaches_nobody(cast: Cast, desk: Desk, known: Action) -> None:
    address = met(cast, desk)
    before, waits = counts(), access.count_open_reviews(cast.reviewer, up_to=100)
    page = desk.shows(address, "daniel.kin@example.org", "claimed by you", "Reject")
    words = page.split("<main")[1].lower()
    assert [word for word in ("known item", "canary", "rejected", "settled") if word in words] == []
    desk.sends(f"{address}/claim", "claimed by you", shown="")
    form = decision_of(disguised(), cast.reviewer, outcome="reject", message="No.")
    desk.sends(f"{address}/decide", "answered as it was settled", "The call is wrong as proposed", **form)
    assert counts() == before
    assert access.count_open_reviews(cast.reviewer, up_to=100) == waits
    assert Decision.objects.get(action=known, in_force=True).reviewer == cast.other_reviewer.user
    assert own_figures(cast.reviewer).decided == 1
    desk.shows("/overview/own", "Known items answered as they were settled", "1 of 1")
    answered = AuditEvent.objects.get(verb="canary.answered")
    assert (answered.actor, answered.details["outcome"]) == ("rita", "reject")
    assert audit.first_broken(cast.workspace) is None


def test_a_canary_is_answered_once(cast: Cast, desk: Desk, known: Action) -> None:
    address = met(cast, desk)
    form = decision_of(disguised(), cast.reviewer, outcome="approve")
    desk.sends(f"{address}/decide", "settled otherwise", **form)
    canary = Canary.objects.get()
    with pytest.raises(ConflictError):
        canaries.close_canary(canary=canary, membership=cast.reviewer, outcome=Outcome.REJECT)
    desk.sends(f"{address}/decide", "settled otherwise", **form)
    assert canaries.agreement_of(cast.reviewer).count == 0
    assert canaries.agreement_of(cast.reviewer).total == 1


@pytest.mark.parametrize(
    ("act", "form"),
    [("comment", {"body": "Look."}), ("escalate", {"to": "", "note": "x"}), ("ask-user", {})],
)
def test_an_act_that_others_would_see_reveals_it(
    cast: Cast, desk: Desk, known: Action, act: str, form: dict[str, Any]
) -> None:
    address = met(cast, desk)
    before = counts()
    desk.sends(f"{address}/{act}", "This was a known item", "did not answer", **form)
    assert counts() == before
    assert canaries.agreement_of(cast.reviewer).total == 0


def test_a_put_off_canary_comes_again_behind_another_item(cast: Cast, desk: Desk, known: Action) -> None:
    address = met(cast, desk)
    after = desk.client.post(f"{address}/snooze", {"seconds": "900"}).headers["Location"]
    assert after != address
    third = Review.objects.get(pk=after.removeprefix("/reviews/"))
    again = desk.client.post(at(third, "decide"), decision_of(third, cast.reviewer, outcome="reject", message="No."))
    assert again.headers["Location"] == address


def test_nobody_meets_what_is_not_theirs_to_meet(cast: Cast, known: Action) -> None:
    assert list(canaries.known_calls(cast.reviewer)) == [known]
    # They decided it, they judged it, they do not belong here.
    assert [list(canaries.known_calls(member)) for member in (cast.other_reviewer, cast.admin, cast.outsider)] == [
        []
    ] * 3
    call_audits.judge_audit(action=known, membership=cast.admin, aligned=True)
    assert list(canaries.known_calls(cast.reviewer)) == []


def test_a_call_that_a_manager_adjudicated_is_known(cast: Cast, known: Action) -> None:
    Label.objects.filter(source=LabelSource.AUDIT).delete()
    assert list(canaries.known_calls(cast.reviewer)) == []
    dataset = curation.create_dataset(by=cast.admin, name="Decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    Adjudication.objects.create(
        campaign=study(cast, dataset=dataset).campaign,
        item=DatasetItem.objects.get(),
        adjudicator=cast.admin.user,
        judgement="aligned",
        method="written",
        reason="Read again.",
    )
    [action] = canaries.known_calls(cast.reviewer)
    assert (action.pk, vars(action)["is_right"]) == (known.pk, True)


def test_a_canary_is_one_persons(cast: Cast, desk: Desk, known: Action) -> None:
    address = met(cast, desk)
    for member in (cast.other_reviewer, cast.admin, cast.outsider):
        assert Desk.of(member).client.get(address).status_code == HTTPStatus.NOT_FOUND
        assert Desk.of(member).client.post(f"{address}/decide", {}).status_code == HTTPStatus.NOT_FOUND


def test_without_a_rate_or_within_a_filter_there_is_none(cast: Cast, desk: Desk, known: Action) -> None:
    first, second = waiting(cast), waiting(cast)
    form = decision_of(first, cast.reviewer, outcome="reject", message="No.")
    desk.client.post(f"{at(first, 'decide')}?risk=medium", form)
    canaries.set_rate(membership=cast.admin, percent=0)
    desk.client.post(at(second, "decide"), decision_of(second, cast.reviewer, outcome="reject", message="No."))
    assert not Canary.objects.exists()


def test_an_administrator_sets_the_rate_within_its_bound(cast: Cast, admin_desk: Desk) -> None:
    admin_desk.sends("/settings/reviewing", "Stored", percent=5, tells_values="on")
    admin_desk.sends("/settings/reviewing", status=HTTPStatus.UNPROCESSABLE_ENTITY, percent=50)
    cast.workspace.refresh_from_db()
    assert (cast.workspace.canary_percent, cast.workspace.notifications_tell_values) == (5, True)
    assert AuditEvent.objects.filter(verb__in=("workspace.canaries", "workspace.notifications")).count() == 2


def test_a_choice_that_was_left_as_it_was_does_not_undo_a_colleagues(cast: Cast, admin_desk: Desk) -> None:
    page = html.fromstring(admin_desk.shows("/settings/reviewing"))
    (form,) = (form for form in page.forms if form.get("action") == "/settings/reviewing")
    canaries.set_rate(membership=cast.admin, percent=7)
    admin_desk.sends("/settings/reviewing", "Stored", **dict(form.form_values()) | {"tells_values": "on"})
    cast.workspace.refresh_from_db()
    assert (cast.workspace.canary_percent, cast.workspace.notifications_tell_values) == (7, True)
