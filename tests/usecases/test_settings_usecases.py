import pytest

from reviews import access, agent_keys, profiles
from reviews.errors import ForbiddenError, InvalidProfileError
from reviews.models import AgentKey, GuardProfile
from tests.cast import Cast


def test_a_key_is_found_by_its_secret(cast: Cast) -> None:
    assert agent_keys.find(cast.agent_secret) == cast.agent


def test_a_secret_is_not_stored(cast: Cast) -> None:
    assert cast.agent_secret not in str(AgentKey.objects.filter(pk=cast.agent.pk).values().get())


def test_a_revoked_key_is_not_found(cast: Cast) -> None:
    agent_keys.revoke(agent_key=cast.agent, membership=cast.admin)
    assert agent_keys.find(cast.agent_secret) is None


def test_only_an_administrator_issues_keys(cast: Cast) -> None:
    with pytest.raises(ForbiddenError):
        agent_keys.issue(membership=cast.reviewer, name="mine")


def test_a_change_makes_a_new_version_and_keeps_the_old(cast: Cast) -> None:
    profiles.new_version(membership=cast.admin, expires_in=60)
    kept = list(GuardProfile.objects.filter(workspace=cast.workspace).values_list("version", "expires_in"))
    assert kept == [(2, 60), (1, 3600)]


def test_the_highest_version_is_in_force(cast: Cast) -> None:
    profiles.new_version(membership=cast.admin, expires_in=60)
    assert access.current_profile(cast.workspace).expires_in == 60


@pytest.mark.parametrize(
    "changes",
    [{"detectors": ["no-such"]}, {"detectors": []}, {"tool_policies": {"t": "whatever"}}, {"workspace": "x"}],
)
def test_an_unusable_profile_is_refused(cast: Cast, changes: dict[str, object]) -> None:
    with pytest.raises(InvalidProfileError):
        profiles.new_version(membership=cast.admin, **changes)
