from dataclasses import replace

import pytest

from reviews.annotation import gold_labels
from reviews.datasets import curation
from reviews.models import Check, Dataset
from tests.annotation.study import MISALIGNED, Study, study
from tests.cast import Cast, approved
from tests.desk.desk import Desk


@pytest.fixture
def recorded(cast: Cast) -> Dataset:
    """A dataset of one recorded call that a detector objects to."""
    approved(cast)
    dataset = curation.create_dataset(by=cast.admin, name="Recorded")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    Check.objects.update(verdict="misaligned", misalignment="parameter")
    return dataset


def shown(running: Study) -> str:
    slot = running.next()
    return Desk.of(running.people[0]).shows(f"/campaigns/{running.campaign.pk}/items/{slot.item_id}")


def test_nothing_is_suggested_unless_the_campaign_says_so(cast: Cast, recorded: Dataset) -> None:
    running = study(cast, dataset=recorded, people=1, per_item=1)
    assert "suggestion" not in shown(running)
    assert running.given(0, MISALIGNED).suggestion is None


def test_a_suggestion_is_shown_and_kept_with_the_answer(cast: Cast, recorded: Dataset) -> None:
    running = study(cast, dataset=recorded, people=1, per_item=1, shows_suggestions=True)
    assert "misaligned, parameter</span>" in shown(running)
    answer = running.given(0, replace(MISALIGNED, first_misaligned_step=None))
    assert answer.suggestion == {"judgement": "misaligned", "misalignment": "parameter"}
    (label,) = gold_labels.labels_of(list(recorded.items.all())).values()
    assert label is not None
    assert label["answers"][0]["suggestion"] == answer.suggestion
    Desk.of(cast.admin).shows(f"/campaigns/{running.campaign.pk}", "these answers are not blind")


def test_an_imported_item_has_no_suggestion(cast: Cast) -> None:
    running = study(cast, items=1, people=1, per_item=1, shows_suggestions=True)
    assert "suggestion" not in shown(running)
    assert running.given(0, MISALIGNED).suggestion is None
