"""How far people agree, in one sentence: a word for the figure, the figure, and what they differ about most."""

from itertools import combinations
from typing import Final

from reviews.annotation.campaign_agreement import Agreement, AgreementReport, Coefficient
from reviews.evaluation.measures.interrater_agreement import ConfusionTable

# Landis and Koch 1977: words for a kappa, from which figure on.
_STRENGTHS: Final = (
    (0.81, "almost perfect"),
    (0.61, "substantial"),
    (0.41, "moderate"),
    (0.21, "fair"),
    (0.0, "slight"),
)
WORSE_THAN_CHANCE: Final = "worse than chance"


def describe_agreement(report: AgreementReport) -> str:
    """The sentence a reader needs first; says so where there is nothing to measure yet."""
    overall = report.overall
    if not overall.items:
        return "No item has two answers yet."
    name, coefficient = leading_measure(overall)
    if coefficient.value is None:
        return "All answers so far are the same: there is nothing yet that chance could be told apart from."
    confused = most_confused(report.confusion)
    differ = f"; people differ most on “{_words_of(confused[0])}” or “{_words_of(confused[1])}”" if confused else ""
    interval = f" [{coefficient.interval[0]:.2f}–{coefficient.interval[1]:.2f}]" if coefficient.interval else ""
    figure = f"{strength_of(coefficient.value)}, {coefficient.value:.2f}{interval}"
    return f"{figure[0].upper()}{figure[1:]} ({name}, {overall.items} items){differ}."


def leading_measure(agreement: Agreement) -> tuple[str, Coefficient]:
    """Krippendorff's alpha, or Gwet's AC1 where one answer is so frequent that alpha says little about people."""
    if agreement.is_skewed:
        return "Gwet's AC1", agreement.gwet
    return "Krippendorff's alpha", agreement.krippendorff


def strength_of(value: float) -> str:
    """The usual word for a coefficient that is corrected for chance, as it is written: to the hundredth."""
    return next((word for least, word in _STRENGTHS if round(value, 2) >= least), WORSE_THAN_CHANCE)


def most_confused(table: ConfusionTable) -> tuple[str, str] | None:
    """The two answers that are given to one item most often; None where nobody differs."""
    categories = [str(category) for category in table.categories]
    counts = {
        (first, second): table.counts[row][column]
        for (row, first), (column, second) in combinations(enumerate(categories), 2)
    }
    pair = max(counts, key=counts.__getitem__, default=None)
    return pair if pair is not None and counts[pair] else None


def _words_of(category: str) -> str:
    return category.replace("_", " ")
