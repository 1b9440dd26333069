"""Who waits is answered with what the wake-up carries: the same as a look gives, and for the action's readers alone."""

import hashlib
from uuid import uuid4

import pytest
from django.test import Client

from reviews.api.longpoll import pushed_answers
from reviews.api.longpoll.long_poll import LongPoll
from reviews.api.longpoll.pushed_answers import PushedAnswer
from reviews.decisions import decide
from reviews.messaging import signals
from reviews.models import AgentKey
from reviews.workspaces import agent_keys
from tests.api.longpoll.test_long_poll import ACTION, DECIDED, ID, UNDECIDED, Browser, ScriptedDjango
from tests.cast import Cast, approved, flagged, propose
from tests.eventually import until

BODY = b'{"status":"decided"}'


def readers(*secrets: bytes) -> bytes:
    return b" ".join(hashlib.sha256(secret).hexdigest().encode() for secret in secrets)


def tell(poll: LongPoll, *secrets: bytes) -> None:
    data = b"\n".join([ID.encode(), readers(*secrets), BODY])
    poll.wakeups.receive({"type": "message", "data": data})


async def wait_once(poll: LongPoll, **headers: str) -> Browser:
    """A reader that waits behind an undecided look, which tells how Django answers."""
    browser = Browser(poll, "GET", ACTION, "wait=5", b"", **headers)
    await until(lambda: len(poll.wakeups) == 1)
    return browser


@pytest.mark.usefixtures("listening")
class TestAnAnswerThatIsCarried:
    async def test_is_given_without_another_look(self) -> None:
        django = ScriptedDjango(UNDECIDED)
        poll = LongPoll(django)
        browser = await wait_once(poll)
        tell(poll, b"key")
        assert await browser.answer() == (200, BODY)
        assert len(django.requests) == 1

    async def test_has_the_headers_of_a_look_but_those_of_its_own(self) -> None:
        headers = [(b"retry-after", b"1"), (b"content-type", b"application/json"), (b"x-frame-options", b"DENY")]
        poll = LongPoll(ScriptedDjango((200, [*headers, (b"etag", b'"old"')], b"undecided")))
        browser = await wait_once(poll, x_request_id="mine")
        tell(poll, b"key")
        await browser.answer()
        assert browser.header(b"x-frame-options") == b"DENY"
        assert (browser.header(b"x-request-id"), browser.header(b"retry-after")) == (b"mine", None)
        assert browser.header(b"etag") not in (None, b'"old"')

    @pytest.mark.parametrize("secrets", [(), (b"another",)])
    async def test_is_not_for_another_key(self, secrets: tuple[bytes, ...]) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED, (401, [], b"revoked")))
        browser = await wait_once(poll)
        tell(poll, *secrets)
        assert await browser.answer() == (401, b"revoked")

    @pytest.mark.parametrize("odd", [{"accept": "text/html"}, {"if_none_match": '"held"'}])
    async def test_is_left_to_django_where_only_django_can_tell(self, odd: dict[str, str]) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED, DECIDED))
        browser = await wait_once(poll, **odd)
        tell(poll, b"key")
        assert await browser.answer() == (200, b"decided")

    async def test_is_left_to_django_where_only_some_members_are_asked_for(self) -> None:
        poll = LongPoll(ScriptedDjango(UNDECIDED, DECIDED))
        browser = Browser(poll, "GET", ACTION, "fields=status&wait=5", b"")
        await until(lambda: len(poll.wakeups) == 1)
        tell(poll, b"key")
        assert await browser.answer() == (200, b"decided")

    async def test_ends_a_submissions_wait_too(self) -> None:
        location = (b"location", ACTION.encode())
        django = ScriptedDjango(UNDECIDED, (202, [(b"retry-after", b"1"), location], b"submitted"))
        poll = LongPoll(django)
        reader = await wait_once(poll)
        browser = Browser(poll, "POST", "/api/v1/actions", body=b"{}", prefer="wait=5")
        await until(lambda: len(poll.wakeups) == 2)
        tell(poll, b"key")
        assert await browser.answer() == await reader.answer() == (200, BODY)
        assert browser.header(b"location") == ACTION.encode()
        assert len(django.requests) == 2


def test_what_is_carried_is_what_a_look_gives(cast: Cast, client: Client) -> None:
    action = approved(cast)
    read = pushed_answers.read_settled(action.pk)
    assert read is not None
    looked = client.get(f"/api/v1/actions/{action.pk}", headers={"Authorization": f"Bearer {cast.agent_secret}"})
    assert PushedAnswer.from_message(read).body == looked.content


def test_every_key_of_the_agent_may_have_it_and_no_other(cast: Cast) -> None:
    second = agent_keys.create_key(cast.workspace, name="second", agent=cast.agent.agent)
    news = PushedAnswer.from_message(pushed_answers.read_settled(approved(cast).pk) or b"")
    assert news.is_for(cast.agent_secret.encode())
    assert news.is_for(second.secret.encode())
    assert not news.is_for(cast.outside_secret.encode())


def test_a_key_that_was_revoked_during_the_wait_gets_nothing(cast: Cast) -> None:
    action = approved(cast)
    agent_keys.revoke_key(agent_key=AgentKey.objects.get(pk=cast.agent.pk), membership=cast.admin)
    assert not PushedAnswer.from_message(pushed_answers.read_settled(action.pk) or b"").is_for(
        cast.agent_secret.encode()
    )


def test_what_is_undecided_or_no_action_is_not_carried(cast: Cast) -> None:
    assert pushed_answers.read_settled(propose(cast).pk) is None
    assert pushed_answers.read_settled(uuid4()) is None


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What is published from now on."""
    messages: list[bytes] = []
    monkeypatch.setattr(signals.redis_client(), "publish", lambda channel, message: messages.append(message))
    monkeypatch.setattr(signals, "_carried", pushed_answers.read_settled)
    return messages


@pytest.mark.django_db(transaction=True)
class TestAMessage:
    def test_carries_the_decision(self, cast: Cast, published: list[bytes]) -> None:
        action = flagged(cast).action
        decide.decide_action(action=action, choice=decide.Reject("Only 30."), membership=cast.reviewer)
        subject, _, _ = published[-1].partition(b"\n")
        assert subject == str(action.pk).encode()
        assert b"Only 30." in published[-1]

    def test_that_would_be_too_large_only_names_its_subject(
        self, cast: Cast, published: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(signals, "MAX_CARRIED", 100)
        action = approved(cast)
        assert published[-1] == str(action.pk).encode()

    def test_is_sent_also_when_the_answer_cannot_be_read(
        self, cast: Cast, published: list[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(signals, "_carried", lambda subject_id: 1 / 0)
        action = approved(cast)
        assert published[-1] == str(action.pk).encode()
