"""What changes and attacks came to as rows of a table, for a terminal, a paper or a spreadsheet, and as JSON."""

from collections.abc import Iterator
from typing import Any

from reviews.evaluation.measures.detection_rates import Rate
from reviews.lab.experiment_trials import OUTCOMES, TrialTally, read_tallies
from reviews.models import Experiment, ExperimentKind


def list_columns(experiment: Experiment) -> tuple[str, ...]:
    """The heads of the table."""
    return ("arm", "tried", "variants", *OUTCOMES[ExperimentKind(experiment.kind)], "must not", "no verdict")


def list_rows(experiment: Experiment) -> Iterator[tuple[object, ...]]:
    """A row for each arm and each thing that was tried."""
    for arm, tally in _pairs(experiment):
        rate = tally.failure_rate.with_interval
        yield (arm, tally.name, tally.tried, *tally.counts, rate, tally.unjudged)


def list_cells(experiment: Experiment) -> Iterator[tuple[object, ...]]:
    """The same for a spreadsheet, which goes on with numbers: a rate in four columns."""
    yield (*list_columns(experiment)[:-2], "failures", "share", "low", "high", "no verdict")
    for arm, tally in _pairs(experiment):
        low, high = tally.failure_rate.interval or ("", "")
        share = "" if tally.failure_rate.share is None else tally.failure_rate.share
        cells = (tally.failures, share, low, high, tally.unjudged)
        yield (arm, tally.name, tally.tried, *tally.counts, *cells)


def describe_tallies(experiment: Experiment) -> list[dict[str, Any]]:
    """Every row as JSON; none of an experiment that only judges calls as they are."""
    return [
        {
            "arm": of_arm.arm.ordinal,
            "tried": tally.name,
            "variants": tally.tried,
            "outcomes": dict(zip(tally.columns, tally.counts, strict=True)),
            "failures": describe_rate(tally.failure_rate),
            "failed": tally.unjudged,
        }
        for of_arm in read_tallies(experiment)
        for tally in of_arm.tallies
    ]


def describe_rate(rate: Rate) -> dict[str, object]:
    """The rate with Wilson's 95 % interval, as JSON."""
    return {"count": rate.count, "total": rate.total, "share": rate.share, "interval": rate.interval}


def _pairs(experiment: Experiment) -> Iterator[tuple[str, TrialTally]]:
    return ((row.arm.title, tally) for row in read_tallies(experiment) for tally in row.tallies)
