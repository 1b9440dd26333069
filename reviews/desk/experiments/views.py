"""Experiments, for administrators: begin one, watch it, pause it, read what it found."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.datasets import job_leases
from reviews.desk.experiments import figures
from reviews.desk.experiments.forms import ExperimentForm, LimitForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import InvalidError, InvalidProfileError, found
from reviews.lab.experiment_comparison import compare_arms
from reviews.lab.experiment_costs import estimate_choices, estimate_usd
from reviews.lab.experiment_results import read_results
from reviews.lab.experiment_trials import OUTCOMES, list_failures, read_tallies
from reviews.lab.experiments import pause_experiment, request_experiment, resume_experiment
from reviews.models import DatasetVersion, Experiment, ExperimentKind, JobStatus, JudgeKind

# A page lists what somebody may still look for; older ones stay in the database.
_MAX_LISTED: Final = 100
# Rows of the grid on one page.
_CASES_PAGE: Final = 50
DOWNLOADS: Final = ("csv", "json", "latex")


@require_safe
@member_page
def experiment_list(request: MemberRequest) -> HttpResponse:
    """The latest experiments, and the form for another."""
    return _render_list(request, ExperimentForm(versions=_frozen_versions(request)))


@require_POST
@member_page
def begin_experiment(request: MemberRequest) -> HttpResponse:
    """Begin an experiment; asked only what it may cost, the form again with the answer."""
    access.require(request.membership, access.Permission.ADMINISTER)
    form = ExperimentForm(request.POST, versions=_frozen_versions(request))
    if request.POST.get("do") == "estimate":
        return _render_list(request, form)
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            experiment = request_experiment(
                chosen["version"],
                name=chosen["name"],
                arms=form.arms,
                runs=chosen["runs"],
                max_usd=chosen["max_usd"],
                trial=form.trial,
                by=request.membership,
            )
        except (InvalidError, InvalidProfileError) as error:
            form.add_error(None, error.errors[0].message)
        else:
            return redirect("experiment", experiment.pk)
    return _render_list(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@require_safe
@member_page
def experiment_page(request: MemberRequest, experiment_id: UUID) -> HttpResponse:
    """One experiment, with what it found so far; the open page asks again while it runs."""
    experiment = find_experiment(request, experiment_id)
    return _render_experiment(request, experiment, LimitForm(initial={"max_usd": experiment.max_usd}))


def _render_experiment(
    request: MemberRequest, experiment: Experiment, limit: LimitForm, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    results = read_results(experiment)
    pair = figures.choose_pair(results, request.GET.get("right", ""), request.GET.get("wrong", ""))
    page = Paginator(figures.list_ordinals(results, pair), _CASES_PAGE).get_page(request.GET.get("page"))
    context = {
        "experiment": experiment,
        "limit": limit,
        "is_open": experiment.status in (JobStatus.QUEUED, JobStatus.RUNNING),
        "estimate": estimate_usd(experiment) if experiment.status == JobStatus.QUEUED else None,
        "results": results,
        "is_labelled": any(result.labels.is_labelled.any() for result in results),
        "is_measurable": any(result.is_measurable for result in results),
        "differences": [difference for difference in compare_arms(results) if difference.is_significant],
        "charts": figures.draw_charts({result.name: result for result in results}),
        "pair": pair,
        "page": page,
        "tallies": read_tallies(experiment),
        "outcomes": OUTCOMES.get(ExperimentKind(experiment.kind), ()),
        "failures": Paginator(list_failures(experiment), _CASES_PAGE).get_page(request.GET.get("failures")),
        "cases": figures.list_rows(experiment, results, list(page)),
        "forms": DOWNLOADS,
    }
    return render(request, "experiments/experiment.html", context, status=status)


@require_POST
@member_page
def control_experiment(request: MemberRequest, experiment_id: UUID) -> HttpResponse:
    """Pause the experiment, let it go on, or stop it for good."""
    experiment = find_experiment(request, experiment_id)
    match request.POST.get("do", ""):
        case "pause":
            pause_experiment(experiment)
        case "stop":
            job_leases.cancel_job(experiment)
        case "resume":
            return _resume(request, experiment)
    return redirect("experiment", experiment.pk)


def _resume(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    """Let it go on under the limit of the form; one that is spent is told beside it."""
    limit = LimitForm(request.POST)
    if limit.is_valid():
        try:
            resume_experiment(experiment, limit.cleaned_data["max_usd"])
        except (InvalidError, InvalidProfileError) as error:
            limit.add_error("max_usd", error.errors[0].message)
        else:
            return redirect("experiment", experiment.pk)
    return _render_experiment(request, experiment, limit, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _render_list(request: MemberRequest, form: ExperimentForm, *, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    experiments = access.experiments_for(request.membership).order_by("-created_at")[:_MAX_LISTED]
    context = {"experiments": experiments, "form": form, "estimate": _describe_estimate(form)}
    return render(request, "experiments/experiments.html", context, status=status)


def _describe_estimate(form: ExperimentForm) -> str:
    """What the choices of the form may cost, as a sentence; empty while they are none."""
    # The name may still be missing.
    chosen = form.cleaned_data if form.is_bound and (form.is_valid() or form.cleaned_data) else {}
    if not {"version", "detectors", "judge", "runs", "kind", "variants"} <= chosen.keys():
        return ""
    if chosen["judge"] == JudgeKind.RULES:
        return "Rules alone cost nothing."
    usd = estimate_choices(chosen["version"], form.arms, runs=chosen["runs"], trial=form.trial)
    if usd is None:
        return "What it costs nobody can tell: nothing was asked of this model yet."
    return f"About ${usd}, by what the latest verdicts with this model took."


def _frozen_versions(request: MemberRequest) -> QuerySet[DatasetVersion]:
    versions = access.dataset_versions_for(request.membership).filter(frozen_at__isnull=False)
    return versions.order_by("dataset__name", "-number")


def find_experiment(request: MemberRequest, experiment_id: UUID) -> Experiment:
    """The experiment, if this person may see it. Raises `NotFoundError`."""
    return found(access.experiments_for(request.membership).filter(pk=experiment_id).first(), "experiment")
