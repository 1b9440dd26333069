"""What the pages of experiments draw and list: curves, calls that tell detectors apart, columns of a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString

from reviews.desk.overview.charts import draw_curves
from reviews.evaluation.measures.calibration import reliability_bins
from reviews.evaluation.measures.curves import list_trade_offs, thin_points
from reviews.lab.experiment_calls import Subject, list_calls
from reviews.lab.experiment_comparison import differing_entries, entries_of_pair
from reviews.lab.experiment_results import ArmResult, read_reasons
from reviews.models import Experiment

# The style sheet tells so many lines apart; more would not be told apart by eyes either.
MAX_CURVES: Final = 6


@dataclass(frozen=True)
class Cell:
    """What one detector made of one call."""

    arm: int
    """The arm's ordinal."""
    is_wrong: bool | None
    """Whether the verdict was wrong in some run; None where there is none, or no label."""
    reason: str
    """Empty where the call passed."""
    stops: bool | None = None
    """Of a recorded call that goes another way than it went: whether it is stopped now."""


@dataclass(frozen=True)
class CaseRow:
    """One call with a cell for each detector."""

    entry: Subject
    cells: list[Cell]


def draw_charts(results: Mapping[str, ArmResult]) -> list[tuple[str, SafeString]]:
    """Title and drawing of each chart; none where no detector gives scores."""
    scored = {name: result for name, result in list(results.items())[:MAX_CURVES] if result.scores}
    if not scored:
        return []
    trade_offs = {
        name: [
            (point.load.share or 0.0, point.missed.share)
            for point in thin_points(list_trade_offs(result.scores))
            if point.missed.share is not None
        ]
        for name, result in scored.items()
    }
    reliability = {
        name: [(bar.confidence, bar.accuracy) for bar in reliability_bins(result.scores)]
        for name, result in scored.items()
    }
    first, second = "Review load and wrong calls passed, at every threshold", "How far scores can be believed"
    return [
        (first, draw_curves(trade_offs, title=first, across="Calls stopped", upwards="Wrong calls passed")),
        (second, draw_curves(reliability, title=second, across="Confidence", upwards="Share right", is_dotted=True)),
    ]


def choose_pair(results: Sequence[ArmResult], right: str, wrong: str) -> tuple[ArmResult, ArmResult] | None:
    """The detectors of these ordinals, of which the one was right and the other wrong; None without two of them."""
    by_ordinal = {str(result.arm.ordinal): result for result in results}
    if right == wrong or right not in by_ordinal or wrong not in by_ordinal:
        return None
    return by_ordinal[right], by_ordinal[wrong]


def list_ordinals(results: Sequence[ArmResult], pair: tuple[ArmResult, ArmResult] | None) -> list[int]:
    """The calls that tell the pair apart, the first right and the second wrong; without one, any of the detectors."""
    return differing_entries(results) if pair is None else entries_of_pair(*pair)


def list_rows(experiment: Experiment, results: Sequence[ArmResult], ordinals: Sequence[int]) -> list[CaseRow]:
    """The calls of these ordinals, in the dataset's order."""
    reasons = read_reasons(experiment, ordinals)
    calls = list_calls(experiment).filter(ordinal__in=ordinals)
    if experiment.judges_recorded_calls:
        calls = calls.select_related("action").defer("action__arguments")
    else:
        calls = calls.select_related("item").defer("item__case")

    def fill_cell(result: ArmResult, ordinal: int) -> Cell:
        reason = reasons.get((result.arm.pk, ordinal), "")
        return Cell(result.arm.ordinal, _is_wrong(result, ordinal), reason, result.flips.get(ordinal))

    return [CaseRow(entry, [fill_cell(result, entry.ordinal) for result in results]) for entry in calls]


def _is_wrong(result: ArmResult, ordinal: int) -> bool | None:
    share = float(result.mistakes[ordinal])
    # What is not a number equals nothing, not even itself.
    return None if share != share else share > 0  # noqa: PLR0124
