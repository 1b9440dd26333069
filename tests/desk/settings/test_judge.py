from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest

from reviews.models import JudgeSpend
from reviews.profiles import versions
from tests.cast import Cast, make_cast
from tests.desk.desk import Desk
from tests.endpoint import ScriptedEndpoint
from tests.judging.test_probe import SUPPORT

PAGE = "/settings/judge"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def endpoint(settings: Any) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(support=SUPPORT) as serving:
        changed = {"openai_base_url": serving.base_url, "guard_model": "reasoner"}
        settings.GUARD = settings.GUARD.model_copy(update=changed)
        yield serving


def test_a_try_tells_what_the_endpoint_takes_and_is_charged(
    cast: Cast, admin_desk: Desk, endpoint: ScriptedEndpoint
) -> None:
    endpoint.refused = {"temperature"}
    admin_desk.shows(PAGE, "reasoner", "Ask three questions")
    admin_desk.sends(PAGE, "can judge", "agrees with 2 of 3", "the endpoint", model="reasoner")
    assert JudgeSpend.objects.get(workspace=cast.workspace).calls == 3


def test_a_used_up_budget_asks_nobody(cast: Cast, admin_desk: Desk, endpoint: ScriptedEndpoint) -> None:
    versions.new_version(membership=cast.admin, daily_tokens=10)
    admin_desk.sends(PAGE, "cannot judge", "budget of this workspace is used up", model="reasoner")
    assert endpoint.questions.total() == 0


def test_a_model_that_the_profile_does_not_name_is_not_asked(admin_desk: Desk, endpoint: ScriptedEndpoint) -> None:
    admin_desk.sends(PAGE, "cannot be tried", status=HTTPStatus.UNPROCESSABLE_ENTITY, model="gpt-99-expensive")
    assert endpoint.questions.total() == 0


def test_only_administrators_try_models(cast: Cast, endpoint: ScriptedEndpoint) -> None:
    Desk.of(cast.reviewer).sends(PAGE, "does not allow this", status=HTTPStatus.FORBIDDEN, model="reasoner")
    assert endpoint.questions.total() == 0
