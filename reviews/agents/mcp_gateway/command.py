"""The gateway's command line: `manage.py mcp_gateway`, and without the site `python -m reviews.agents.mcp_gateway`."""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reviews.agents.client.provenanceguard import AsyncGuard, UnusableKeyError
from reviews.agents.mcp_gateway.names import SERVER_NAME

TOKEN_VARIABLE = "PROVENANCEGUARD_MCP_TOKEN"  # noqa: S105 - a variable's name


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
    elicit = "have clients that can ask their user for it; may be repeated"
    kinds = ["request", "confirmation"]
    parser.add_argument("--elicit", action="append", default=[], choices=kinds, help=elicit)
    parser.add_argument("--listen", default="", metavar="HOST:PORT", help="serve streamable HTTP there, not stdio")
    host = "a name by which clients call it, beside those of this machine; may be repeated"
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help=host)
    origin = "a site whose pages may call it from a browser; may be repeated"
    parser.add_argument("--allow-origin", action="append", default=[], metavar="URL", help=origin)
    parser.add_argument("--url", default="", help="the server's address, where it speaks streamable HTTP")
    variable = "the variable with the token that the server at this address takes"
    parser.add_argument("--url-token", default="", metavar="NAME", help=variable)
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the server, behind --")


def run_gateway(options: Mapping[str, Any]) -> None:
    """Serve until stdin closes, or the process is asked to end. Raises UnservableError."""
    serving = _import_serving()
    if options["server"] and not SERVER_NAME.fullmatch(options["server"]):
        raise UnservableError("--server is up to 32 letters, digits and hyphens, with single underscores between them.")
    gateway = serving.serve(
        _find_server(serving, options),
        _guard_of_environment(),
        door=_open_door(serving, options) if options["listen"] else None,
        server=options["server"],
        request=_read_request(options),
        trust_annotations=options["trust_annotations"],
        elicits=options["elicit"],
    )
    failure: BaseException | None = None
    try:
        asyncio.run(gateway)
    # What goes wrong in one of several tasks comes as a group.
    except* serving.UNSTARTABLE as group:
        failure = _first_of(group)
    if failure is not None:
        name = options["url"] or options["command"][0]
        raise UnservableError(f"“{name}” does not serve MCP: {failure}") from failure


def _first_of(group: BaseExceptionGroup[Any]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _import_serving() -> Any:
    """The module that serves. Raises UnservableError where the package it needs is not installed."""
    try:
        from reviews.agents.mcp_gateway import serving  # noqa: PLC0415 - the site has no need of the package
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types", "httpx2"):
            raise
        raise UnservableError('The gateway needs the package “mcp”: pip install "mcp>=2.3".') from error
    return serving


def _find_server(serving: Any, options: Mapping[str, Any]) -> Any:
    """Where the server is: a command, or an address."""
    if bool(options["command"]) == bool(options["url"]):
        raise UnservableError("The server is a command behind --, or an address (--url).")
    if options["command"]:
        return serving.describe_command(options["command"], _pick_variables(options["env"]))
    if not options["url"].startswith(("https://", "http://")):
        raise UnservableError("--url is an address that begins with https:// or http://.")
    token = options["url_token"]
    return serving.RemoteServer(options["url"], _pick_variables([token])[token] if token else "")


def _open_door(serving: Any, options: Mapping[str, Any]) -> Any:
    """A socket that listens, for those who may come in. Raises UnservableError."""
    host, _, port = options["listen"].rpartition(":")
    host, token = host.strip("[]"), os.environ.get(TOKEN_VARIABLE, "")
    if not host or not port.isdecimal():
        raise UnservableError("--listen is an address and a port, such as 127.0.0.1:8765.")
    if not token and not _is_loopback(host):
        raise UnservableError(f"Who may come in from elsewhere? Set {TOKEN_VARIABLE}, or listen at 127.0.0.1.")
    try:
        listener = serving.listen(host, int(port))
    except (OSError, OverflowError) as error:
        raise UnservableError(f"Nobody can listen at {options['listen']}: {error}") from error
    return serving.HttpDoor(listener, token, options["allow_host"], options["allow_origin"])


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
