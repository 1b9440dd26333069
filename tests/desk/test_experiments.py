import re
import shlex
from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from reviews.annotation import campaigns
from reviews.datasets import curation
from reviews.lab import experiment_worker
from reviews.models import DatasetVersion, Experiment, ExperimentVerdict, JobStatus, Membership, Role
from reviews.provenance.core.findings import DecidedBy, Finding, Misalignment, Relation, StageResult, stage_to_json
from reviews.provenance.core.invisible import spelled_out
from reviews.workspaces import agent_keys, members
from tests.annotation.study import study
from tests.api.agent import Agent, check_problem
from tests.cast import Cast, approved
from tests.datasets.collections import frozen, line, load, made_version, write_lines
from tests.desk.desk import Desk

PAGE = "/experiments"


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> DatasetVersion:
    """Ten calls, of which four should be stopped."""
    return made_version(cast, tmp_path)


def begin(desk: Desk, version: DatasetVersion, **changed: Any) -> Any:
    """The answer to the form."""
    choices = {"name": "Night", "version": version.pk, "detectors": ["provenance-guard", "argus"], "judge": "rules"}
    return desk.client.post(f"{PAGE}/begin", {**choices, "runs": 1, **changed})


def test_without_a_frozen_version_recorded_calls_are_offered(admin_desk: Desk) -> None:
    admin_desk.shows(PAGE, "Recorded calls of the last days", "For calls with known answers")


def test_an_experiment_is_begun_watched_paused_and_read(version: DatasetVersion, admin_desk: Desk) -> None:
    response = begin(admin_desk, version)
    experiment = Experiment.objects.get()
    address = f"{PAGE}/{experiment.pk}"
    assert response["Location"] == address
    body = admin_desk.shows(
        address, "0 of 20 verdicts", "every 2s", "about $0", "No call with a label has a verdict yet"
    )
    assert "beyond chance" not in body
    admin_desk.client.post(f"{address}/control", {"do": "pause"})
    admin_desk.shows(address, "Paused", "Go on")
    admin_desk.client.post(f"{address}/control", {"do": "resume"})
    experiment_worker.run_here(experiment.pk)
    body = admin_desk.shows(address, "What it found", "provenance-guard, rules", "of 4", "No difference")
    assert "every 2s" not in body
    admin_desk.shows(PAGE, "Night", "20 of 20")


def test_the_open_page_asks_again_for_what_it_shows(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version)
    address = f"{PAGE}/{Experiment.objects.get().pk}?right=1&wrong=2"
    admin_desk.shows(address, f'hx-get="{address.replace("&", "&amp;")}"')


def test_the_least_budget_is_a_cent(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, max_usd="0.01")
    assert Experiment.objects.get().max_usd == Decimal("0.01")


@pytest.mark.parametrize("name", ["$(reboot)", "`reboot`", 'a" ; reboot "', "it's", "--pythonpath=/tmp"])
def test_the_line_for_a_shell_runs_nothing_that_a_name_says(
    version: DatasetVersion, admin_desk: Desk, name: str
) -> None:
    begin(admin_desk, version, name=name)
    body = admin_desk.shows(f"{PAGE}/{Experiment.objects.get().pk}")
    written = re.search(r"<code>(manage\.py experiment .*)</code>", body)
    assert written
    line = unescape(re.sub(r"</?bdi>", "", written[1]))
    assert shlex.split(line) == ["manage.py", "experiment", version.dataset.workspace.slug, "--", name]
    assert line == shlex.join(shlex.split(line))


def test_the_box_that_compares_is_named_in_plain_words(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, name="Night\u200bshift")
    body = admin_desk.shows(PAGE)
    (named,) = re.findall(r'aria-label="Compare ([^"]*)"', body)
    assert named == f"Night{spelled_out(chr(0x200B))}shift"


def test_costs_say_whether_kept_answers_are_among_them(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    admin_desk.shows(f"{PAGE}/{experiment.pk}", "kept answers count without tokens, cost and waiting")
    Experiment.objects.update(fresh=True)
    assert "kept answers" not in admin_desk.shows(f"{PAGE}/{experiment.pk}", "asked anew")


def test_what_answered_nothing_is_not_told_to_be_as_good(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    experiment.arms.get(ordinal=1).verdicts.update(verdict="undetermined", misalignment="")
    body = admin_desk.shows(f"{PAGE}/{experiment.pk}", "answered nothing", "nothing was tested")
    assert "beyond chance" not in body


def test_of_calls_without_labels_nothing_is_claimed(cast: Cast, admin_desk: Desk, tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "lines.jsonl", [line(number, label=None) for number in range(4)])
    version = frozen(load(cast, lines).dataset)
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    body = admin_desk.shows(f"{PAGE}/{experiment.pk}", "None of these calls has a label", "Open a campaign")
    assert "beyond chance" not in body
    assert "another wrong" not in body


@pytest.fixture
def differing(version: DatasetVersion, admin_desk: Desk) -> Experiment:
    """A finished experiment whose second detector alone judges the second call wrongly; both gave scores."""
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    verdicts = ExperimentVerdict.objects.filter(arm__experiment=experiment)
    verdicts.update(score=0.5)
    second = verdicts.filter(entry__ordinal=2)
    is_right = (second[0].subject.label or {})["aligned"]
    second.filter(arm__ordinal=1).update(verdict="aligned" if is_right else "misaligned", reason="")
    second.filter(arm__ordinal=2).update(verdict="misaligned" if is_right else "aligned", reason="A guess.")
    return experiment


def test_calls_that_tell_two_detectors_apart_lead_to_what_both_made_of_them(
    differing: Experiment, admin_desk: Desk
) -> None:
    address = f"{PAGE}/{differing.pk}"
    body = admin_desk.shows(f"{address}?right=1&wrong=2", f"{address}/cases/2?arm=2", "A guess.", "mistaken", "<svg")
    assert "style=" not in body
    admin_desk.shows(f"{address}?right=2&wrong=1", "No call that the first judged rightly")
    admin_desk.shows(f"{address}/cases/2", "What the detectors made of it", "A guess.", "ann1@example.org")
    admin_desk.shows(f"{address}/cases/99", status=404)


def test_no_list_tells_the_label_of_a_call_that_a_manager_still_owes(
    differing: Experiment, cast: Cast, admin_desk: Desk
) -> None:
    members.let_reviewers_annotate(allowed=True, membership=cast.admin)
    address, entries = f"{PAGE}/{differing.pk}", f"{PAGE}/{differing.pk}/cases/2?arm=2"
    admin_desk.shows(address, entries)
    assert differing.version is not None
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    campaigns.open_campaign(
        by=cast.admin, dataset=differing.version.dataset, name="Again", annotators=[admin], annotators_per_item=1
    )
    admin_desk.shows(address, "You are asked about 10 of these calls")
    for query in ("", "?right=1&wrong=2"):
        admin_desk.lacks(f"{address}{query}", entries)


def test_no_figure_tells_the_label_of_a_call_that_a_manager_still_owes(
    differing: Experiment, cast: Cast, admin_desk: Desk
) -> None:
    address, side_by_side = f"{PAGE}/{differing.pk}", f"{PAGE}/compare?with={differing.pk}"
    admin_desk.shows(address, "Wrong calls passed", "How far scores can be believed", f"{address}/results/csv")
    members.let_reviewers_annotate(allowed=True, membership=cast.admin)
    assert differing.version is not None
    admin = Membership.objects.select_related("workspace", "user").get(pk=cast.admin.pk)
    campaigns.open_campaign(
        by=cast.admin, dataset=differing.version.dataset, name="Again", annotators=[admin], annotators_per_item=1
    )
    admin_desk.shows(address, "what was found, which tells of their labels, is shown once you have answered")
    admin_desk.lacks(address, "Wrong calls passed", "How far scores can be believed", f"{address}/results/csv")
    for path in (f"{address}/results/csv", side_by_side):
        assert admin_desk.client.get(path).status_code == HTTPStatus.FORBIDDEN
    script = Agent(agent_keys.issue_key(membership=cast.admin, name="study", manages_ground_truth=True).secret)
    check_problem(script.get(f"/api/v1/experiments/{differing.pk}/results"), 403, slug="forbidden")
    # Whoever is not asked.
    Membership.objects.filter(pk=cast.other_reviewer.pk).update(role=Role.ADMIN)
    unasked = Desk.of(Membership.objects.get(pk=cast.other_reviewer.pk))
    unasked.shows(address, "Wrong calls passed", f"{address}/results/csv")


def test_an_attack_that_passes_leads_to_the_call_as_it_was_tried(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, kind="attack", detectors=["provenance-guard"])
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    verdict = ExperimentVerdict.objects.exclude(variant="").select_related("entry")[0]
    ExperimentVerdict.objects.filter(pk=verdict.pk).update(is_failure=True, outcome="open", reason="A guess.")
    page = f"{PAGE}/{experiment.pk}"
    address = f"{page}/cases/{verdict.subject.ordinal}?variant={verdict.variant}"
    admin_desk.shows(page, "Attacks that pass", "look-alike", address, "A guess.")
    admin_desk.shows(address, f", {verdict.variant}", "The call as it is", "A guess.")


def test_where_no_attack_was_tried_none_is_said_to_have_failed(cast: Cast, admin_desk: Desk, tmp_path: Path) -> None:
    wrong = [line(number, label={"aligned": False}) for number in range(2)]
    begin(admin_desk, frozen(load(cast, write_lines(tmp_path / "wrong.jsonl", wrong)).dataset), kind="attack")
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    body = admin_desk.shows(f"{PAGE}/{experiment.pk}", "Nothing was tried on these calls")
    assert "got past the guard" not in body


def test_the_page_shows_every_measure_of_the_papers(differing: Experiment, admin_desk: Desk) -> None:
    words = ("Recall", "Accuracy", "Mistakes", "Effective reliability", "ROC-AUC", "Brier", "Tokens a call")
    admin_desk.shows(f"{PAGE}/{differing.pk}", *words)


def test_rates_of_a_paper_s_table_come_with_their_intervals(differing: Experiment, admin_desk: Desk) -> None:
    response = admin_desk.client.get(f"{PAGE}/{differing.pk}/results/latex")
    assert "95 \\% between" in response.content.decode()


@pytest.mark.parametrize(("form", "words"), [("csv", "error_rate_low"), ("json", "p_holm"), ("latex", "tabular")])
def test_figures_are_had_as_a_file(differing: Experiment, admin_desk: Desk, form: str, words: str) -> None:
    response = admin_desk.client.get(f"{PAGE}/{differing.pk}/results/{form}")
    assert words in response.content.decode()
    assert "attachment" in response["Content-Disposition"]
    admin_desk.shows(f"{PAGE}/{differing.pk}/results/exe", status=404)


@pytest.mark.parametrize(("runs", "is_told"), [(1, True), (2, False)])
def test_a_difference_of_single_runs_comes_with_mcnemars_p(
    differing: Experiment, admin_desk: Desk, runs: int, is_told: bool
) -> None:
    Experiment.objects.filter(pk=differing.pk).update(runs=runs)
    report = admin_desk.client.get(f"{PAGE}/{differing.pk}/results/json").json()
    tested = {row["errors"]: row["p_mcnemar"] for row in report["differences"] if row["better"] == 1}
    # The one call that tells them apart may fall to either.
    assert tested["all mistakes"] == (1.0 if is_told else None)


def test_experiments_stand_side_by_side(differing: Experiment, version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, name="Morning")
    other = Experiment.objects.get(name="Morning")
    address = f"{PAGE}/compare?with={differing.pk}&with={other.pk}"
    admin_desk.shows(address, "Night: provenance-guard", "Morning: argus", "No difference between these detectors")
    admin_desk.shows(f"{PAGE}/compare?with={differing.pk}&with=x", "Choose two to 6")


def test_experiments_of_one_name_are_told_apart_side_by_side(version: DatasetVersion, admin_desk: Desk) -> None:
    for minute in (1, 2):
        begin(admin_desk, version)
        newest = Experiment.objects.latest("created_at")
        Experiment.objects.filter(pk=newest.pk).update(created_at=datetime(2026, 11, 2, 10, minute, tzinfo=UTC))
    chosen = "&".join(f"with={pk}" for pk in Experiment.objects.values_list("pk", flat=True))
    admin_desk.shows(f"{PAGE}/compare?{chosen}", ":01:00: argus", ":02:00: argus")


@pytest.mark.parametrize(("judge", "words"), [("rules", "Rules alone cost nothing"), ("openai", "nobody can tell")])
def test_what_it_may_cost_is_told_before_it_is_begun(
    version: DatasetVersion, admin_desk: Desk, judge: str, words: str
) -> None:
    response = begin(admin_desk, version, judge=judge, do="estimate", name="")
    assert words in response.content.decode()
    assert not Experiment.objects.exists()


def test_what_paused_for_its_budget_goes_on_under_a_higher_one(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, max_usd="0.50")
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    ExperimentVerdict.objects.filter(entry__ordinal=1).update(usage={"calls": 1, "cost_usd": 0.25})
    Experiment.objects.update(status=JobStatus.QUEUED, finished_at=None, paused=True)
    address = f"{PAGE}/{experiment.pk}"
    admin_desk.shows(address, "Budget in US dollars")
    for same in ("", "0.50"):
        response = admin_desk.client.post(f"{address}/control", {"do": "resume", "max_usd": same})
        assert response.status_code == 422
        assert "$0.50 of $0.50 is spent" in response.content.decode()
    admin_desk.client.post(f"{address}/control", {"do": "resume", "max_usd": "2"})
    experiment.refresh_from_db()
    assert (experiment.paused, experiment.max_usd) == (False, Decimal(2))


def test_an_experiment_is_stopped_for_good(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    admin_desk.client.post(f"{PAGE}/{experiment.pk}/control", {"do": "stop"})
    experiment.refresh_from_db()
    assert experiment.status == JobStatus.CANCELLED
    assert experiment_worker.take_next_experiment() is None


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"detectors": []}, "Choose a detector, or add an arm."),
        ({"runs": 99}, "A whole number from 1 to 10."),
        ({"name": ""}, "required"),
    ],
)
def test_a_choice_that_makes_no_sense_is_told_at_its_field(
    version: DatasetVersion, admin_desk: Desk, changed: dict[str, Any], message: str
) -> None:
    response = begin(admin_desk, version, **changed)
    assert response.status_code == 422
    assert message in response.content.decode()


def test_another_workspace_s_experiment_is_not_there(
    cast: Cast, version: DatasetVersion, admin_desk: Desk, client: Any
) -> None:
    begin(admin_desk, version)
    client.force_login(cast.outsider.user)
    assert client.get(f"{PAGE}/{Experiment.objects.get().pk}").status_code == 404


def test_recorded_calls_are_judged_from_the_page_and_what_would_go_another_way_is_listed(
    cast: Cast, admin_desk: Desk
) -> None:
    action = approved(cast)
    choices = {"name": "Month", "version": "", "days": 7, "calls": 20, "detectors": ["provenance-guard"]}
    response = admin_desk.client.post(f"{PAGE}/begin", {**choices, "judge": "rules", "runs": 1})
    experiment = Experiment.objects.get()
    assert response["Location"] == f"{PAGE}/{experiment.pk}"
    experiment_worker.run_here(experiment.pk)
    ExperimentVerdict.objects.update(verdict="aligned", reason="")
    case = f"{PAGE}/{experiment.pk}/cases/1"
    admin_desk.shows(f"{PAGE}/{experiment.pk}", "recorded calls", "What would go another way", "newly passed", case)
    admin_desk.shows(case, "What the detectors made of it", str(action.pk))
    admin_desk.shows(PAGE, "Month", "recorded calls")


def test_without_recorded_calls_the_page_says_so(admin_desk: Desk) -> None:
    choices = {"name": "Month", "version": "", "detectors": ["argus"], "judge": "rules", "runs": 1}
    response = admin_desk.client.post(f"{PAGE}/begin", choices)
    assert response.status_code == 422
    assert "No call of this period" in response.content.decode()


ARM = {"arms-TOTAL_FORMS": 1, "arms-INITIAL_FORMS": 0, "arms-0-detector": "intent-guard", "arms-0-judge": "rules"}


def test_an_arm_with_options_of_its_own_is_added_and_begun(version: DatasetVersion, admin_desk: Desk) -> None:
    body = begin(admin_desk, version, do="add").content.decode()
    assert 'name="arms-0-window"' in body
    assert not Experiment.objects.exists()
    begin(admin_desk, version, detectors=[], **ARM, **{"arms-0-window": 3, "arms-0-without_plan": "steps"})
    (arm,) = Experiment.objects.get().arms.all()
    assert arm.settings == {"judge": "rules", "options": {"without_plan": "steps", "window": 3}}


def test_an_option_that_a_detector_does_not_have_is_told_beside_it(version: DatasetVersion, admin_desk: Desk) -> None:
    response = begin(admin_desk, version, **{**ARM, "arms-0-detector": "argus", "arms-0-window": 3})
    assert response.status_code == 422
    assert "argus has no option “window”; intent-guard has." in response.content.decode()


def test_an_arm_is_left_out_again(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, **ARM, **{"arms-0-DELETE": "on"})
    assert Experiment.objects.get().arms.count() == 2


def test_fresh_answers_are_asked_for_on_the_page(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, fresh="on")
    experiment = Experiment.objects.get()
    assert experiment.fresh
    admin_desk.shows(f"{PAGE}/{experiment.pk}", "asked anew")


def test_a_call_opens_as_its_reviewer_would_read_it_with_what_each_arm_found(
    version: DatasetVersion, admin_desk: Desk
) -> None:
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    case = f"{PAGE}/{experiment.pk}/cases/2"
    for ordinal, detector in ((1, "provenance-guard"), (2, "argus")):
        body = admin_desk.shows(f"{case}?arm={ordinal}", f"by <bdi>{detector}", "Details", "ann1@")
        assert 'class="arg ' in body
        assert "Provenance (PROV-JSON)" not in body
        assert f"?arm={3 - ordinal}&amp;run=1" in body
        assert "Next detector" in body
    assert "Put it right" not in body


def test_a_recorded_call_opens_the_same_way(cast: Cast, admin_desk: Desk) -> None:
    action = approved(cast)
    choices = {"name": "Month", "version": "", "detectors": ["provenance-guard"], "judge": "rules", "runs": 1}
    admin_desk.client.post(f"{PAGE}/begin", choices)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    body = admin_desk.shows(f"{PAGE}/{experiment.pk}/cases/1", "Why it stops", "daniel.ki", str(action.pk))
    assert 'class="arg ' in body


def test_what_another_guard_found_is_told_by_its_reason_alone(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    experiment.arms.update(configuration={"judge": "rules"})
    body = admin_desk.shows(f"{PAGE}/{experiment.pk}/cases/2", "The guard has changed since", "What the detectors made")
    assert 'class="arg ' not in body


def test_what_a_model_said_is_kept_and_shown(version: DatasetVersion, admin_desk: Desk) -> None:
    begin(admin_desk, version, detectors=["direct-prompt"])
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    said = Finding(Relation.CAN_ADDRESS, "", False, "Nobody asked for that.", decided_by=DecidedBy.JUDGE)
    stage = StageResult("verdict", findings=(said,), misalignment=Misalignment.TOOL)
    experiment.arms.update(settings={"judge": "openai", "model": "m"})
    case = f"{PAGE}/{experiment.pk}/cases/2"
    admin_desk.shows(case, "What a model said of this was not kept")
    ExperimentVerdict.objects.update(stages=[stage_to_json(stage)], verdict="misaligned")
    admin_desk.shows(case, "Nobody asked for that.", "Why it stops")


def test_who_still_has_to_answer_a_recorded_call_sees_neither_label_nor_verdicts(cast: Cast, admin_desk: Desk) -> None:
    action = approved(cast)
    dataset = curation.get_or_create_dataset(cast.workspace, "study")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    running = study(cast, dataset=dataset)
    choices = {"name": "Month", "version": "", "detectors": ["provenance-guard"], "judge": "rules", "runs": 1}
    admin_desk.client.post(f"{PAGE}/begin", choices)
    experiment = Experiment.objects.get()
    experiment_worker.run_here(experiment.pk)
    case = f"{PAGE}/{experiment.pk}/cases/1"
    running.given(0)
    admin_desk.shows(case, "looks mistyped", "right call", str(action.pk))
    # Somebody who was an annotator when the campaign began.
    Membership.objects.filter(pk=running.people[1].pk).update(role=Role.ADMIN)
    promoted = Desk.of(Membership.objects.get(pk=running.people[1].pk))
    body = promoted.shows(case, "You are asked about this item")
    assert "looks mistyped" not in body
    assert "right call" not in body
