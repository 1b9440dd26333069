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
