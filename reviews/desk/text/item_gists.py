"""What the calls of items do it with, at a glance: of many calls of one tool nobody could tell one from the other."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from reviews.datasets import item_search
from reviews.desk.text.gist import gist_of


def list_gists(items: Iterable[UUID]) -> Mapping[UUID, str]:
    """The gist of each item's arguments, by the item's key. One query, without the conversations."""
    return {key: gist_of("", arguments).strip() for key, arguments in item_search.read_arguments(items).items()}
