import pytest

from reviews.desk.review.call_json import UnreadableError, find_place, parse_arguments, write_arguments


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "one JSON object"),
        ("{", "Line 1, column 2"),
        ('{"a": 1, "a": 2}', "appears twice"),
        ('{"a": NaN}', "not a JSON value"),
        ('{"a": "\\u0000"}', "/a"),
        ('{"a": "\\ud800"}', "/a"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_one_clean_object_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UnreadableError, match=problem):
        parse_arguments(text)


def test_written_arguments_read_back_as_the_same() -> None:
    arguments = {"to": "a\u202eb\u200b", "amount": 30, "deep": [{"x": None}]}
    assert parse_arguments(write_arguments(arguments)) == arguments


def test_written_arguments_hide_nothing() -> None:
    assert "\\u202e" in write_arguments({"to": "a\u202eb"})


@pytest.mark.parametrize(
    ("pointer", "value"), [("/amount", "300"), ("/to", "x@y.example"), ("/deep/0/n", "7"), ("/gone", "")]
)
def test_the_place_of_a_value_is_where_it_is_written(pointer: str, value: str) -> None:
    arguments = {"to": "x@y.example", "amount": 300, "deep": [{"n": 7}]}
    start, end = find_place(pointer, arguments)
    assert write_arguments(arguments)[start:end] == value
