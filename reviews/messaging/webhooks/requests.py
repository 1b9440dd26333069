"""Send signed messages: to the address that was looked at, with its certificate verified, never along a redirect."""

import asyncio
import logging
import re
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Final

import httpx
from django.utils.http import parse_http_date_safe

from reviews.messaging.webhooks.addresses import AddressRefusedError, resolve_host

_log = logging.getLogger(__name__)

# The standard's advice is 15 to 30 s for receivers that work before they answer; ours are asked to answer first.
MAX_SECONDS: Final = 10.0
"""From looking the name up to the status line of the answer."""
# A receiver that is overloaded names minutes; one that names days would have its messages arrive as news of last week.
MAX_RETRY_AFTER: Final = 3600.0
"""Longest time for which a receiver is left alone because it asks for it."""


@dataclass(frozen=True)
class WebhookRequest:
    """One message on its way to a receiver."""

    url: str
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True)
class SendResult:
    """What came of it."""

    status: int | None = None
    """HTTP status of the answer; None without one."""
    problem: str = ""
    """Why it counts as not delivered; empty when it was delivered."""
    retry_after: float = 0
    """Seconds for which the receiver asks to be left alone."""

    @property
    def is_unanswered(self) -> bool:
        """Whether the receiver did not even answer, so that others would wait as long for it."""
        return self.status is None


async def send_requests(requests: Sequence[WebhookRequest], *, allowed: Sequence[str] = ()) -> list[SendResult]:
    """Send all at once. Returns what came of each, in their order; takes `MAX_SECONDS` at most."""
    # No proxy of the environment, which would resolve the name itself. No connection is kept: the next message may go
    # to another address.
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(verify=_tls_context(), trust_env=False, timeout=MAX_SECONDS, limits=limits) as client:
        return await asyncio.gather(*(_send_request(client, request, allowed) for request in requests))


async def _send_request(client: httpx.AsyncClient, request: WebhookRequest, allowed: Sequence[str]) -> SendResult:
    try:
        # Over all, because the client's own time-outs begin anew with each byte.
        async with asyncio.timeout(MAX_SECONDS):
            return _result_of(*await _post_pinned(client, request, allowed))
    except AddressRefusedError as refusal:
        return SendResult(problem=str(refusal))
    except (TimeoutError, httpx.TimeoutException):
        return SendResult(problem=f"It did not answer within {MAX_SECONDS:.0f} s.")
    except (httpx.InvalidURL, ValueError):
        return SendResult(problem="This is no address that can be sent to.")
    except httpx.HTTPError as error:
        return SendResult(problem=_words_of(error))
    except Exception:  # noqa: BLE001 - one message must not keep those of others from being sent and recorded
        _log.exception("a webhook could not be sent")
        return SendResult(problem="It could not be sent.")


async def _post_pinned(client: httpx.AsyncClient, request: WebhookRequest, allowed: Sequence[str]) -> tuple[int, float]:
    """The status of the answer, and for how many seconds it asks to be left alone. Its body is not read: it may be
    endless, and means nothing.
    """
    url = httpx.URL(request.url)
    # As it goes over the wire: the spelling with letters of other scripts exists for some names only.
    host = url.raw_host.decode("ascii")
    address = await resolve_host(host, url.port or (443 if url.scheme == "https" else 80), allowed=allowed)
    pinned = client.build_request(
        "POST",
        url.copy_with(host=str(address)),
        content=request.body.encode(),
        headers={**request.headers, "Host": url.netloc.decode(), "Content-Type": "application/json"},
        # The certificate is the name's, not the address's.
        extensions={"sni_hostname": host},
    )
    response = await client.send(pinned, stream=True, follow_redirects=False)
    await response.aclose()
    return response.status_code, _seconds_asked(response)


def _seconds_asked(response: httpx.Response) -> float:
    """Of a `Retry-After`, in seconds or as a date, `MAX_RETRY_AFTER` at most; 0 without one that can be read."""
    if response.status_code not in (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE):
        return 0.0
    text = response.headers.get("Retry-After", "").strip()
    # Nine digits are far beyond the bound, and no number that is slow to read.
    if re.fullmatch(r"[0-9]{1,9}", text):
        return min(float(text), MAX_RETRY_AFTER)
    date = parse_http_date_safe(text[:40])
    return min(max(date - time.time(), 0.0), MAX_RETRY_AFTER) if date is not None else 0.0


def _result_of(status: int, retry_after: float) -> SendResult:
    if 200 <= status < 300:  # noqa: PLR2004 - the class of success
        return SendResult(status)
    if 300 <= status < 400:  # noqa: PLR2004 - the class of redirections
        return SendResult(status, f"It answered {status}. Redirects are not followed: give the address it leads to.")
    return SendResult(status, f"It answered {status}.", retry_after)


def _words_of(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"Its certificate is refused: {cause.verify_message}."
        cause = cause.__cause__ or cause.__context__
    return "It cannot be reached, or does not speak HTTP there."


@cache
def _tls_context() -> ssl.SSLContext:
    """One for the process: to read the authorities takes longer than most requests."""
    return httpx.create_ssl_context()
