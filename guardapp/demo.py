"""`python -m guardapp.demo`: the whole product on one machine, until Ctrl-C.

Private servers, migrations, people and a key, web server, workers, beat and example agents. It needs neither settings
nor a database to start, so it is no Django command: the processes it starts are given both.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx
from rich.console import Console

from guardapp import demo_environment
from guardapp.embedded import EmbeddedError, Services, run_services
from guardapp.servers.machine import free_port, kept_secret, tail, write_secret
from guardapp.supervisor import Program, Supervisor
from guardapp.web import CONNECTIONS, web_arguments, web_workers

ROOT: Final = Path(__file__).resolve().parent.parent
# Until the site and a worker answer: some ten seconds on a laptop, much more on a small machine that is busy.
READY_SECONDS: Final = 120
# How often children are looked after: whoever is refused by one that died comes again as soon.
WATCH_SECONDS: Final = 0.1
# Files the server needs besides its connections: libraries, logs, the database's and the broker's sockets.
OTHER_FILES: Final = 1024
# How many of the programs, in their order, make the site ready: the web server and the worker for checks.
AT_FIRST: Final = 2

console = Console(highlight=False, soft_wrap=True)


class DemoError(Exception):
    """The demonstration cannot start; the message says what failed and ends with the log."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until interrupted; the exit status is 1 when something could not start."""
    options = _parse_arguments(arguments)
    os.chdir(ROOT)
    _allow_many_files()
    # A service manager's stop ends the demonstration as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with run_services(options.directory, durable=True) as running:
            _run_programs(running, options)
    except KeyboardInterrupt:
        console.print("Stopped. The data is kept: `make demo` goes on where you left.")
    except (EmbeddedError, DemoError) as error:
        console.print(str(error), style="red", markup=False)
        return 1
    return 0


def demo_programs(*, port: int, directory: Path) -> tuple[Program, ...]:
    """The long-running parts of the product."""
    python = (sys.executable, "-m")
    celery = (*python, "celery", "-A", "guardapp")
    # The workers do not talk to each other, as each would only add messages that nobody reads.
    worker = (*celery, "worker", "--without-gossip", "--without-mingle")
    web = (*python, "granian", *web_arguments(workers=web_workers()), "--host", "127.0.0.1", "--port", str(port))
    checks = (*worker, "--pool", "prefork", "-Q", "checks", "-n", "checks@%h")
    schedule = str(directory / "beat-schedule")
    return (
        # What agents wait for has a successor, which costs the memory of a process: importing takes seconds.
        Program("web", web, stands_by=True),
        # Processes, which can be killed: nothing stops a thread that an agent's call keeps busy.
        Program("worker-checks", checks, stands_by=True),
        # A queue and a worker of its own: the sweep must not wait behind the checks that it is to find lost.
        Program("worker-default", (*worker, "--pool", "threads", "-Q", "default", "-c", "4", "-n", "default@%h")),
        Program("beat", (*celery, "beat", "--schedule", schedule, "--pidfile=")),
    )


def _run_programs(running: Services, options: argparse.Namespace) -> None:
    directory: Path = options.directory
    url = f"http://127.0.0.1:{(port := free_port(options.port))}"
    environment = _demo_environment(running, directory, url)
    sign_ins = directory / "demo.json"
    with Supervisor(environment=environment, logs=directory / "logs", report=console.print) as supervisor:
        _run_once(supervisor.logs, environment, "demo_seed", "--url", url, "--file", str(sign_ins))
        started = demo_programs(port=port, directory=directory)
        # The site and one worker answer; starting the rest at the same time would only make them slower.
        for program in started[:AT_FIRST]:
            supervisor.start(program)
        _wait_until_ready(url, supervisor.watch, supervisor.logs)
        for program in started[AT_FIRST:]:
            supervisor.start(program)
        if options.agents:
            agents = (sys.executable, "manage.py", "example_agents", "--demo", str(sign_ins))
            supervisor.start(Program("example-agents", agents))
        _announce_addresses(sign_ins, supervisor.logs)
        while True:
            supervisor.watch()
            time.sleep(WATCH_SECONDS)


def _demo_environment(running: Services, directory: Path, url: str) -> Mapping[str, str]:
    # Kept over restarts: with a new one everybody would be signed out.
    secret = directory / "secret_key"
    secret_key = kept_secret(secret)
    write_secret(secret, secret_key)
    variables = {
        "DJANGO_SETTINGS_MODULE": "guardapp.settings",
        "DATABASE_URL": running.postgres.url,
        "REDIS_URL": running.redis.url,
        "SECRET_KEY": secret_key,
        "HTTPS": "false",
        "PUBLIC_URL": url,
        "DEMO": "true",
    }
    demo_environment.keep_variables(variables, directory)
    # Unbuffered: a log shows what happened when somebody looks into it.
    return os.environ | variables | {"PYTHONUNBUFFERED": "1"}


def _run_once(logs: Path, environment: Mapping[str, str], command: str, *arguments: str) -> None:
    """Run a management command to its end. Raises `DemoError` with its output when it fails."""
    path = logs / f"{command}.log"
    with path.open("wb") as log:
        call = [sys.executable, "manage.py", command, *arguments]
        finished = subprocess.run(call, env=environment, stdout=log, stderr=log, check=False)
    if finished.returncode:
        raise DemoError(f"manage.py {command} failed:\n{tail(path)}")


def _wait_until_ready(url: str, watch: Callable[[], None], logs: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    answer = "no answer"
    while time.monotonic() < deadline:
        watch()
        try:
            # The probe answers within two seconds; a machine that is starting everything may take longer.
            response = httpx.get(f"{url}/readyz", timeout=5)
        except httpx.HTTPError as error:
            answer = repr(error)
        else:
            if response.is_success:
                return
            answer = response.text
        time.sleep(WATCH_SECONDS)
    raise DemoError(f"Not ready after {READY_SECONDS} s: {answer}\n{tail(logs / 'web.log')}")


def _announce_addresses(sign_ins: Path, logs: Path) -> None:
    demo = json.loads(sign_ins.read_text())
    console.print(f"\n[bold]ProvenanceGuard Review[/bold] is ready: [bold]{demo['url']}[/bold]\n")
    for role in ("reviewer", "annotator", "admin"):
        console.print(f"  {role:<10} {demo[role]['username']:<10} {demo[role]['password']}", markup=False)
    console.print(f"  {'agent key':<10} {demo['agent_key']}", markup=False)
    console.print(f"\nThe same for scripts: {sign_ins}. Logs: {logs}. Ctrl-C stops everything.\n", markup=False)


def _allow_many_files() -> None:
    """Each connection is an open file, and the usual limit is 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CONNECTIONS + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < needed:
        limit = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def _parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m guardapp.demo", description="The whole product on one machine.")
    parser.add_argument("--port", type=int, default=8000, help="port of the site, or the next free one (8000)")
    parser.add_argument("--no-agents", dest="agents", action="store_false", help="start without the example agents")
    parser.add_argument("--directory", type=Path, default=ROOT / ".run", help="where everything is kept (.run)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
