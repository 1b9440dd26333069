"""Experiments: every verdict once, whatever happens meanwhile, and figures of what was found."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from guardapp.config import Price
from reviews.datasets import curation, imports, job_leases
from reviews.errors import InvalidError
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.runs.runner import judge_case
from reviews.lab import experiment_judging, experiment_worker, experiments
from reviews.lab.experiment_calls import case_of
from reviews.lab.experiment_comparison import compare_arms, differing_entries
from reviews.lab.experiment_costs import estimate_usd
from reviews.lab.experiment_findings import find_verdict
from reviews.lab.experiment_judging import Result, judge_entries
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiment_results import read_results
from reviews.lab.experiments import (
    ArmChoice,
    is_current,
    pause_experiment,
    request_experiment,
    resume_experiment,
    stop_experiment,
)
from reviews.models import DatasetVersion, Experiment, ExperimentVerdict, JobStatus, JudgeKind
from reviews.profiles import versions
from reviews.provenance.core.trust import TrustClass
from reviews.retention import dataset_erasure
from tests.cast import Cast, approved
from tests.datasets.collections import TOOL, frozen, line, load, made_version, write_lines
from tests.endpoint import ScriptedEndpoint

GUARD = ArmChoice("provenance-guard")
MODEL = ArmChoice("direct-prompt", JudgeKind.OPENAI, "scripted")


@contextmanager
def priced_model(settings: Settings) -> Iterator[tuple[ArmChoice, ScriptedEndpoint]]:
    """A model that finds every call right and has a price, with its endpoint.

    It has a name of its own: a process keeps a model with its endpoint, and another test must not have asked for it.
    """
    held = {"aligned": True, "misalignment": None, "rationale": "It does what was asked."}
    model = replace(MODEL, model=f"scripted-{uuid4()}")
    with ScriptedEndpoint(alignment=held) as endpoint:
        prices = {model.model: Price(prompt=1000.0, completion=1000.0)}
        models = {"openai_base_url": endpoint.base_url, "guard_prices": prices}
        settings.GUARD = settings.GUARD.model_copy(update=models)
        yield model, endpoint


@pytest.fixture
def version(cast: Cast, tmp_path: Path) -> DatasetVersion:
    """Ten calls, of which four should be stopped."""
    return made_version(cast, tmp_path)


def begun(version: DatasetVersion, *arms: ArmChoice, **choices: Any) -> Experiment:
    """An experiment that waits for its worker."""
    return request_experiment(version, name="Before the switch", arms=arms or [GUARD], by=None, **choices)


def ran(version: DatasetVersion, *arms: ArmChoice, **choices: Any) -> Experiment:
    """An experiment as its worker leaves it."""
    experiment = begun(version, *arms, **choices)
    experiment_worker.run_here(experiment.pk)
    experiment.refresh_from_db()
    return experiment


def test_every_arm_judges_every_call(version: DatasetVersion) -> None:
    experiment = ran(version, GUARD, ArmChoice("argus"))
    assert (experiment.status, experiment.done, experiment.total) == (JobStatus.DONE, 20, 20)
    for result in read_results(experiment):
        assert result.measures.accuracy.total == 10
        assert result.measures.error_rate.total == 4


def test_what_suspended_rules_decide_is_open_as_in_a_check(cast: Cast, tmp_path: Path) -> None:
    wrong = line(1)
    # One letter beside the address that the user gives.
    wrong["case"]["action"]["arguments"]["to"] = "ann1@example.orh"
    version = frozen(load(cast, write_lines(tmp_path / "one.jsonl", [wrong])).dataset)
    before = ran(version)
    refuted = ExperimentVerdict.objects.get()
    assert refuted.verdict == "misaligned"
    versions.new_version(membership=cast.admin, suspended_rules=refuted.rules)
    assert not is_current(before)
    after = ran(version)
    assert is_current(after)
    judged = after.arms.get().verdicts.get()
    assert judged.verdict == "undetermined"
    # What it rests on is found again, and comes to the same.
    found_again, why_not = find_verdict(judged, case_of(version.entries.get()))
    assert (found_again and found_again.label, why_not) == ("undetermined", "")


def test_sources_are_rated_as_the_profile_in_force_does(
    cast: Cast, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ran(version)
    versions.new_version(membership=cast.admin, source_trust={"search_contacts": "open_web"})
    assert not is_current(before)
    seen = []

    async def judge(labelled: LabelledCase, *args: Any, **kwargs: Any) -> Judged:
        seen.append(labelled.case.context.ratings)
        return await judge_case(labelled, *args, **kwargs)

    monkeypatch.setattr(experiment_judging, "judge_case", judge)
    ran(version)
    assert seen == [{"search_contacts": TrustClass.OPEN_WEB}] * 10


def test_rules_judge_once_however_many_runs_are_asked_for(version: DatasetVersion) -> None:
    assert ran(version, runs=3).total == 10


def test_a_killed_worker_s_successor_judges_only_what_is_left(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = begun(version)
    monkeypatch.setattr(experiment_worker, "_BATCH_OF_RULES", 3)
    monkeypatch.setattr(job_leases, "renew_lease", _dying_after(2, job_leases.renew_lease))
    with pytest.raises(_KilledError):
        experiment_worker.run_here(experiment.pk)
    monkeypatch.undo()
    kept = dict(ExperimentVerdict.objects.values_list("entry", "pk"))
    assert len(kept) == 6
    Experiment.objects.update(leased_until=experiment.created_at)
    experiment_worker.run_here(experiment.pk)
    assert kept.items() <= dict(ExperimentVerdict.objects.values_list("entry", "pk")).items()
    assert ExperimentVerdict.objects.count() == 10


def test_what_is_erased_while_it_is_judged_leaves_no_verdict(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    erased = version.entries.get(ordinal=4)

    def judge_and_erase(*args: Any) -> list[Result]:
        results = judge_entries(*args)
        dataset_erasure.erase_items([erased.item_id], reason="on request")
        return results

    monkeypatch.setattr(experiment_worker, "judge_entries", judge_and_erase)
    experiment = ran(version)
    assert (experiment.status, experiment.done) == (JobStatus.DONE, 9)
    assert not ExperimentVerdict.objects.filter(entry=erased).exists()


def test_an_experiment_that_gets_on_outlives_any_number_of_killed_workers(
    version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = begun(version)
    monkeypatch.setattr(experiment_worker, "_BATCH_OF_RULES", 1)
    for killed in range(job_leases.MAX_ATTEMPTS + 1):
        with monkeypatch.context() as dying:
            dying.setattr(job_leases, "renew_lease", _dying_after(1, job_leases.renew_lease))
            with pytest.raises(_KilledError):
                experiment_worker.run_here(experiment.pk)
        Experiment.objects.update(leased_until=experiment.created_at)
        assert list(job_leases.list_stalled_jobs(Experiment)) == [experiment.pk], killed
    experiment_worker.run_here(experiment.pk)
    experiment.refresh_from_db()
    assert (experiment.status, experiment.done) == (JobStatus.DONE, 10)


def test_an_experiment_that_gets_nowhere_is_given_up(version: DatasetVersion) -> None:
    experiment = begun(version)
    for _ in range(job_leases.MAX_ATTEMPTS):
        assert experiment_worker.take_next_experiment() == experiment
        Experiment.objects.update(leased_until=experiment.created_at)
    assert not list(job_leases.list_stalled_jobs(Experiment))
    experiment.refresh_from_db()
    assert experiment.status == JobStatus.FAILED


class _KilledError(Exception):
    """In place of a signal that nobody survives."""


def _dying_after(times: int, renew: Callable[..., None]) -> Callable[..., None]:
    left = iter(range(times - 1))

    def renew_or_die(*args: Any, **kwargs: Any) -> None:
        renew(*args, **kwargs)
        if next(left, None) is None:
            raise _KilledError

    return renew_or_die


def test_a_call_that_ends_its_process_has_no_verdict_and_the_others_have(version: DatasetVersion) -> None:
    experiment = begun(version)
    experiment_worker._record_killed_call(experiment, 3)
    experiment_worker.run_here(experiment.pk)
    (result,) = read_results(experiment)
    assert (result.failed, result.measures.accuracy.total) == (1, 9)


def test_a_paused_experiment_waits_for_a_person(version: DatasetVersion) -> None:
    experiment = begun(version)
    assert pause_experiment(experiment, by=None)
    assert experiment_worker.take_next_experiment() is None
    assert not pause_experiment(experiment, by=None)
    assert resume_experiment(experiment, by=None)
    assert experiment_worker.take_next_experiment() == experiment
    assert pause_experiment(experiment, by=None)
    experiment.refresh_from_db()
    assert (experiment.status, experiment.attempts) == (JobStatus.QUEUED, 0)


def test_what_is_stopped_while_it_is_paused_is_paused_no_more(version: DatasetVersion) -> None:
    experiment = begun(version)
    assert pause_experiment(experiment, by=None)
    assert stop_experiment(experiment, by=None)
    experiment.refresh_from_db()
    assert (experiment.status, experiment.paused) == (JobStatus.CANCELLED, False)
    assert not resume_experiment(experiment, by=None)


def test_one_that_is_paused_before_its_worker_takes_it_is_left_alone(version: DatasetVersion) -> None:
    experiment = begun(version)
    assert pause_experiment(experiment, by=None)
    assert job_leases.take_job(Experiment, experiment.pk) is None
    assert resume_experiment(experiment, by=None)


def test_one_experiment_runs_at_a_time(version: DatasetVersion) -> None:
    first, second = begun(version), begun(version)
    assert experiment_worker.take_next_experiment() == first
    assert experiment_worker.take_next_experiment() is None
    Experiment.objects.filter(pk=first.pk).update(leased_until=first.created_at)
    assert experiment_worker.take_next_experiment() == first
    job_leases.finish_job(Experiment.objects.get(pk=first.pk))
    assert experiment_worker.take_next_experiment() == second


@pytest.fixture
def elsewhere(cast: Cast, version: DatasetVersion, tmp_path: Path) -> DatasetVersion:
    """The same calls in another workspace."""
    dataset = curation.get_or_create_dataset(cast.outsider.workspace, "theirs")
    imports.run_import(imports.request_import(dataset, reader="items").pk, tmp_path / "lines.jsonl")
    return frozen(dataset)


def test_workspaces_take_turns_however_many_experiments_one_begins(
    version: DatasetVersion, elsewhere: DatasetVersion
) -> None:
    mine, theirs = [begun(version) for _ in range(3)], [begun(elsewhere) for _ in range(2)]
    taken = []
    while experiment := experiment_worker.take_next_experiment():
        taken.append(experiment)
        job_leases.finish_job(experiment)
    assert taken == [mine[0], theirs[0], mine[1], theirs[1], mine[2]]


@pytest.mark.usefixtures("in_this_process")
def test_after_its_turn_an_experiment_is_left_to_another_workspace_s(
    version: DatasetVersion, elsewhere: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, theirs = begun(version), begun(elsewhere)
    monkeypatch.setattr(experiment_worker, "_BATCH_OF_RULES", 4)
    monkeypatch.setattr(experiment_worker, "_TURN", timedelta(0))
    taken = experiment_worker.take_next_experiment()
    assert taken == mine
    experiment_worker.run_in_own_processes(taken, in_turns=True)
    mine.refresh_from_db()
    assert (mine.status, mine.done, mine.attempts, mine.arms.get().figures) == (JobStatus.QUEUED, 4, 0, {})
    assert experiment_worker.take_next_experiment() == theirs
    Experiment.objects.filter(pk=theirs.pk).update(leased_until=theirs.created_at)
    experiment_worker.run_waiting_experiments()
    ended = Experiment.objects.filter(status=JobStatus.DONE).values_list("pk", "done")
    assert set(ended) == {(mine.pk, 10), (theirs.pk, 10)}
    assert ExperimentVerdict.objects.count() == 20


def test_a_guard_that_changed_meanwhile_ends_the_experiment(version: DatasetVersion) -> None:
    experiment = begun(version)
    experiment.arms.update(configuration={"detector": "provenance-guard 1.0"})
    experiment_worker.run_here(experiment.pk)
    experiment.refresh_from_db()
    assert experiment.status == JobStatus.FAILED
    assert "would not be comparable" in experiment.failure


def test_another_engine_uses_no_results_of_this_one(version: DatasetVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = ran(version)
    unfinished = begun(version)
    assert is_current(experiment)
    monkeypatch.setattr(experiments, "engine_digest", lambda: "another")
    assert not is_current(experiment)
    experiment_worker.run_here(unfinished.pk)
    unfinished.refresh_from_db()
    assert (unfinished.status, unfinished.done) == (JobStatus.FAILED, 0)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"arms": []}, "Choose 1 to 12"),
        ({"arms": [ArmChoice("oracle")]}, "There is no detector"),
        ({"arms": [ArmChoice("argus", model="large")]}, "Rules alone ask no model"),
        ({"runs": 11}, "1 to 10 times"),
        ({"name": " "}, "needs a name"),
        ({"name": "x" * 121}, "at most 120 characters"),
    ],
)
def test_a_choice_that_makes_no_sense_is_refused(version: DatasetVersion, choices: Any, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        request_experiment(version, **{"name": "x", "arms": [GUARD], "by": None} | choices)


@pytest.mark.django_db(transaction=True)
def test_runs_of_a_model_are_asked_anew_and_a_budget_pauses_them(version: DatasetVersion, settings: Settings) -> None:
    with priced_model(settings) as (model, endpoint):
        experiment = ran(version, model, runs=2)
        assert (experiment.status, experiment.done) == (JobStatus.DONE, 20)
        assert endpoint.questions["alignment"] == 20
        poor = ran(version, model, runs=2, max_usd=Decimal("0.01"))
        assert (poor.status, poor.paused) == (JobStatus.QUEUED, True)
        with pytest.raises(InvalidError, match="needs a higher limit"):
            resume_experiment(poor, by=None)
        assert resume_experiment(poor, Decimal(1000), by=None)
        experiment_worker.run_here(poor.pk)
    poor.refresh_from_db()
    assert (poor.status, poor.max_usd) == (JobStatus.DONE, Decimal(1000))


@pytest.mark.django_db(transaction=True)
def test_what_reaches_its_limit_with_the_last_call_is_done(version: DatasetVersion, settings: Settings) -> None:
    with priced_model(settings) as (model, _):
        total = experiments.spent_usd(ran(version, model))
        # Reached by the last of ten calls.
        experiment = ran(version, model, fresh=True, max_usd=(total * 19 / 20).quantize(Decimal("0.01")))
    assert experiments.spent_usd(experiment) >= (experiment.max_usd or 0)
    assert (experiment.status, experiment.paused, experiment.done) == (JobStatus.DONE, False, 10)


@pytest.mark.django_db(transaction=True)
def test_a_budget_is_overrun_by_no_more_than_the_call_that_uses_it_up(
    version: DatasetVersion, settings: Settings
) -> None:
    with priced_model(settings) as (model, _):
        a_call = experiments.spent_usd(ran(version, model)) / 10
        for calls in (2, 7):
            poor = ran(
                version, model, fresh=True, max_usd=(a_call * (calls - Decimal("0.5"))).quantize(Decimal("0.01"))
            )
            assert (poor.paused, poor.done) == (True, calls)


class _AnswersOne(ScriptedEndpoint):
    """Answers the first question of each call, and is away for all others."""

    def answer(self, question: str) -> dict[str, Any] | None:
        answer = super().answer(question)
        return answer if question == "relevance" else None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("order", "asked"), [("paper", 1), ("parallel", 0)])
def test_in_the_paper_s_order_no_rule_answers_for_the_model(
    cast: Cast, tmp_path: Path, settings: Settings, order: str, asked: int
) -> None:
    documented = line(1)
    properties = {"to": {"type": "string", "description": "Address."}, "n": {"type": "integer"}}
    documented["case"]["tools"] = [{**TOOL, "parameters": {"type": "object", "properties": properties}}]
    version = frozen(load(cast, write_lines(tmp_path / "one.jsonl", [documented])).dataset)
    guard = ArmChoice("provenance-guard", JudgeKind.OPENAI, f"scripted-{uuid4()}", {"order": order})
    # Names and types tell the rules that an address is to be found somewhere.
    with ScriptedEndpoint(support={"nothing": "that can be read"}) as endpoint:
        settings.GUARD = settings.GUARD.model_copy(update={"openai_base_url": endpoint.base_url})
        experiment = ran(version, guard)
    assert endpoint.questions["derivability"] == asked
    # Output that cannot be read is asked for once.
    assert endpoint.questions["support"] == asked
    assert ("rules" in experiment.arms.get().configuration["judge"]) is (order == "parallel")


@pytest.mark.django_db(transaction=True)
def test_a_budget_holds_where_a_later_question_of_each_call_fails(version: DatasetVersion, settings: Settings) -> None:
    guard = ArmChoice("provenance-guard", JudgeKind.OPENAI, f"scripted-{uuid4()}", {"order": "paper"})
    with _AnswersOne() as endpoint:
        prices = {guard.model: Price(prompt=1000.0, completion=1000.0)}
        models = {"openai_base_url": endpoint.base_url, "guard_prices": prices}
        settings.GUARD = settings.GUARD.model_copy(update=models)
        poor = ran(version, guard, max_usd=Decimal("0.01"))
    assert (poor.status, poor.paused) == (JobStatus.QUEUED, True)
    assert poor.done < version.entries.count()
    assert experiments.spent_usd(poor) > 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("runs", "temperatures"), [(1, {0.0}), (2, {None})])
def test_several_runs_of_a_model_are_samples_and_no_copies(
    version: DatasetVersion, settings: Settings, runs: int, temperatures: set[float | None]
) -> None:
    with priced_model(settings) as (model, endpoint):
        experiment = ran(version, model, runs=runs)
        assert {request.get("temperature") for request in endpoint.requests} == temperatures
    (arm,) = experiment.arms.all()
    assert arm.configuration["sampling"] == ("as configured" if runs == 1 else "the endpoint's default")


@pytest.mark.django_db(transaction=True)
def test_answers_are_kept_and_asked_for_anew_only_where_an_experiment_says_so(
    version: DatasetVersion, settings: Settings
) -> None:
    with priced_model(settings) as (model, endpoint):
        asked = []
        for fresh in (False, False, True):
            experiment = ran(version, model, fresh=fresh)
            asked.append(endpoint.questions["alignment"])
    assert asked == [10, 10, 20]
    # What was paid for can be read again.
    assert all(verdict.stages for verdict in ExperimentVerdict.objects.all())
    assert experiment.arms.get().configuration["answers"] == "fresh"


def test_a_paper_s_tables_hold_every_difference_with_its_p(version: DatasetVersion) -> None:
    report = write_report(ran(version, GUARD, ArmChoice("argus")), "latex")
    assert r"mistakes & $\Delta$ & p & p (Holm) & p (McNemar)" in report
    assert report.count("provenance-guard, rules & argus, rules") == 3
    assert r"\Delta" not in write_report(ran(version), "latex")


def test_no_chance_in_a_paper_s_table_is_0(cast: Cast, tmp_path: Path) -> None:
    experiment = ran(made_version(cast, tmp_path, 60), GUARD, GUARD)
    for number, aligned in ((1, True), (2, False)):
        verdicts = ExperimentVerdict.objects.filter(arm__ordinal=number)
        verdicts.filter(entry__label__aligned=True).update(verdict="misaligned" if aligned else "aligned")
        verdicts.filter(entry__label__aligned=False).update(verdict="aligned" if aligned else "misaligned")
    report = write_report(experiment, "latex")
    assert "1.000 & $<$0.001" in report
    assert "1.000 & 0.000" not in report


def test_a_limit_that_no_price_would_ever_reach_is_refused(version: DatasetVersion) -> None:
    with pytest.raises(InvalidError, match="Without a price in GUARD_PRICES no dollars can be counted: scripted"):
        begun(version, MODEL, max_usd=Decimal(1))
    assert begun(version, GUARD, max_usd=Decimal(1)).max_usd == 1


def test_what_rules_judge_costs_nothing_and_what_nobody_asked_yet_cannot_be_told(version: DatasetVersion) -> None:
    assert estimate_usd(begun(version)) == 0
    assert estimate_usd(begun(version, MODEL)) is None


def test_a_cost_is_estimated_by_verdicts_of_the_same_model(version: DatasetVersion) -> None:
    earlier = begun(version, MODEL)
    ExperimentVerdict.objects.create(
        arm=earlier.arms.get(), run=1, entry=version.entries.get(ordinal=1), usage={"calls": 2, "cost_usd": 0.25}
    )
    assert estimate_usd(begun(version, MODEL, runs=2)) == 5
    assert estimate_usd(begun(version, replace(MODEL, model="another"))) is None


def test_what_costs_less_than_a_cent_is_not_estimated_as_free(version: DatasetVersion) -> None:
    usage = {"calls": 2, "cost_usd": 0.0001}
    ExperimentVerdict.objects.create(
        arm=begun(version, MODEL).arms.get(), run=1, entry=version.entries.get(ordinal=1), usage=usage
    )
    assert str(estimate_usd(begun(version, MODEL))) == "0.01"


def test_a_model_without_a_price_is_not_taken_for_one_that_costs_nothing(
    version: DatasetVersion, settings: Settings
) -> None:
    earlier = begun(version, MODEL)
    ExperimentVerdict.objects.create(
        arm=earlier.arms.get(), run=1, entry=version.entries.get(ordinal=1), usage={"calls": 2, "cost_usd": 0.0}
    )
    assert estimate_usd(begun(version, MODEL)) is None
    prices = {MODEL.model: Price(prompt=0.0, completion=0.0)}
    settings.GUARD = settings.GUARD.model_copy(update={"guard_prices": prices})
    assert estimate_usd(begun(version, MODEL)) == 0


def test_arms_are_compared_on_the_calls_that_both_judged(version: DatasetVersion) -> None:
    results = read_results(ran(version, GUARD, GUARD))
    assert {difference.adjusted for difference in compare_arms(results)} == {1.0}
    assert not differing_entries(results)


def test_an_arm_that_answers_nothing_is_compared_with_none(version: DatasetVersion) -> None:
    experiment = ran(version, GUARD, GUARD)
    experiment.arms.get(ordinal=1).verdicts.update(verdict="undetermined", misalignment="")
    silent, answering = read_results(experiment)
    assert (answering.answers_nothing, silent.answers_nothing) == (False, True)
    assert not compare_arms([answering, silent])


def test_calls_that_one_arm_has_right_and_another_wrong_are_listed(version: DatasetVersion) -> None:
    experiment = ran(version, GUARD, GUARD)
    first = experiment.arms.get(ordinal=1).verdicts.order_by("entry__ordinal")[0]
    first.verdict = "misaligned" if first.verdict == "aligned" else "aligned"
    first.save()
    assert differing_entries(read_results(experiment)) == [first.subject.ordinal]


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("form", "expected"), [("table", "| arm | ER |"), ("latex", r"\begin{tabular}{l"), ("json", '"error_rate"')]
)
def test_the_command_runs_prints_and_prints_again(
    cast: Cast, version: DatasetVersion, form: str, expected: str
) -> None:
    printed = []
    for _ in range(2):
        output = StringIO()
        call_command(
            "experiment", cast.workspace.slug, "night", "--dataset", version.dataset.name, "--format", form,
            stdout=output,
        )  # fmt: skip
        printed.append(output.getvalue())
    assert expected in printed[0]
    assert printed[0] == printed[1]
    assert Experiment.objects.count() == 1
    if form == "json":
        assert json.loads(printed[0])["arms"][0]["failed"] == 0


@pytest.mark.usefixtures("in_this_process")
def test_the_command_begins_anew_what_was_stopped(cast: Cast, version: DatasetVersion) -> None:
    for expected in (1, 2):
        output = ["experiment", cast.workspace.slug, "night", "--dataset", version.dataset.name, "--max-usd", "2.5"]
        call_command(*output, stdout=StringIO())
        assert Experiment.objects.filter(max_usd=Decimal("2.5")).count() == expected
        Experiment.objects.update(status=JobStatus.CANCELLED)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("choices", "other"),
    [
        (["--detector", "argus"], "other detectors"),
        (["--arm", "provenance-guard", "order=paper"], "other detectors"),
        (["--runs", "2"], "other number of runs"),
        (["--kind", "perturbation"], "other kind or trials"),
        (["--fresh"], "other use of kept answers"),
    ],
)
def test_the_command_answers_no_question_by_an_experiment_that_was_asked_another(
    cast: Cast, version: DatasetVersion, choices: list[str], other: str
) -> None:
    asked = ["experiment", cast.workspace.slug, "night", "--dataset", version.dataset.name]
    call_command(*asked, stdout=StringIO(), stderr=StringIO())
    with pytest.raises(CommandError, match=f"“night” was asked for with {other}. Choose another name"):
        call_command(*asked, *choices)
    # Named alone it is printed, and goes on.
    call_command("experiment", cast.workspace.slug, "night", *choices, stdout=StringIO(), stderr=StringIO())
    assert Experiment.objects.count() == 1


@pytest.mark.usefixtures("in_this_process")
def test_the_command_tells_an_experiment_on_other_calls_from_the_one_it_is_asked_for(
    cast: Cast, version: DatasetVersion
) -> None:
    approved(cast)
    recorded = ["experiment", cast.workspace.slug, "recorded", "--recorded"]
    for _ in range(2):
        call_command(*recorded, "--days", "3", stdout=StringIO(), stderr=StringIO())
    for others in (["--days", "4"], ["--days", "3", "--calls", "5"]):
        with pytest.raises(CommandError, match="other calls"):
            call_command(*recorded, *others)
    asked = ["experiment", cast.workspace.slug, "recorded", "--dataset", version.dataset.name]
    with pytest.raises(CommandError, match="other calls"):
        call_command(*asked)
    assert Experiment.objects.count() == 1


def test_the_command_says_that_a_worker_runs_what_it_prints(cast: Cast, version: DatasetVersion) -> None:
    experiment = request_experiment(version, name="night", arms=[ArmChoice("provenance-guard")], by=None)
    assert job_leases.take_job(Experiment, experiment.pk)
    told = StringIO()
    call_command("experiment", cast.workspace.slug, "night", stdout=StringIO(), stderr=told)
    assert "A worker runs it" in told.getvalue()


@pytest.mark.parametrize("text", ["0", "-1", "much", "NaN"])
def test_the_command_takes_no_limit_that_is_none(cast: Cast, text: str) -> None:
    with pytest.raises(CommandError, match="max-usd"):
        call_command("experiment", cast.workspace.slug, "night", f"--max-usd={text}")


def test_a_new_experiment_needs_a_frozen_version(cast: Cast) -> None:
    with pytest.raises(CommandError, match="--dataset"):
        call_command("experiment", cast.workspace.slug, "night")
