"""What a source is called where a person reads of it."""

import pytest

from reviews.provenance.core.places import describe_source


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("query", "the request"),
        ("history/3/message", "message 3"),
        ("history/3/outcome", "history 3"),
        ("tool/send_email", "the document of send_email"),
        ("feedback/1", "the reviewer"),
        ("source/policy", "“policy”"),
    ],
)
def test_each_kind_of_source_has_words(source: str, words: str) -> None:
    assert describe_source(source) == words
