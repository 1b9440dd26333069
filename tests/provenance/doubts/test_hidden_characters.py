"""Characters that nobody sees are doubted, and told where they stand."""

from hypothesis import given
from hypothesis import strategies as st

from reviews.provenance.doubts import hidden_characters
from tests.provenance.argument_grounding.made import call, context
from tests.provenance.doubts.asking import doubt_of

UNSEEN = st.sampled_from(["\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad"])


@given(st.from_regex(r"[a-z]{3,8}/[a-z]{3,8}", fullmatch=True), UNSEEN, st.integers(0, 7))
def test_an_unseen_character_is_doubted_unless_the_user_typed_it(path: str, unseen: str, place: int) -> None:
    at = place % len(path)
    disguised = path[:at] + unseen + path[at:]
    action = call("pay", to=disguised, amount=1)
    assert doubt_of(hidden_characters, context(f"Pay {path}."), action, "/to") is not None
    assert doubt_of(hidden_characters, context(f"Pay {disguised}."), action, "/to") is None
    assert doubt_of(hidden_characters, context(f"Pay {path}."), call("pay", to=path, amount=1), "/to") is None


def test_a_blank_at_the_end_of_a_value_is_called_one() -> None:
    doubt = doubt_of(hidden_characters, context("Pay Ann."), call("pay", to="Ann ", amount=1), "/to")
    assert doubt is not None
    assert doubt.note == "The value begins or ends with a blank: “Ann ”."
    doubt = doubt_of(hidden_characters, context("Pay Ann."), call("pay", to="A\u200bnn ", amount=1), "/to")
    assert doubt is not None
    assert "characters that do not show" in doubt.note
