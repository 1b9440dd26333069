"""What a demonstration begins with."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from reviews.models import Annotator, Campaign


@pytest.mark.django_db
def test_the_annotator_of_a_demonstration_has_a_campaign_waiting_once(tmp_path: Path) -> None:
    for _ in range(2):
        call_command("demo_seed", url="http://127.0.0.1", file=tmp_path / "demo.json", stdout=StringIO())
    campaign = Campaign.objects.get()
    assert campaign.assignments.count() == 6
    assert Annotator.objects.get(campaign=campaign).user.get_username() == "annotator"
