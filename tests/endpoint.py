"""An OpenAI-compatible endpoint that answers as it is told, for exact scenarios, faults and timing."""

import json
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType, TracebackType
from typing import Any, Self

from reviews.provenance.prompts.prompt import QUESTION_NAMES, load_prompt

HOLDS = {"holds": True, "rationale": "It serves the request."}
ANSWERS: dict[str, dict[str, Any]] = {
    "relevance": HOLDS,
    # The first candidate of each open value; an answer for more values than were asked about is not heard.
    "call_support": {
        "arguments": [
            {"argument": number, "source": "candidate", "candidate": 1, "term": None} for number in (1, 2, 3)
        ],
        "relevant": True,
        "contributes": True,
        "can_address": True,
        "quotes": [],
        "rationale": "It does what was asked.",
    },
    "derivability": {"parameters": []},
    "support": {"arguments": [], "can_address": True, "rationale": "It does what was asked."},
    "candidates": {"candidates": []},
    "admissibility": {"calls": [], "exclusive": False, "rationale": "None of them is."},
}
"""A judge that finds everything in order, by question."""


class ScriptedEndpoint:
    """Serves on a free port of this machine while it is entered."""

    def __init__(self, *, delay: float = 0.0, probability: float | None = None, **answers: dict[str, Any]) -> None:
        self.answers = ANSWERS | answers
        self.probability = probability
        """Of each boolean as it is answered, told to those who ask for it; None: it tells none."""
        self.delay = delay
        """Seconds before each answer."""
        self.down = False
        """Answers 503 to everything."""
        self.refused: set[str] = set()
        """Parameters and response formats that are answered with 400, as models that reason answer `temperature`."""
        self.prose = ""
        """Stands before each answer whose form is asked for in words alone."""
        self.requests: list[dict[str, Any]] = []
        """Those that were answered, without their messages."""
        self.withdrawn: set[str] = set()
        """Keys that are refused with 401."""
        self.held: set[str] = set()
        """Questions that wait until `release` is set."""
        self.release = threading.Event()
        self.questions: Counter[str] = Counter()
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))

    @property
    def base_url(self) -> str:
        """What `OPENAI_BASE_URL` should be."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, question: str) -> dict[str, Any] | None:
        """The answer to a question, once it may be given; None while the endpoint is down."""
        self.questions[question] += 1
        if question in self.held:
            self.release.wait(60)
        time.sleep(self.delay)
        return None if self.down else self.answers[question]

    def __enter__(self) -> Self:
        # Looks every 20 ms whether it shall end: by default every half second, which each test would wait for.
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Of the usual five a burst of questions fills all, and whoever finds no place comes again after a second.
    request_queue_size = 128


def _handler_for(endpoint: ScriptedEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # As real ones: a connection is used again, and the body of an answer does not wait for a sign of its head.
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.headers["Authorization"].removeprefix("Bearer ") in endpoint.withdrawn:
                self._send(401, {"error": {"message": "unknown key"}})
                return
            response_format = request.get("response_format", {"type": "text"})
            if refused := endpoint.refused & {*request, response_format["type"]}:
                self._send(400, _refusal(min(refused)))
                return
            messages = request.pop("messages")
            endpoint.requests.append(request)
            enforced = response_format["type"] == "json_schema"
            answer = endpoint.answer(response_format["json_schema"]["name"] if enforced else _question_in(messages))
            if answer is None:
                # The client's own delays, a second and more for each question, would be waited for.
                self._send(503, {"error": {"message": "down"}}, {"Retry-After-Ms": "20"})
            else:
                probability = endpoint.probability if request.get("logprobs") else None
                prose = endpoint.prose if response_format["type"] == "text" else ""
                self._send(200, _completion(answer, messages, probability, prose))

        def _send(self, status: int, body: dict[str, Any], more: Mapping[str, str] = MappingProxyType({})) -> None:
            encoded = json.dumps(body).encode()
            self.send_response(status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(encoded)), **more}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            # Whoever asked may have left: some give up before a slow answer.
            with suppress(BrokenPipeError):
                self.wfile.write(encoded)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing: the tests ask `questions`."""

    return Handler


def _refusal(parameter: str) -> dict[str, Any]:
    """As OpenAI words it; formats are told by the words alone."""
    named = parameter if "json" not in parameter else None
    message = f"Unsupported parameter: '{parameter}' is not supported with this model."
    return {"error": {"message": message, "param": named, "type": "invalid_request_error"}}


def _question_in(messages: list[dict[str, str]]) -> str:
    """The question that a prompt ends with, where no schema names it."""
    # A question's last words are its own, and nothing is filled in behind them.
    asked = messages[-1]["content"]
    return next(name for name in QUESTION_NAMES if load_prompt(name).question.strip()[-50:] in asked)


def _completion(
    answer: dict[str, Any], messages: list[dict[str, str]], probability: float | None = None, prose: str = ""
) -> dict[str, Any]:
    content = f"{prose}{json.dumps(answer)}"
    prompt, completion = sum(_tokens(message["content"]) for message in messages), _tokens(content)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content},
                "logprobs": {"content": list(_tokens_of(content, probability))} if probability else None,
            }
        ],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    }


def _tokens_of(content: str, probability: float) -> Iterator[dict[str, Any]]:
    """The answer in pieces, with the two alternatives of each boolean."""
    for piece in re.split(r"\b(true|false)\b", content):
        other = {"true": "false", "false": "true"}.get(piece)
        likely = {"token": piece, "logprob": math.log(probability), "bytes": None}
        unlikely = {"token": other, "logprob": math.log1p(-probability), "bytes": None}
        yield {**likely, "top_logprobs": [likely, unlikely] if other else []}


def _tokens(text: str) -> int:
    """About as many as most models make of it."""
    return len(text) // 4
