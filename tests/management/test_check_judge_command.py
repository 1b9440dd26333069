import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command

from guardapp.config import JudgeModelOptions
from reviews.management.commands.check_judge import CANNOT_JUDGE
from tests.endpoint import ScriptedEndpoint
from tests.judging.test_probe import SUPPORT


@pytest.fixture
def endpoint(settings: Any) -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint(support=SUPPORT) as serving:
        changed = {"openai_base_url": serving.base_url, "guard_model": "reasoner", "guard_prices": {}}
        settings.GUARD = settings.GUARD.model_copy(update=changed)
        yield serving


def test_what_the_endpoint_refuses_is_told_with_the_setting_that_helps(
    endpoint: ScriptedEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.refused = {"temperature"}
    call_command("check_judge")
    output = capsys.readouterr().out
    assert "reasoner: can judge" in output
    assert "temperature: 0.0; refused, works with none" in output
    assert "Agrees with 2 of 3 known answers, 3 could be read." in output
    assert 'GUARD_MODEL_OPTIONS to {"reasoner": {"temperature": null}}' in output


def test_a_model_with_its_options_set_is_refused_nothing(endpoint: ScriptedEndpoint, settings: Any) -> None:
    endpoint.refused = {"temperature"}
    options = {"reasoner": JudgeModelOptions(temperature=None, answer_tokens=9000)}
    settings.GUARD = settings.GUARD.model_copy(update={"guard_model_options": options})
    call_command("check_judge")
    assert len(endpoint.requests) == 3
    assert {request["max_completion_tokens"] for request in endpoint.requests} == {9000}


def test_an_endpoint_that_cannot_judge_fails_the_command(
    endpoint: ScriptedEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.down = True
    with pytest.raises(SystemExit) as ended:
        call_command("check_judge", "--json")
    assert ended.value.code == CANNOT_JUDGE
    assert json.loads(capsys.readouterr().out)["answered"] == 0
