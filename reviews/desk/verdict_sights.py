"""Which calls a page tells of: every row and page about one has its address, so that none has to be named by hand."""

import re
from collections import defaultdict
from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from reviews.annotation import seen_verdicts
from reviews.models import Membership

_ADDRESS: Final = re.compile(rb"/(actions|reviews)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")


def note_page(membership: Membership, request: HttpRequest, response: HttpResponseBase) -> None:
    """Keep which calls the page tells of, before it is sent; of most members nothing has to be kept."""
    if not seen_verdicts.leaves_sights(membership):
        return
    # What is streamed says only that something changed.
    content = response.content if isinstance(response, HttpResponse) else b""
    keys_by_kind: dict[bytes, set[UUID]] = defaultdict(set)
    for kind, key in _ADDRESS.findall(request.path.encode() + b"\n" + content):
        keys_by_kind[kind].add(UUID(key.decode()))
    if keys_by_kind:
        seen_verdicts.note_sights(membership, actions=keys_by_kind[b"actions"], reviews=keys_by_kind[b"reviews"])
