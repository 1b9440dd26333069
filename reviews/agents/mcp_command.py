"""The gateway's command line: `manage.py mcp_gateway`, and without the site `python -m reviews.agents.mcp_command`."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reviews.agents.client.provenanceguard import AsyncGuard, UnusableKeyError


class UnservableError(Exception):
    """Nothing can be served with these options on this machine; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--server", default="", help="name of the server in its tools' names; else its own")
    trust = "let tools pass of which the server says that they only read"
    parser.add_argument("--trust-annotations", action="store_true", help=trust)
    variables = "a variable that the server gets; may be repeated"
    parser.add_argument("--env", action="append", default=[], metavar="NAME", help=variables)
    request = parser.add_mutually_exclusive_group()
    request.add_argument("--request", default="", metavar="TEXT", help="what the user asked for")
    request.add_argument("--request-file", type=Path, metavar="PATH", help="a file with it, read once")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the server, behind --")


def run_gateway(options: Mapping[str, Any]) -> None:
    """Serve until stdin closes. Raises UnservableError."""
    gateway = _import_gateway()
    if options["server"] and not gateway.SERVER_NAME.fullmatch(options["server"]):
        raise UnservableError("--server is up to 32 letters, digits and hyphens, with single underscores between them.")
    serving = gateway.serve(
        options["command"],
        _guard_of_environment(),
        environment=_pick_variables(options["env"]),
        server=options["server"],
        request=_read_request(options),
        trust_annotations=options["trust_annotations"],
    )
    failure: BaseException | None = None
    try:
        asyncio.run(serving)
    # What goes wrong in one of several tasks comes as a group.
    except* gateway.UNSTARTABLE as group:
        failure = _first_of(group)
    if failure is not None:
        raise UnservableError(f"“{options['command'][0]}” does not serve MCP: {failure}") from failure


def _first_of(group: BaseExceptionGroup[Any]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _import_gateway() -> Any:
    """The gateway's module. Raises UnservableError where the package it needs is not installed."""
    try:
        from reviews.agents import mcp_gateway  # noqa: PLC0415 - the site has no need of the package
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types"):
            raise
        raise UnservableError('The gateway needs the package “mcp”: pip install "mcp>=2.3".') from error
    return mcp_gateway


def _guard_of_environment() -> AsyncGuard:
    url, key = os.environ.get("PROVENANCEGUARD_URL", ""), os.environ.get("PROVENANCEGUARD_KEY", "")
    if not url or not key:
        raise UnservableError("PROVENANCEGUARD_URL and PROVENANCEGUARD_KEY say which guard to ask.")
    try:
        return AsyncGuard(url, key)
    except UnusableKeyError as error:
        raise UnservableError(str(error)) from error


def _pick_variables(names: Sequence[str]) -> dict[str, str]:
    if missing := [name for name in names if name not in os.environ]:
        raise UnservableError(f"Not in the environment: {', '.join(missing)}.")
    return {name: os.environ[name] for name in names}


def _read_request(options: Mapping[str, Any]) -> str:
    path: Path | None = options["request_file"]
    if path is None:
        return str(options["request"])
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnservableError(f"“{path}” cannot be read: {error}") from error


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser(prog="mcp_gateway", description=__doc__)
    add_arguments(parser)
    try:
        run_gateway(vars(parser.parse_args()))
    except UnservableError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
