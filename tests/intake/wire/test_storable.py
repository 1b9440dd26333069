import json
import re

from hypothesis import given
from hypothesis import strategies as st

from reviews.intake.wire.storable import replace_unstorable

# Every character there is, halves of pairs too, and often the ones that make escapes hard to tell apart.
TEXTS = st.text(st.sampled_from("\\u0dD8\x00\ud83d\ude00😀\n") | st.characters(categories=None))


def kept(text: str) -> str:
    """The text with every character replaced that PostgreSQL refuses; in JSON two halves that meet are one."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", json.loads(json.dumps(text)))


@given(TEXTS)
def test_of_any_text_exactly_what_cannot_be_stored_is_replaced(text: str) -> None:
    body, replaced = replace_unstorable(json.dumps([text]).encode())
    assert json.loads(body) == [kept(text)]
    assert replaced == kept(text).count("\ufffd") - text.count("\ufffd")


@given(TEXTS)
def test_what_is_replaced_once_stays_as_it_is(text: str) -> None:
    body, _ = replace_unstorable(json.dumps([text]).encode())
    assert replace_unstorable(body) == (body, 0)
