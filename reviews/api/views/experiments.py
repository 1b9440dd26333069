"""Experiments on frozen versions and recorded calls.

Reading takes a key that may read all labels, beginning one that manages them.
"""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from reviews import access, models
from reviews.api.authentication import caller
from reviews.api.responses import answer, answer_header, documented, refused
from reviews.api.schemas import experiment_answers as answers
from reviews.api.schemas.experiment_answers import ExperimentState
from reviews.api.views.endpoint import Endpoint
from reviews.errors import ConflictError, FieldProblem, InvalidError, found
from reviews.intake.wire.pydantic_errors import validate_model
from reviews.lab.experiment_costs import estimate_usd
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiments import (
    ArmChoice,
    Source,
    is_current,
    pause_experiment,
    request_experiment,
    resume_experiment,
    stop_experiment,
)
from reviews.lab.owed_calls import check_blind
from reviews.lab.recorded_calls import DEFAULT_DAYS, Period, RecordedDraw, draw_calls
from reviews.lab.trial_choices import TrialChoice
from reviews.models import ExperimentKind, JobStatus

# The answer is built in memory; older ones are read by their id.
_MAX_LISTED: Final = 500


class ExperimentsView(Endpoint):
    """The workspace's experiments."""

    @extend_schema(
        operation_id="experiments_list",
        summary="List the experiments",
        tags=["experiments"],
        responses={**documented(ok_200=(answers.Experiments, "Newest first; none without the right.")), **refused()},
    )
    def get(self, request: Request) -> HttpResponse:
        """The latest experiments. A key needs the right to read all labels, or to manage ground truth."""
        rows = access.experiments_for(caller(request)).order_by("-created_at")[:_MAX_LISTED]
        return answer(answers.Experiments(experiments=[_describe(row) for row in rows]))

    @extend_schema(
        operation_id="experiments_begin",
        summary="Begin an experiment",
        tags=["experiments"],
        request=answers.ExperimentRequest,
        parameters=[answer_header("Location", "Where the experiment is read.", 200, 201)],
        responses={
            **documented(
                known_200=(answers.BegunExperiment, "It was begun before."),
                begun_201=(answers.BegunExperiment, "It is begun."),
            ),
            **refused(400, 403, 404, 413, 415, 422),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Have a worker judge every call of a frozen version, or recorded calls, by each detector, `runs` times.

        With the kind `perturbation` also every call changed in ways that must not matter to its verdict; with `attack`
        also every right call with a payload planted in what it rests on. Sent again with the same choices, it is the
        same experiment, unless the engine, the prompts or the options have changed since, or other calls are drawn.
        """
        access.require_curator(caller(request))
        sent = validate_model(answers.ExperimentRequest, request.data)
        source = _source_of(request, sent)
        arms = [ArmChoice(arm.detector, arm.judge, arm.model, arm.options.chosen) for arm in sent.arms]
        trial = TrialChoice(sent.kind, tuple(sent.names), sent.variants, sent.seed)
        with transaction.atomic():
            # Of two that are sent at once the second waits here, and finds the first one's.
            models.Workspace.objects.select_for_update(no_key=True).get(pk=caller(request).workspace_id)
            existing = _find_same(request, source, sent, arms, trial)
            experiment = existing or request_experiment(
                source,
                name=sent.name,
                arms=arms,
                by=caller(request),
                runs=sent.runs,
                max_usd=_to_the_cent(sent.max_usd),
                trial=trial,
                fresh=sent.fresh,
            )
        where = reverse("api:experiment", args=[experiment.pk])
        estimate = estimate_usd(experiment)
        begun = answers.BegunExperiment(
            **_describe(experiment).model_dump(), estimate_usd=None if estimate is None else float(estimate)
        )
        return answer(begun, 200 if existing else 201, {"Location": where})


class ExperimentView(Endpoint):
    """One experiment."""

    @extend_schema(
        operation_id="experiments_read",
        summary="Read how far an experiment is",
        tags=["experiments"],
        responses={**documented(ok_200=(answers.Experiment, "The experiment.")), **refused(404)},
    )
    def get(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """How many verdicts it has of how many, and why it stopped where it did."""
        return answer(_describe(_experiment_of(request, experiment_id)))

    @extend_schema(
        operation_id="experiments_move",
        summary="Pause, resume or stop an experiment",
        tags=["experiments"],
        request=answers.ExperimentChange,
        responses={
            **documented(ok_200=(answers.Experiment, "As it is now.")),
            **refused(400, 403, 404, 409, 413, 415, 422),
        },
    )
    def patch(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """Pause the experiment, go on with it, or stop it for good. A state that it has already changes nothing.

        One that paused because its limit is spent goes on under a higher one.
        """
        experiment = _experiment_of(request, experiment_id)
        access.require_curator(caller(request))
        sent = validate_model(answers.ExperimentChange, request.data)
        if sent.max_usd is not None and sent.state != ExperimentState.RUNNING:
            raise InvalidError(FieldProblem("/max_usd", "Only what is to go on takes a new limit."))
        if sent.max_usd is not None or sent.state != _state_of(experiment):
            _move(experiment, sent, by=caller(request))
        return answer(_describe(experiment))


class CsvFigures(BaseRenderer):
    """Names the media type to content negotiation; the view writes the table itself."""

    media_type = "text/csv"
    format = "csv"


class LatexFigures(BaseRenderer):
    """As `CsvFigures`."""

    media_type = "application/x-tex"
    format = "latex"


class ExperimentResultsView(Endpoint):
    """The figures of an experiment."""

    # The first is the default: programs read JSON, a spreadsheet and a paper ask for theirs.
    renderer_classes = [JSONRenderer, CsvFigures, LatexFigures]

    @extend_schema(
        operation_id="experiments_results",
        summary="Read what an experiment found",
        tags=["experiments"],
        responses={
            (200, JSONRenderer.media_type): OpenApiResponse(answers.ExperimentResults, "So far, while it runs."),
            (200, CsvFigures.media_type): OpenApiResponse(OpenApiTypes.STR, "A line for each detector."),
            (200, LatexFigures.media_type): OpenApiResponse(OpenApiTypes.STR, "Tables for a paper."),
            **refused(403, 404),
        },
    )
    def get(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """Every detector's measures with intervals, and every pair's p. `Accept` chooses JSON, CSV or LaTeX.

        Refused while a campaign asks whoever issued the key about a labelled call of the experiment.
        """
        experiment = _experiment_of(request, experiment_id)
        check_blind(experiment, caller(request))
        chosen = request.accepted_renderer
        if chosen.format != JSONRenderer.format:
            return HttpResponse(
                write_report(experiment, chosen.format), content_type=f"{chosen.media_type}; charset=utf-8"
            )
        report = json.loads(write_report(experiment, "json"))
        return answer(
            answers.ExperimentResults(
                experiment=_describe(experiment),
                arms=report["arms"],
                differences=report["differences"],
                tallies=report["tallies"],
            )
        )


def _experiment_of(request: Request, experiment_id: UUID) -> models.Experiment:
    rows = access.experiments_for(caller(request))
    return found(rows.filter(pk=experiment_id).first(), "experiment that this key may read")


def _state_of(stored: models.Experiment) -> ExperimentState | None:
    """What it was last told to be; None once it has come to its end by itself."""
    if stored.status in (JobStatus.QUEUED, JobStatus.RUNNING):
        return ExperimentState.PAUSED if stored.paused else ExperimentState.RUNNING
    return ExperimentState.CANCELLED if stored.status == JobStatus.CANCELLED else None


def _move(experiment: models.Experiment, change: answers.ExperimentChange, *, by: access.Principal) -> None:
    """Raises `ConflictError` and `InvalidError`."""
    match change.state:
        case ExperimentState.RUNNING:
            is_moved = resume_experiment(experiment, _to_the_cent(change.max_usd), by=by)
        case ExperimentState.PAUSED:
            is_moved = pause_experiment(experiment, by=by)
        case ExperimentState.CANCELLED:
            is_moved = stop_experiment(experiment, by=by)
    experiment.refresh_from_db()
    if not is_moved:
        raise ConflictError(f"The experiment {experiment.name} is {_state_of(experiment) or experiment.status}.")


def _to_the_cent(dollars: float | None) -> Decimal | None:
    return None if dollars is None else Decimal(str(round(dollars, 2)))


def _source_of(request: Request, sent: answers.ExperimentRequest) -> Source:
    """What is to be judged. Raises `InvalidError` and `NotFoundError`."""
    if sent.recorded is None:
        if sent.dataset is None or sent.version is None:
            raise InvalidError(FieldProblem("/dataset", "Name a `dataset` with its `version`, or `recorded` calls."))
        versions = access.dataset_versions_for(caller(request)).filter(dataset=sent.dataset, number=sent.version)
        return found(versions.first(), "version of a dataset that this key may read")
    if sent.dataset is not None or sent.version is not None:
        raise InvalidError(
            FieldProblem("/recorded", "An experiment is on a dataset or on recorded calls, not on both.")
        )
    until = sent.recorded.until or timezone.now()
    since = sent.recorded.since or until - timedelta(days=DEFAULT_DAYS)
    return draw_calls(caller(request).workspace, Period(since, until, sent.recorded.calls))


def _find_same(
    request: Request,
    source: Source,
    sent: answers.ExperimentRequest,
    arms: list[ArmChoice],
    trial: TrialChoice,
) -> models.Experiment | None:
    wanted = [(arm.detector, arm.settings) for arm in arms]
    rows = access.experiments_for(caller(request)).filter(name=sent.name, runs=sent.runs, fresh=sent.fresh)
    rows = rows.filter(kind=trial.kind, trial=trial.stored)
    if isinstance(source, RecordedDraw):
        # By what was drawn: a period that ends now ends elsewhere each time.
        rows = rows.filter(recorded__digest=source.stored["digest"])
    else:
        rows = rows.filter(version=source)
    # What failed or was stopped has no answer, and never will.
    rows = rows.exclude(status__in=(JobStatus.FAILED, JobStatus.CANCELLED))
    same = (row for row in rows if [(arm.detector, arm.settings) for arm in row.arms.all()] == wanted)
    # Results of another engine do not answer what this one would do.
    return next(filter(is_current, same), None)


def _describe(stored: models.Experiment) -> answers.Experiment:
    return answers.Experiment(
        id=stored.pk,
        name=stored.name,
        kind=ExperimentKind(stored.kind),
        dataset=stored.version.dataset_id if stored.version else None,
        version=stored.version.number if stored.version else None,
        recorded=answers.Recorded(**stored.recorded) if stored.recorded else None,
        runs=stored.runs,
        fresh=stored.fresh,
        status=JobStatus(stored.status),
        paused=stored.paused,
        failure=stored.failure,
        done=stored.done,
        total=stored.total,
        max_usd=None if stored.max_usd is None else float(stored.max_usd),
        created_at=stored.created_at,
        finished_at=stored.finished_at,
    )
