"""What experiments found, in detail: one call beside every verdict on it, several experiments side by side, files."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import localtime
from django.views.decorators.http import require_safe

from reviews import access
from reviews.desk.annotate.blind_case import blind_case
from reviews.desk.experiments import figures
from reviews.desk.experiments.arm_file import open_arm_file
from reviews.desk.experiments.views import DOWNLOADS, find_experiment
from reviews.desk.membership import MemberRequest, member_page
from reviews.errors import NotFoundError, found
from reviews.lab import experiment_trials
from reviews.lab.experiment_calls import (
    Subject,
    action_of,
    case_of,
    describe_source,
    digest_of_source,
    list_calls,
    with_cases,
)
from reviews.lab.experiment_comparison import compare_arms
from reviews.lab.experiment_findings import find_verdict
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiment_results import read_results
from reviews.lab.owed_calls import check_blind, owed_calls
from reviews.models import Experiment, ExperimentCall, ExperimentVerdict
from reviews.provenance.core.verdicts import Aligned

MIN_COMPARED: Final = 2
MAX_COMPARED: Final = 6
"""Experiments side by side: more columns no page shows."""
# Each pair of arms is six tests: of more arms than one experiment may have, the p after Holm says nothing any more.
_MAX_TESTED_ARMS: Final = 12
_CONTENT_TYPES: Final = {"csv": "text/csv", "json": "application/json", "latex": "application/x-tex"}
_SUFFIXES: Final = {"latex": "tex"}


@require_safe
@member_page
def case_page(request: MemberRequest, experiment_id: UUID, ordinal: int) -> HttpResponse:
    """One call as its reviewer would read it, with what one detector found, beside the verdicts of all of them.

    Who still has to answer it in some campaign sees it blind.
    """
    experiment = find_experiment(request, experiment_id)
    calls = with_cases(experiment, list_calls(experiment).filter(ordinal=ordinal))
    subject: Subject = found(calls.first(), "call")
    verdicts = ExperimentVerdict.objects.filter(arm__experiment=experiment, **{experiment.subject: subject})
    verdicts = verdicts.select_related("arm__experiment__workspace").order_by("arm__ordinal", "run")
    # Without a name, or with one that this call has no variant of, the call as it is.
    name = request.GET.get("variant", "")
    variant = experiment_trials.find_variant(experiment, subject, name) if name else None
    case = variant.case if variant else case_of(subject)
    listed = list(verdicts.filter(variant=name if variant else ""))
    context: dict[str, Any] = {
        "experiment": experiment,
        "entry": subject,
        "item": None if isinstance(subject, ExperimentCall) else subject.item,
        "action": action_of(subject),
        "variant": name if variant else "",
        "failures": verdicts.filter(is_failure=True),
        # Who still has to answer it in some campaign sees neither its label nor what detectors make of it.
        "is_owed": owed_calls(experiment, request.membership).filter(pk=subject.pk).exists(),
        "verdicts": listed,
        "unfold_at": _address_of_sources(subject),
    }
    if context["is_owed"] or not listed:
        return render(request, "experiments/case.html", context | {"file": blind_case(case)})
    chosen = _choose_verdict(request, listed)
    verdict, why_not = find_verdict(chosen, case)
    context |= {"chosen": chosen, "why_not": why_not, "is_tried": True}
    if verdict is None:
        return render(request, "experiments/case.html", context | {"file": blind_case(case)})
    context |= {"file": open_arm_file(subject, chosen, case, verdict), "review": {"action": context["action"]}}
    context |= {"passes": isinstance(verdict, Aligned), "next": listed[(listed.index(chosen) + 1) % len(listed)]}
    return render(request, "experiments/arm_case.html", context)


def _choose_verdict(request: MemberRequest, listed: Sequence[ExperimentVerdict]) -> ExperimentVerdict:
    """The verdict of the arm and the run that the address names, else the first."""
    wanted = (request.GET.get("arm", ""), request.GET.get("run", "1"))
    return next((row for row in listed if (str(row.arm.ordinal), str(row.run)) == wanted), listed[0])


def _address_of_sources(subject: Subject) -> str:
    if isinstance(subject, ExperimentCall):
        return reverse("action-source", args=[subject.action_id])
    return reverse("dataset-item-source", args=[subject.item.dataset_id, subject.item_id])


@require_safe
@member_page
def download_results(request: MemberRequest, experiment_id: UUID, form: str) -> HttpResponse:
    """The figures of every detector as a file."""
    experiment = find_experiment(request, experiment_id)
    if form not in DOWNLOADS:
        raise NotFoundError("There is no such file.")
    check_blind(experiment, request.membership)
    headers = {"Content-Disposition": f'attachment; filename="experiment.{_SUFFIXES.get(form, form)}"'}
    return HttpResponse(write_report(experiment, form), content_type=_CONTENT_TYPES[form], headers=headers)


@require_safe
@member_page
def compare_experiments(request: MemberRequest) -> HttpResponse:
    """Two to six experiments side by side; on the same calls also with the p of their differences."""
    experiments = _chosen_experiments(request)
    for experiment in experiments:
        check_blind(experiment, request.membership)
    _tell_namesakes_apart(experiments)
    results = [result for experiment in experiments for result in read_results(experiment)]
    is_comparable = len({digest_of_source(experiment) for experiment in experiments}) == 1
    is_tested = is_comparable and len(results) <= _MAX_TESTED_ARMS
    compared = compare_arms(results) if is_tested else []
    context = {
        "experiments": experiments,
        "sources": [(experiment, describe_source(experiment)) for experiment in experiments],
        "is_enough": len(experiments) >= MIN_COMPARED,
        "most": MAX_COMPARED,
        "results": results,
        "charts": figures.draw_charts({result.title: result for result in results}),
        "is_comparable": is_comparable,
        "is_tested": is_tested,
        "is_measurable": any(result.is_measurable for result in results),
        "is_compared": any(difference.is_of_any for difference in compared),
        "differences": [difference for difference in compared if difference.is_significant],
    }
    return render(request, "experiments/comparison.html", context)


def _tell_namesakes_apart(experiments: Sequence[Experiment]) -> None:
    """Name experiments that share a name by when they were asked for, too: one that is run anew keeps its name."""
    name_counts = Counter(experiment.name for experiment in experiments)
    for experiment in experiments:
        if name_counts[experiment.name] > 1:
            # For this page alone: nothing of it is stored.
            experiment.name += f", {localtime(experiment.created_at):%Y-%m-%d %H:%M:%S}"


def _chosen_experiments(request: MemberRequest) -> list[Experiment]:
    """The experiments that the address names, oldest first. What is no key is left out."""
    keys = set()
    for text in request.GET.getlist("with")[:MAX_COMPARED]:
        try:
            keys.add(UUID(text))
        except ValueError:
            continue
    return list(access.experiments_for(request.membership).filter(pk__in=keys).order_by("created_at"))
