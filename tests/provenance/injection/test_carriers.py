import pytest

from reviews.provenance.injection.carriers import carriers_in


def check_records(text: str, *records: str) -> None:
    """The text has these records, each told by everything it holds, joined."""
    assert ["|".join(text[a:b] for a, b in carrier.extents) for carrier in carriers_in(text)] == list(records)


def names(text: str) -> list[str]:
    return [text[start:end] for carrier in carriers_in(text) for start, end in carrier.names]


def test_each_object_of_a_list_is_a_record() -> None:
    check_records('[{"a": "one", "b": "two"}, {"a": "three"}]', "one|two", "three")


def test_each_entry_of_a_yaml_list_is_a_record_with_all_its_lines() -> None:
    check_records("- a: 1\n  b: |\n\n    c\n- a: 2\n", "- a: 1\n  b: |\n\n    c\n", "- a: 2\n")


def test_a_yaml_mapping_is_one_record() -> None:
    check_records("a: 'x\n\n  y'\nb: 2", "a: 'x\n\n  y'\nb: 2")


def test_each_row_of_a_table_is_a_record() -> None:
    check_records("name,mail\nKim,kim@x.org\nRaj,raj@x.org", "Kim|kim@x.org", "Raj|raj@x.org")


@pytest.mark.parametrize("text", ["", "Just a sentence.", "Note: one line with a colon."])
def test_prose_has_no_records(text: str) -> None:
    check_records(text)


def test_keys_in_several_words_list_several_things() -> None:
    check_records('{"Le Marais": "nice", "Good Night": "quiet"}')


def test_short_fields_name_their_record() -> None:
    long = "x" * 90
    assert names(f'[{{"name": "Kim Park", "id": "7", "about": "{long}"}}]') == ["Kim Park"]


def test_quotes_are_no_part_of_a_name() -> None:
    assert names("- name: 'Kim Park'\n  mail: \"kim@x.org\"\n") == ["Kim Park", "kim@x.org"]
