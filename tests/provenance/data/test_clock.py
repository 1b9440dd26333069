"""What time it is for a request: what is told about the present, and not every day that is mentioned."""

from datetime import UTC, datetime

import pytest

from reviews.provenance.core.context import Context, JsonValue, NamedText, Step
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.clock import clock_of


def told(*history: Step, prompt: str = "", now: datetime | None = None) -> tuple[datetime | None, str | None]:
    system = (NamedText(SourceKind.SYSTEM_PROMPT, "system", prompt),) if prompt else ()
    clock = clock_of(Context("Book it for tomorrow.", (), history, system, now))
    return clock.now, clock.source


@pytest.mark.parametrize("tool", ["get_current_day", "now", "clock.current_time", "getDate"])
@pytest.mark.parametrize(
    "outcome", ["2024-05-15", '{"date": "2024-05-15T09:30:00.123Z"}', '["Wednesday", "15 May 2024"]']
)
def test_a_look_up_of_the_time_tells_it(tool: str, outcome: str) -> None:
    now, source = told(Step(tool, {}, outcome))
    assert now
    assert (now.date().isoformat(), source) == ("2024-05-15", "history/1/outcome")


@pytest.mark.parametrize(
    ("tool", "arguments", "outcome"),
    [
        ("get_date_of_order", {}, "2024-05-15"),
        ("get_date", {"order": "A-1"}, "2024-05-15"),
        ("get_current_user", {}, "2024-05-15"),
        ("get_current_day", {}, "Wednesday"),
        ("get_current_day", {}, None),
    ],
)
def test_a_day_that_another_look_up_returns_is_not_the_present(
    tool: str, arguments: dict[str, JsonValue], outcome: str | None
) -> None:
    assert told(Step(tool, arguments, outcome)) == (None, None)


def test_the_latest_look_up_counts_and_before_all_what_the_submission_tells() -> None:
    first, second = Step("get_current_day", {}, "2024-05-15"), Step("get_current_day", {}, "2024-05-16")
    assert told(first, second, prompt="Today is 14 May 2024.")[0] == datetime(2024, 5, 16)  # noqa: DTZ001
    moment = datetime(2026, 3, 4, tzinfo=UTC)
    assert told(first, second, now=moment) == (moment, None)


def test_a_system_prompt_tells_the_present_and_not_any_day() -> None:
    assert told(prompt="Today is 14 May 2024; the time is 09:30.")[0] == datetime(2024, 5, 14, 9, 30)  # noqa: DTZ001
    assert told(prompt="The shop opened on 14 May 2024.") == (None, None)
