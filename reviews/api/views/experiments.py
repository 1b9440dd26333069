"""Experiments on frozen versions. Reading takes a key that may read all labels, beginning one that manages them."""

import json
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from reviews import access, models
from reviews.api.authentication import caller
from reviews.api.responses import answer, answer_header, documented, refused
from reviews.api.schemas import experiment_answers as answers
from reviews.api.views.endpoint import Endpoint
from reviews.errors import found
from reviews.intake.wire.validation import validate_model
from reviews.lab.experiment_reports import write_report
from reviews.lab.experiments import ArmChoice, is_current, request_experiment
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
                known_200=(answers.Experiment, "It was begun before."), begun_201=(answers.Experiment, "It is begun.")
            ),
            **refused(400, 403, 404, 413, 415, 422),
        },
    )
    def post(self, request: Request) -> HttpResponse:
        """Have a worker judge every call of a frozen version by each detector, as often as `runs` says.

        With the kind `perturbation` also every call changed in ways that must not matter to its verdict; with `attack`
        also every right call with a payload planted in what it rests on. Sent again with the same choices, it is the
        same experiment, unless the engine, the prompts or the options have changed since.
        """
        access.require_curator(caller(request))
        sent = validate_model(answers.ExperimentRequest, request.data)
        versions = access.dataset_versions_for(caller(request)).filter(dataset=sent.dataset, number=sent.version)
        version = found(versions.first(), "version of a dataset that this key may read")
        arms = [ArmChoice(arm.detector, arm.judge, arm.model) for arm in sent.arms]
        trial = TrialChoice(sent.kind, tuple(sent.names), sent.variants, sent.seed)
        existing = _find_same(request, version, sent, arms, trial)
        experiment = existing or request_experiment(
            version,
            name=sent.name,
            arms=arms,
            by=caller(request),
            runs=sent.runs,
            max_usd=None if sent.max_usd is None else Decimal(str(round(sent.max_usd, 2))),
            trial=trial,
        )
        where = reverse("api:experiment", args=[experiment.pk])
        return answer(_describe(experiment), 200 if existing else 201, {"Location": where})


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


class ExperimentResultsView(Endpoint):
    """The figures of an experiment."""

    @extend_schema(
        operation_id="experiments_results",
        summary="Read what an experiment found",
        tags=["experiments"],
        responses={**documented(ok_200=(answers.ExperimentResults, "So far, while it runs.")), **refused(404)},
    )
    def get(self, request: Request, experiment_id: UUID) -> HttpResponse:
        """Every detector's measures with intervals, and every pair's p."""
        experiment = _experiment_of(request, experiment_id)
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


def _find_same(
    request: Request,
    version: models.DatasetVersion,
    sent: answers.ExperimentRequest,
    arms: list[ArmChoice],
    trial: TrialChoice,
) -> models.Experiment | None:
    wanted = [(arm.detector, arm.settings) for arm in arms]
    rows = access.experiments_for(caller(request)).filter(version=version, name=sent.name, runs=sent.runs)
    rows = rows.filter(kind=trial.kind, trial=trial.stored)
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
        dataset=stored.version.dataset_id,
        version=stored.version.number,
        runs=stored.runs,
        status=JobStatus(stored.status),
        paused=stored.paused,
        failure=stored.failure,
        done=stored.done,
        total=stored.total,
        max_usd=None if stored.max_usd is None else float(stored.max_usd),
        created_at=stored.created_at,
        finished_at=stored.finished_at,
    )
