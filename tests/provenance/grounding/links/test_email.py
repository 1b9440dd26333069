import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("+49 30 1234567", "call 030 1234567 in Germany"),
        ("030 1234567", "call +49 30 1234567"),
        ("+442079460018", "call 020 7946 0018"),
        ("0049301234567", "call +49 30 1234567"),
        ("+493012345678", "call 030/123456-78"),
    ],
)
def test_a_telephone_number_with_and_without_its_country(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("+33 30 12345678", "call 030 12345678 in Germany"),
        ("+33 30 12345678", "call 030 12345678, or +49 30 555123"),
        ("+49 30 1234568", "call +49 30 1234567"),
    ],
)
def test_another_telephone_number_or_country_is_without_source(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Daniel.Kim@Example.com", "to daniel.kim@example.com"),
        ("daniel.kim@example.com", "daniel.kim at example dot com"),
        ("Kim, Daniel", "ask Daniel Kim"),
        ("Daniel Kim", "ask Kim, Daniel"),
        ("https://example.com/a", "see example.com/a"),
        ("https://example.com/", "see example.com now"),
    ],
)
def test_an_address_or_name_written_another_way(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("daniel.kim@example.com", "to daniel-kim@example.com"),
        ("daniel.kim@example.com", "daniel kim example com"),
        ("https://example.com/a-b", "see example.com/a_b"),
        ("https://example.com", "https://example.com.evil.test"),
        ("https://example.com", "see example.com/a/b"),
    ],
)
def test_an_address_with_other_punctuation_is_another_address(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize(
    "text",
    [
        "ida dot holm at ven dot example",
        "ida.holm (at) ven (dot) example",
        "ida punto holm arroba ven punto example",
        "ida punkt holm at ven punkt example",
        "ida point holm arobase ven point example",
        "ida punto holm chiocciola ven punto example",
        "ida punt holm apenstaartje ven punt example",
        "ida ponto holm arroba ven ponto example",
        "Ida Punkt Holm Klammeraffe Ven Punkt Example",
    ],
)
def test_an_address_is_read_as_it_is_said_aloud(text: str) -> None:
    check_grounded("ida.holm@ven.example", in_text=f"write to {text} now", how=Grounding.NORMALIZE)


@pytest.mark.parametrize(
    "text",
    [
        "ida dot holm at hven dot example",
        "ida holm at ven dot example",
        "write to ida, who is at ven, about the example",
        "ida dot holm at ven dot examples",
        "greta.ida dot holm at ven dot example",
    ],
)
def test_another_address_said_aloud_is_no_source(text: str) -> None:
    check_grounded("ida.holm@ven.example", in_text=f"write to {text}", how=Grounding.UNGROUNDED)


def test_the_items_of_a_list_may_come_in_another_order() -> None:
    check_grounded(["b@x.test", "a@x.test"], in_text="to a@x.test and b@x.test", how=Grounding.COPY)
