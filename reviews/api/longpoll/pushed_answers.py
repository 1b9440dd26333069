"""The answer that a wake-up carries, so that whoever waits is answered without a look at the database.

One process reads it, once, right behind the commit that settled the action. With it go the hashes of the keys that may
see the action at that moment: a waiting process hands it to those keys and to nobody else, so that neither a mistaken
message nor a key revoked during the wait shows anything to anyone.
"""

import hashlib
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from uuid import UUID

from reviews import access
from reviews.api.longpoll.asgi import Answer, Headers, Scope, first_header
from reviews.api.responses import etag_of
from reviews.api.serializers import actions as representation
from reviews.api.serializers import stored
from reviews.models import OPEN, pipeline

_PLAIN_KEY: Final = re.compile(rb"[Bb]earer ([\x21-\x7e]+)")
ONLY_WAIT: Final = re.compile(rb"wait=[0-9]{1,9}")
"""The query of who waits for all of an action, and asks for nothing else."""
# What differs between two answers to readers of one action.
_ITS_OWN: Final = frozenset({b"content-length", b"etag", b"retry-after", b"set-cookie", b"x-request-id"})


def key_of(scope: Scope) -> bytes | None:
    """The request's agent key; None where Django alone can tell what the header means."""
    secret = _PLAIN_KEY.fullmatch(first_header(scope["headers"], b"authorization") or b"")
    return secret[1] if secret else None


@dataclass(frozen=True, slots=True)
class PushedAnswer:
    """What an action's readers are to be answered."""

    readers: frozenset[bytes]
    """SHA-256 of their keys, in hexadecimal."""
    body: bytes
    """The answer's JSON."""

    @classmethod
    def from_message(cls, carried: bytes) -> "PushedAnswer":
        """What `read_settled` has made."""
        readers, _, body = carried.partition(b"\n")
        return cls(frozenset(readers.split()), body)

    def is_for(self, secret: bytes) -> bool:
        """Whether the agent with this key may have it."""
        return hashlib.sha256(secret).hexdigest().encode() in self.readers


def read_settled(action_id: UUID) -> bytes | None:
    """The settled action's answer with its readers; None for what is no action, or still undecided."""
    # One round trip, which ends with the keys that are in force now.
    with pipeline.batch():
        read_action, readers = stored.any_action(action_id), access.readers_of(action_id)
    action = read_action()
    if action is None or action.status in OPEN:
        return None
    return f"{' '.join(readers())}\n{representation.serialize_action(action).model_dump_json()}".encode()


class ResponseCache:
    """Answers made of news, with the headers that Django gives to readers: kept from its own, by the scheme."""

    def __init__(self) -> None:
        self._headers: dict[str, Headers] = {}

    def remember_headers(self, scope: Scope, answer: Answer) -> None:
        """Keep the headers of Django's answer to a reader of an action."""
        of_action = answer.status == HTTPStatus.OK and scope["path"].startswith("/api/v1/actions/")
        if of_action and not _is_of_page(scope):
            headers = [(name, value) for name, value in answer.headers if name not in _ITS_OWN]
            self._headers[scope.get("scheme", "http")] = headers

    def answer_to(self, scope: Scope, news: PushedAnswer) -> Answer | None:
        """The answer to this reader, as Django would give it; None where Django has to be asked."""
        headers, secret = self._headers.get(scope.get("scheme", "http")), key_of(scope)
        if headers is None or secret is None or _is_of_page(scope) or not news.is_for(secret):
            return None
        accept = first_header(scope["headers"], b"accept") or b"*/*"
        conditional = first_header(scope["headers"], b"if-none-match") is not None
        query = scope["query_string"]
        # Who asks for some members gets another answer.
        is_of_whole = not query or ONLY_WAIT.fullmatch(query) is not None
        if conditional or not is_of_whole or not (b"*/*" in accept or b"application/json" in accept):
            return None
        own_headers = [
            (b"etag", etag_of(news.body, first_header(headers, b"content-type") or b"").encode()),
            (b"content-length", str(len(news.body)).encode()),
            (b"x-request-id", first_header(scope["headers"], b"x-request-id") or b""),
        ]
        return Answer(HTTPStatus.OK, [*headers, *own_headers], news.body)


def _is_of_page(scope: Scope) -> bool:
    """Whether a page of another site asks: its answer tells which one may read it."""
    return first_header(scope["headers"], b"origin") is not None
