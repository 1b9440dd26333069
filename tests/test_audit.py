import pytest

from reviews import audit
from reviews.models import AuditEvent
from tests.cast import Cast


def events(cast: Cast) -> None:
    for number in range(3):
        audit.record(workspace=cast.workspace, verb="test.event", subject=str(number), by=cast.admin)


def test_an_untouched_chain_fits(cast: Cast) -> None:
    events(cast)
    assert audit.first_broken(cast.workspace) is None


def test_a_changed_event_shows(cast: Cast) -> None:
    events(cast)
    changed = AuditEvent.objects.filter(workspace=cast.workspace, subject="1").get()
    AuditEvent.objects.filter(pk=changed.pk).update(details={"forged": True})
    assert audit.first_broken(cast.workspace) == changed.sequence


def test_a_removed_event_shows(cast: Cast) -> None:
    events(cast)
    removed = AuditEvent.objects.filter(workspace=cast.workspace, subject="1").get()
    removed.delete()
    assert audit.first_broken(cast.workspace) == removed.sequence


def test_the_actors_name_outlives_the_account(cast: Cast) -> None:
    events(cast)
    AuditEvent.objects.update(user=None)
    assert AuditEvent.objects.latest("sequence").actor == "ada"


@pytest.mark.parametrize("words", ["plain", 'with "quotes" and \\', "Füße 𝄞 \u2028\n", "{}"])
def test_what_the_database_hashes_is_what_is_verified(cast: Cast, words: str) -> None:
    details = {"previous_hash": words, "sequence": 7, words: [None, True, words], "half": 0.5, "large": 2**53 - 1}
    for _ in range(2):
        audit.record(workspace=cast.workspace, verb=words[:64], subject=words, details=details)
    assert [event.hash for event in AuditEvent.objects.all()] == list(map(audit.hash_of, AuditEvent.objects.all()))
    assert audit.first_broken(cast.workspace) is None
