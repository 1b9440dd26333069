"""Experiments, for administrators: begin one, watch it, pause it, read what it found."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.desk.experiments import figures
from reviews.desk.experiments.arm_forms import PREFIX
from reviews.desk.experiments.forms import ExperimentForm, LimitForm
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import InvalidError, InvalidProfileError, found
from reviews.lab.experiment_calls import describe_source
from reviews.lab.experiment_comparison import compare_arms, flipped_calls
from reviews.lab.experiment_costs import estimate_choices, estimate_usd
from reviews.lab.experiment_final_figures import PREDICTED
from reviews.lab.experiment_results import read_results
from reviews.lab.experiment_trials import OUTCOMES, list_failures, read_tallies
from reviews.lab.experiments import MAX_ARMS, pause_experiment, request_experiment, resume_experiment, stop_experiment
from reviews.lab.owed_calls import count_owed_labels, owed_calls
from reviews.models import DatasetVersion, Experiment, ExperimentKind, JobStatus, JudgeKind, Workspace

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
    adds = request.POST.get("do") == "add"
    form = ExperimentForm(_with_arm(request.POST) if adds else request.POST, versions=_frozen_versions(request))
    if adds:
        # What was asked for is written next.
        form.arm_forms.forms[-1].fields["detector"].widget.attrs["autofocus"] = True
    if adds or request.POST.get("do") == "estimate":
        return _render_list(request, form)
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            experiment = request_experiment(
                form.draw_source(request.membership.workspace),
                name=chosen["name"],
                arms=form.arms,
                runs=chosen["runs"],
                max_usd=chosen["max_usd"],
                trial=form.trial,
                fresh=chosen["fresh"],
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
    # All figures rest on the labels of all calls.
    withheld = count_owed_labels(experiment, request.membership)
    results = [] if withheld else read_results(experiment)
    # A row of what is listed tells the call's label, if only by which detector was mistaken.
    owed = owed_calls(experiment, request.membership)
    hidden = set(owed.values_list("ordinal", flat=True))
    flipped = [ordinal for ordinal in flipped_calls(results) if ordinal not in hidden]
    flips = Paginator(flipped, _CASES_PAGE).get_page(request.GET.get("flips"))
    pair = figures.choose_pair(results, request.GET.get("right", ""), request.GET.get("wrong", ""))
    differing = [ordinal for ordinal in figures.list_ordinals(results, pair) if ordinal not in hidden]
    page = Paginator(differing, _CASES_PAGE).get_page(request.GET.get("page"))
    failures = list_failures(experiment).exclude(**{f"{experiment.subject}__in": owed.values("pk")})
    compared, tallies = compare_arms(results), [] if withheld else read_tallies(experiment)
    context = {
        "experiment": experiment,
        "source": describe_source(experiment),
        "limit": limit,
        "is_open": experiment.status in (JobStatus.QUEUED, JobStatus.RUNNING),
        "estimate": estimate_usd(experiment) if experiment.status == JobStatus.QUEUED else None,
        "results": results,
        "is_labelled": any(result.labels.is_labelled.any() for result in results),
        "is_measurable": any(result.is_measurable for result in results),
        "is_compared": any(difference.is_of_any for difference in compared),
        "differences": [difference for difference in compared if difference.is_significant],
        "charts": figures.draw_charts({result.name: result for result in results}),
        "pair": pair,
        "page": page,
        "tallies": tallies,
        "is_tried": any(tally.tried for of_arm in tallies for tally in of_arm.tallies),
        "outcomes": OUTCOMES.get(ExperimentKind(experiment.kind), ()),
        "failures": Paginator(failures, _CASES_PAGE).get_page(request.GET.get("failures")),
        "cases": figures.list_rows(experiment, results, list(page)),
        "flips": flips,
        "flipped": figures.list_rows(experiment, results, list(flips)),
        "has_types": any(result.figures.type_rows for result in results),
        "predicted": PREDICTED,
        "forms": DOWNLOADS,
        "hidden": len(hidden),
        "withheld": withheld,
    }
    return render(request, "experiments/experiment.html", context, status=status)


@require_POST
@member_page
def control_experiment(request: MemberRequest, experiment_id: UUID) -> HttpResponse:
    """Pause the experiment, let it go on, or stop it for good."""
    experiment = find_experiment(request, experiment_id)
    match request.POST.get("do", ""):
        case "pause":
            pause_experiment(experiment, by=request.membership)
        case "stop":
            stop_experiment(experiment, by=request.membership)
        case "resume":
            return _resume(request, experiment)
    return redirect("experiment", experiment.pk)


def _resume(request: MemberRequest, experiment: Experiment) -> HttpResponse:
    """Let it go on under the limit of the form; one that is spent is told beside it."""
    limit = LimitForm(request.POST)
    if limit.is_valid():
        try:
            resume_experiment(experiment, limit.cleaned_data["max_usd"], by=request.membership)
        except (InvalidError, InvalidProfileError) as error:
            limit.add_error("max_usd", error.errors[0].message)
        else:
            return redirect("experiment", experiment.pk)
    return _render_experiment(request, experiment, limit, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def _with_arm(sent: QueryDict) -> QueryDict:
    """What was sent, with room for one more arm."""
    changed = sent.copy()
    total = changed.get(f"{PREFIX}-TOTAL_FORMS", "0")
    changed[f"{PREFIX}-TOTAL_FORMS"] = str(min(int(total) + 1, MAX_ARMS) if total.isdecimal() else 1)
    changed.setdefault(f"{PREFIX}-INITIAL_FORMS", "0")
    return changed


def _render_list(request: MemberRequest, form: ExperimentForm, *, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    experiments = access.experiments_for(request.membership).order_by("-created_at")[:_MAX_LISTED]
    listed = [(experiment, describe_source(experiment)) for experiment in experiments]
    context = {"experiments": listed, "form": form, "estimate": _describe_estimate(form, request.membership.workspace)}
    return render(request, "experiments/experiments.html", context, status=status)


def _describe_estimate(form: ExperimentForm, workspace: Workspace) -> str:
    """What the choices of the form may cost, as a sentence; empty while they are none."""
    # The name may still be missing.
    chosen = form.cleaned_data if form.is_bound and (form.is_valid() or form.cleaned_data) else {}
    is_told = {"version", "detectors", "judge", "runs", "kind", "variants"} <= chosen.keys()
    if not is_told or (form.arm_forms.is_bound and not form.arm_forms.is_valid()):
        return ""
    if all(arm.judge == JudgeKind.RULES for arm in form.arms):
        return "Rules alone cost nothing."
    try:
        source = form.draw_source(workspace, labelled=False)
        usd = estimate_choices(source, form.arms, runs=chosen["runs"], trial=form.trial)
    except InvalidError as error:
        return error.errors[0].message
    if usd is None:
        return "What it costs nobody can tell: nothing that has a price was asked of this model yet."
    return f"About ${usd}, by what the latest verdicts with this model took."


def _frozen_versions(request: MemberRequest) -> QuerySet[DatasetVersion]:
    versions = access.dataset_versions_for(request.membership).filter(frozen_at__isnull=False)
    return versions.order_by("dataset__name", "-number")


def find_experiment(request: MemberRequest, experiment_id: UUID) -> Experiment:
    """The experiment, if this person may see it. Raises `NotFoundError`."""
    return found(access.experiments_for(request.membership).filter(pk=experiment_id).first(), "experiment")
