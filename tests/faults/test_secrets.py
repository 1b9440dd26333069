"""What goes wrong in the web server and in a worker, at the most talkative level, is logged without any secret."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import httpx
import pytest
from django.conf import settings
from django.db import connection

from guardapp.embedded import EmbeddedPostgres
from reviews.models import Check, Role
from reviews.profiles import versions
from reviews.workspaces import invitations
from tests import stack
from tests.api.agent import NATIVE
from tests.cast import Cast, make_cast, propose

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

JUDGE_KEY = "sk-of-the-judge-0123456789"
PLANTED = {
    "DJANGO_SETTINGS_MODULE": "tests.faults.impatient_settings",
    "OPENAI_API_KEY": JUDGE_KEY,
    "METRICS_TOKEN": "metrics-token-of-the-test-0123456789",
    "SMTP_URL": "smtp://u:mail%2Fpassword@127.0.0.1:1",
    "METRICS_DIRECTORY": str(Path(tempfile.gettempdir(), "metrics-of-the-test")),
    "LOG_LEVEL": "DEBUG",
    # Whatever the judge does, it is asked again.
    "CHECK_RETRY_SECONDS": "0.1",
    "JUDGE_BREAKER_FAILURES": "1000",
}
PASSWORD = "the-passw0rd-of-a-person"


@contextmanager
def echoing_judge(statuses: list[int]) -> Iterator[str]:
    """An endpoint that refuses every question with the first of the statuses, and quotes the request's headers."""

    class Echoing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            content = str(self.headers).encode()
            self.send_response(statuses[0])
            self.send_header("X-Echo", self.headers["Authorization"])
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Echoing) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def misuse(url: str, cast: Cast, link: str) -> None:
    """Requests of people and agents who put secrets where they do not belong, and of those who guess."""
    key = cast.agent_secret
    signed = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url) as client:
        client.post("/api/v1/actions", json=NATIVE, headers=signed)
        client.post("/api/v1/actions", content=b"{" + key.encode(), headers=signed)
        client.get(f"/api/v1/actions/{key}", headers=signed)
        client.get(f"/api/v1/actions?key={key}&api_key={key}", headers=signed)
        client.get(f"/{key}/queue?access_token={key}")
        client.get("/queue", headers={"Host": f"{key}.example"})
        client.get("/api/v1/actions", headers={"Authorization": f"Bearer {key}x"})
        client.get("/api/v1/actions", headers={"Authorization": f"Basic {key} {key}"})
        client.get("/metrics", headers={"Authorization": f"Bearer {PLANTED['METRICS_TOKEN']}x"})
        client.put(f"/invitations/{link}")
        client.post("/sign-in", data={"username": "reviewer", "password": PASSWORD})
        client.post(f"/password/reset/1f-{link}", data={"password1": PASSWORD})


def secrets_of(cast: Cast, link: str) -> list[str]:
    database, redis = connection.settings_dict["PASSWORD"], urlsplit(settings.REDIS_URL).password
    planted = [JUDGE_KEY, PLANTED["METRICS_TOKEN"], "mail%2Fpassword", "mail/password", PASSWORD]
    known = [cast.agent_secret, link, settings.SECRET_KEY, database, redis, *planted]
    return [secret for secret in known if secret]


def test_no_secret_is_in_any_log(tmp_path: Path, postgres: EmbeddedPostgres) -> None:
    cast, logs = make_cast(), {name: tmp_path / f"{name}.log" for name in ("web", "worker", "beat")}
    link = invitations.invite_person(membership=cast.admin, email="new@example.org", role=Role.REVIEWER).token
    secrets = secrets_of(cast, link)
    versions.new_version(membership=cast.admin, judge="openai", model="scripted")
    with (
        echoing_judge(statuses := [400]) as judge,
        stack.web(log=logs["web"], **PLANTED) as url,
        stack.worker(log=logs["worker"], OPENAI_BASE_URL=judge, **PLANTED),
        stack.beat(tmp_path, log=logs["beat"], **PLANTED),
    ):
        misuse(url, cast, link)
        unfinished = Check.objects.filter(finished_at=None)
        # A question it does not take, an answer that is none, and a key it does not know.
        for statuses[0] in (400, 200, 401):
            propose(cast, trace_id=f"echoed-{statuses[0]}")
            stack.until(lambda: not unfinished.exists(), seconds=60, what="the end of the check")
        kept = [check.reason for check in Check.objects.all()]
        postgres.stop()
        # Far longer than the pool tries to reach a database.
        httpx.get(f"{url}/api/v1/actions", headers={"Authorization": f"Bearer {cast.agent_secret}"}, timeout=40)
        stack.until(lambda: "OperationalError" in logs["worker"].read_text(), what="the worker's outage")
    written = {name: log.read_text() for name, log in logs.items()}
    # They had something to say, and so had the judge.
    assert any("refuses to answer" in reason for reason in kept)
    assert "Not Found" in written["web"]
    assert "Invalid HTTP_HOST header" in written["web"]
    for name, text in {**written, "the checks": "\n".join(kept)}.items():
        leaked = [line for line in text.splitlines() if any(secret in line for secret in secrets)]
        assert leaked == [], name
