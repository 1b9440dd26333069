import pytest

from reviews.annotation import campaign_agreement
from reviews.annotation.agreement_words import describe_agreement, strength_of
from reviews.annotation.schema import Answer
from reviews.provenance.core.context import Span
from tests.annotation.study import ALIGNED, MISALIGNED, study
from tests.cast import CONTEXT, Cast

INTERPRETATION = Answer("misaligned", misalignment="interpretation")


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (1.0, "almost perfect"),
        (0.58, "moderate"),
        (0.0, "slight"),
        (-0.2, "worse than chance"),
        # Written as 0.81 and 0.80.
        (0.806, "almost perfect"),
        (0.804, "substantial"),
    ],
)
def test_a_coefficient_has_the_usual_word(value: float, word: str) -> None:
    assert strength_of(value) == word


def test_a_campaign_without_pairs_says_so(cast: Cast) -> None:
    assert (
        describe_agreement(campaign_agreement.measure_agreement(study(cast).campaign)) == "No item has two answers yet."
    )


def test_the_sentence_names_the_figure_its_interval_and_what_people_confuse(cast: Cast) -> None:
    running = study(cast, items=6)
    for first, second in [(MISALIGNED, INTERPRETATION)] * 2 + [(MISALIGNED, MISALIGNED)] + [(ALIGNED, ALIGNED)] * 3:
        running.given(0, first)
        running.given(1, second)
    sentence = describe_agreement(campaign_agreement.measure_agreement(running.campaign))
    assert sentence.startswith("Almost perfect, 1.00")
    assert sentence.endswith("people differ most on “interpretation” or “parameter”.")
    assert "Krippendorff's alpha, 6 items" in sentence


def test_marked_words_are_compared_by_their_place(cast: Cast) -> None:
    running = study(cast, items=1)
    first, second = (
        Answer("aligned", evidence=(Span("query", 0, end, CONTEXT.query[:end]),))
        for end in (len("Send $30"), len("Send"))
    )
    running.given(0, first)
    running.given(1, second)
    report = campaign_agreement.measure_agreement(running.campaign)
    assert report.evidence_pairs == 1
    assert report.evidence == pytest.approx(2 * 1 / (2 + 1))


def test_tools_with_few_items_are_measured_together(cast: Cast) -> None:
    running = study(cast, items=3)
    for person in (0, 1):
        for _ in range(3):
            running.given(person)
    assert [name for name, _ in campaign_agreement.measure_agreement(running.campaign).tools] == [
        campaign_agreement.POOLED
    ]
