"""Bodies that are not what they should be, at every endpoint that takes one."""

import asyncio
import json
import tracemalloc
from typing import Any, cast
from urllib.parse import urlencode

import pytest
from django.test import override_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardapp.config import config
from reviews.errors import InvalidError, TooLargeError
from reviews.evaluation.benchmarks.workbench import Label, Trace
from reviews.intake.wire.bounded_json_body import decode_json, decode_submission
from reviews.intake.wire.nesting import first_deeper_than
from reviews.intake.wire.read_action import read_proposal
from reviews.intake.wire.read_plan import read_draft
from reviews.lab.replay.in_process import EngineInProcess
from reviews.lab.replay.proposals import Proposal
from reviews.lab.replay.targets import ReplayError
from tests.api.agent import ACTIONS, NATIVE, OPENAI, Agent, check_problem, with_
from tests.api.views.test_plans import planned
from tests.api.views.test_submit import ANTHROPIC, MCP, RESPONSES

TINY = config().model_copy(update={"max_body_bytes": 100})


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b" ", "line 1, column 2"),
        (b"{", "line 1, column 2"),
        (b'{\n "query": nope}', "line 2, column 11"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": -Infinity}', "Infinity"),
        (b'{"a": 1, "a": 2}', '"a" stands twice'),
        (b'{"a": "\xff"}', "not UTF-8: byte 7"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b"{} {}", "Extra data"),
        (b'{"a": "tab\there"}', "line 1"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(agent: Agent, body: bytes, says: str) -> None:
    assert says in check_problem(agent.send("POST", ACTIONS, body), 400, slug="malformed-json")["detail"]


def test_an_empty_body_lacks_everything(agent: Agent) -> None:
    check_problem(agent.post(ACTIONS), 422, "/query", "/tools", "/action")


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"query": "a\\u0000b"}', "/query"),
        ('{"query": "\\ud800"}', "/query"),
        ('{"metadata": {"a": ["\\udfff"]}}', "/metadata/a/0"),
        ('{"metadata": {"a\\u0000": 1}}', "/metadata"),
        ('{"metadata": {"x": 1e999}}', "/metadata/x"),
        ('{"metadata": {"x": ' + "9" * 5000 + "}}", "/metadata/x"),
        ('{"metadata": {"a/b~c": "\\u0000"}}', "/metadata/a~1b~0c"),
    ],
)
def test_what_the_database_cannot_keep_is_named(agent: Agent, text: str, pointer: str) -> None:
    check_problem(agent.send("POST", ACTIONS, text.encode()), 422, pointer)


def test_what_is_wrong_below_a_long_name_is_named_in_a_short_answer(agent: Agent) -> None:
    body = '{"metadata": {"' + "n" * 100_000 + '": [' + ", ".join(['"\\u0000"'] * 60) + "]}}"
    response = agent.send("POST", ACTIONS, body.encode())
    check_problem(response, 422, *["/metadata"] * 50)
    assert len(response.content) < 20_000


def test_a_long_name_that_stands_twice_is_named_in_a_short_answer(agent: Agent) -> None:
    name = "n" * 100_000
    response = agent.send("POST", ACTIONS, f'{{"{name}": 1, "{name}": 2}}'.encode())
    assert len(check_problem(response, 400, slug="malformed-json")["detail"]) < 200


def test_many_parts_beside_inline_media_are_refused_before_anything_is_made_of_them() -> None:
    body = b'{"messages": [' + b"[]," * 1_000_000 + b"[]]}"
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError):
            decode_submission(body)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < len(body)


def test_an_emoji_from_two_escapes_is_welcome(agent: Agent) -> None:
    body = json.dumps(with_(NATIVE, "/metadata/mood", "🙂"), ensure_ascii=True)
    assert "\\ud83d" in body
    assert agent.submit(body.encode())["metadata"]["mood"] == "🙂"


def nested(depth: int) -> str:
    return '{"a": ' * (depth - 1) + "{}" + "}" * (depth - 1)


def check_depth(text: str, pointer: str | None) -> None:
    try:
        decode_json(text.encode())
    except InvalidError as error:
        assert [problem.pointer for problem in error.errors] == [pointer]  # noqa: PT017
    else:
        assert pointer is None


def test_as_deep_as_the_bound_is_accepted() -> None:
    check_depth(nested(32), None)


def test_deeper_than_the_bound_is_named() -> None:
    check_depth(nested(33), "/a" * 32)


def test_deeper_than_the_decoder_can_go_is_named() -> None:
    check_depth(nested(50_000), "/a" * 32)


def test_deep_lists_are_named() -> None:
    check_depth("[1, [" + "[" * 50_000, "/1" + "/0" * 31)


def test_brackets_in_strings_are_no_nesting() -> None:
    assert first_deeper_than(2, '{"[[[": ["\\"[[["], "b": [1, {}]}') == "/b/1"


def test_deep_nesting_is_refused_over_http(agent: Agent) -> None:
    body = '{"metadata": ' + "[" * 40 + "]" * 40 + "}"
    check_problem(agent.send("POST", ACTIONS, body.encode()), 422, "/metadata" + "/0" * 31)


@override_settings(GUARD=TINY)
def test_a_body_over_the_bound_is_refused(agent: Agent) -> None:
    check_problem(agent.send("POST", ACTIONS, b'"' + b"x" * 100 + b'"'), 413, slug="too-large")


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x", ""])
def test_another_content_type_is_refused(agent: Agent, content_type: str) -> None:
    check_problem(agent.send("POST", ACTIONS, b"{}", content_type=content_type), 415)


def test_a_charset_is_no_other_content_type(agent: Agent) -> None:
    body = json.dumps(NATIVE).encode()
    assert agent.send("POST", ACTIONS, body, content_type="application/json; charset=utf-8").status_code == 202


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_another_method_is_refused(agent: Agent, method: str) -> None:
    response = agent.send(method, ACTIONS, b"{}")
    check_problem(response, 405)
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_an_answer_only_comes_as_json(agent: Agent) -> None:
    check_problem(agent.get(ACTIONS, Accept="text/html"), 406)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.just("\x00\ud800"),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=4), children, max_size=4),
    max_leaves=12,
)
FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pointers(body: dict[str, Any]) -> list[str]:
    def below(value: Any, at: str) -> list[str]:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        return [found for key, item in items for found in (f"{at}/{key}", *below(item, f"{at}/{key}"))]

    return below(body, "")


def check_answered(agent: Agent, method: str, path: str, body: bytes) -> None:
    response = agent.send(method, path, body)
    assert response.status_code < 500
    if response.status_code >= 400:
        check_problem(response, response.status_code)


@FUZZ
@given(body=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_body_gets_an_answer(agent: Agent, body: bytes) -> None:
    check_answered(agent, "POST", ACTIONS, body)


@FUZZ
@given(pointer=st.sampled_from(pointers(NATIVE)), value=JSON)
def test_any_value_in_any_field_gets_an_answer(agent: Agent, pointer: str, value: Any) -> None:
    check_answered(agent, "POST", ACTIONS, json.dumps(with_(NATIVE, pointer, value)).encode())


@FUZZ
@given(pointer=st.sampled_from(pointers(OPENAI)), value=JSON)
def test_any_value_in_any_field_of_the_openai_shape_gets_an_answer(agent: Agent, pointer: str, value: Any) -> None:
    check_answered(agent, "POST", ACTIONS, json.dumps(with_(OPENAI, pointer, value)).encode())


@FUZZ
@given(
    name=st.sampled_from(["status", "tool", "trace_id", "created_after", "created_before", "limit", "cursor"])
    | st.text(min_size=1, max_size=8),
    value=st.text(max_size=30) | st.datetimes().map(lambda at: f"{at.isoformat()}Z"),
)
def test_any_query_gets_an_answer(agent: Agent, name: str, value: str) -> None:
    query = urlencode({name: value}, errors="replace")
    check_answered(agent, "GET", f"{ACTIONS}?{query}", b"")


MOMENTS: tuple[Any, ...] = (
    5,
    True,
    1.5,
    [],
    "5",
    "2026-01-31",
    "2026-01-31T09:30:00",
    "2026-02-30T09:30:00Z",
    "1969-12-31T23:59:59Z",
    "2201-01-01T00:00:00Z",
    "2200-12-31T23:59:59-14:00",
    "1970-01-01T00:00:00+00:01",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("body", [NATIVE, OPENAI, RESPONSES, ANTHROPIC, MCP], ids=lambda body: list(body)[-1])
def test_a_clock_that_nobody_could_read_is_refused(body: dict[str, Any], moment: Any) -> None:
    for read, submitted in ((read_proposal, body), (read_draft, planned(body))):
        with pytest.raises(InvalidError) as refusal:
            read({**submitted, "now": moment}, trusted=lambda: False)
        assert [problem.pointer for problem in refusal.value.errors] == ["/now"]


@pytest.mark.parametrize(
    "moment", ["1970-01-01T00:00:00Z", "2200-12-31T23:59:59.999999Z", "2026-01-31t09:30:00+05:30", None]
)
def test_a_clock_within_the_calendar_is_read(moment: str | None) -> None:
    assert read_proposal({**NATIVE, "now": moment}, trusted=lambda: False).tool_call_id == "call_1"


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "5"])
def test_a_listing_is_asked_for_within_the_calendar(agent: Agent, moment: str) -> None:
    for name in ("created_after", "created_before"):
        check_problem(agent.get(f"{ACTIONS}?{urlencode({name: moment})}"), 422, f"/{name}")


def test_arguments_as_text_are_held_to_the_same_depth() -> None:
    text = json.dumps({"to": json.loads("[" * 40 + "]" * 40)})
    with pytest.raises(InvalidError) as refusal:
        read_proposal(with_(OPENAI, "/tool_call/function/arguments", text), trusted=lambda: False)
    assert refusal.value.errors[0].pointer.startswith("/tool_call/function/arguments/to/0")


def test_a_replayed_submission_is_held_to_the_same_depth() -> None:
    deep = with_(NATIVE, "/metadata/a", json.loads("[" * 40 + "]" * 40))
    # Only the submission is read.
    proposal = Proposal(trace=cast(Trace, None), label=cast(Label, None), submission=deep)
    with pytest.raises(ReplayError, match="Nested deeper"):
        asyncio.run(EngineInProcess().judge(proposal))


def test_a_callback_of_one_action_is_refused_with_who_sets_up_webhooks(agent: Agent) -> None:
    problem = check_problem(agent.post(ACTIONS, {**NATIVE, "callback_url": "https://agent.example/"}), 422)
    assert [error["pointer"] for error in problem["errors"]] == ["/callback_url"]
    assert "an administrator sets up webhooks" in problem["detail"]
