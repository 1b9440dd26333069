"""Who the site believes about a client's address and scheme: the proxy it was told of, and nobody else."""

from typing import Any

import pytest
from granian.utils.proxies import wrap_asgi_with_proxy_headers

from guardapp.config import Config
from tests.structure.test_configuration import COMPLETE

PROXY = "172.31.250.2"


async def scope_of(client: str, **headers: str) -> dict[str, Any]:
    """What the application behind is told, when a connection from `client` carries these headers."""
    scopes: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        scopes.append(scope)

    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "scheme": "http", "client": (client, 4711), "headers": given}
    await wrap_asgi_with_proxy_headers(application, [PROXY])(scope, None, None)
    return scopes[0]


async def test_the_proxy_is_believed() -> None:
    scope = await scope_of(PROXY, x_forwarded_for="203.0.113.9", x_forwarded_proto="https")
    assert (scope["client"][0], scope["scheme"]) == ("203.0.113.9", "https")


async def test_nobody_else_is_believed() -> None:
    scope = await scope_of("203.0.113.9", x_forwarded_for="127.0.0.1", x_forwarded_proto="https")
    assert (scope["client"][0], scope["scheme"]) == ("203.0.113.9", "http")


async def test_what_a_client_put_in_front_of_the_proxys_word_does_not_count() -> None:
    scope = await scope_of(PROXY, x_forwarded_for="10.0.0.1, 203.0.113.9", x_forwarded_proto="https")
    assert scope["client"][0] == "203.0.113.9"


@pytest.mark.parametrize("proxies", ["*", "proxy", "172.31.250.2/16", "1.2.3"])
def test_a_name_or_everybody_cannot_be_trusted(monkeypatch: pytest.MonkeyPatch, proxies: str) -> None:
    for name, value in {**COMPLETE, "TRUSTED_PROXIES": proxies}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ValueError, match="trusted_proxies"):
        Config()
