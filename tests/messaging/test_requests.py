"""Where a webhook goes, and what it takes for an answer."""

import asyncio
import datetime as dt
import socket
import ssl
import time
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from reviews.messaging.webhooks import requests
from reviews.messaging.webhooks.addresses import is_permitted
from reviews.messaging.webhooks.requests import SendResult, WebhookRequest, send_requests
from tests.messaging.receiver import Receiver, serve_receiver

LOOPBACK = ("127.0.0.0/8",)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with serve_receiver() as served:
        yield served


def send(url: str, allowed: tuple[str, ...] = LOOPBACK) -> SendResult:
    message = WebhookRequest(url, {"webhook-id": "msg_1"}, '{"type": "webhook.test"}')
    return asyncio.run(send_requests([message], allowed=allowed))[0]


def resolve_to(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """The DNS answers with each of these in turn, then with the last. Returns the names that were asked for."""
    asked: list[str] = []
    remaining, real = list(answers), socket.getaddrinfo

    def answer(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        asked.append(host.decode() if isinstance(host, bytes) else host)
        return real(remaining.pop(0) if len(remaining) > 1 else remaining[0], port, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    return asked


def test_a_message_arrives_with_its_headers_and_body(receiver: Receiver) -> None:
    assert send(receiver.url) == SendResult(204)
    [(headers, body)] = receiver.requests
    assert body == '{"type": "webhook.test"}'
    assert (headers["webhook-id"], headers["Content-Type"]) == ("msg_1", "application/json")
    assert headers["Host"] == urlsplit(receiver.url).netloc


@pytest.mark.parametrize("host", ["xn--", "xn--a.example", "a" * 64 + ".example", "\ud800.example", "..", "[::1"])
def test_a_name_that_is_none_keeps_no_other_message_from_being_sent(receiver: Receiver, host: str) -> None:
    requests = [WebhookRequest(url, {}, "{}") for url in (f"https://{host}/hook", receiver.url)]
    refused, sent = asyncio.run(send_requests(requests, allowed=LOOPBACK))
    assert refused.problem
    assert sent == SendResult(204)


def test_a_name_in_letters_of_its_own_is_looked_up_as_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = resolve_to(monkeypatch, "192.0.2.1")
    send("https://xn--ls8h.example/hook", allowed=())
    assert asked == ["xn--ls8h.example"]


@pytest.mark.parametrize("status", [400, 410, 500])
def test_an_answer_beside_success_is_a_failure_with_its_status(receiver: Receiver, status: int) -> None:
    receiver.status = status
    result = send(receiver.url)
    assert result.status == status
    assert f"It answered {status}" in result.problem


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status, receiver.headers = 307, {"Location": receiver.url + "/elsewhere"}
    assert "Redirects are not followed" in send(receiver.url).problem
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("way", ["hangs", "drips"])
def test_a_receiver_without_an_answer_is_given_up_in_time(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(requests, "MAX_SECONDS", 0.4)
    setattr(receiver, way, True)
    began = time.monotonic()
    result = send(receiver.url)
    assert result.is_unanswered
    assert "did not answer" in result.problem
    # Those of the product are ten, and it hangs for good.
    assert time.monotonic() - began < 8


def test_an_address_nobody_listens_at_is_a_failure() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert "cannot be reached" in send(f"http://127.0.0.1:{taken.getsockname()[1]}/").problem


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"])
def test_no_spelling_of_this_machine_is_sent_to(receiver: Receiver, host: str) -> None:
    result = send(f"http://{host}:{urlsplit(receiver.url).port}/", allowed=())
    assert result.is_unanswered
    assert receiver.requests == []


def test_a_name_that_resolves_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_to(monkeypatch, "10.0.0.7")
    assert send("https://receiver.example/", allowed=()).problem == "It resolves to an address that is not public."


def test_a_name_is_resolved_once_and_its_address_is_pinned(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    # A second look would lead elsewhere, which is how a name is bound anew behind the check.
    asked = resolve_to(monkeypatch, "127.0.0.1", "192.0.2.1")
    port = urlsplit(receiver.url).port
    assert send(f"http://receiver.example:{port}/") == SendResult(204)
    assert asked.count("receiver.example") == 1
    assert receiver.requests[0][0]["Host"] == f"receiver.example:{port}"


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - refused
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::1",
        "2001:0:a00:1::1",
        "fc00::1",
        "fe80::1",
        "ff02::1",
        # Of a site, of an IPv4 host in two older notations, and given to nobody.
        "fec0::1",
        "::10.0.0.1",
        "::ffff:0:10.0.0.1",
        "4000::1",
    ],
)
def test_an_address_that_is_not_public_is_refused(address: str) -> None:
    assert not is_permitted(ip_address(address))


def test_public_addresses_and_the_operators_networks_are_permitted() -> None:
    assert is_permitted(ip_address("93.184.215.14"))
    assert is_permitted(ip_address("2606:4700::1111"))
    assert is_permitted(ip_address("10.1.2.3"), ["10.1.0.0/16"])
    assert not is_permitted(ip_address("10.2.2.3"), ["10.1.0.0/16"])


def certificate(folder: Path, name: str) -> Path:
    """A file with a certificate that is its own authority, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    file.write_bytes(made.public_bytes(pem) + private)
    return file


@pytest.mark.parametrize(
    ("name", "believed", "problem"),
    [
        ("receiver.example", True, ""),
        ("another.example", True, "certificate is refused: Hostname mismatch"),
        ("receiver.example", False, "certificate is refused: self-signed certificate"),
    ],
)
def test_a_certificate_is_verified_for_the_name_and_not_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, believed: bool, problem: str
) -> None:
    file = certificate(tmp_path, name)
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(file)
    if believed:
        monkeypatch.setattr(requests, "_tls_context", lambda: ssl.create_default_context(cafile=file))
    resolve_to(monkeypatch, "127.0.0.1")
    with serve_receiver(server_side) as receiver:
        result = send(f"https://receiver.example:{urlsplit(receiver.url).port}/")
        assert problem in result.problem
        assert (result.status, len(receiver.requests)) == ((None, 0) if problem else (204, 1))
