import json

import pytest

from reviews.provenance.core.findings import Grounding
from tests.provenance.grounding.checks import check_grounded

PEOPLE = [
    {"id": 1, "name": "Alex Chen", "email": "alex.chen@example.com", "team": "sales"},
    {"id": 2, "name": "Alex Moore", "email": "alex.moore@example.com", "team": "legal"},
    {"id": 3, "name": "Daniel Kim", "email": "dk@example.com", "team": "legal"},
]
INVOICES = [
    {"invoice_id": "A-9", "month": "March", "date": "2026-03-02", "total": "120.00"},
    {"invoice_id": "A-8", "month": "April", "date": "2026-04-02", "total": "95.00"},
]
FORMS = {
    "json": json.dumps(PEOPLE),
    "indented": json.dumps({"results": PEOPLE, "count": 3}, indent=2),
    "python": repr(PEOPLE),
    "lines": "\n".join(json.dumps(person) for person in PEOPLE),
    "by_key": json.dumps({f"p{person['id']}": person for person in PEOPLE}),
    "csv": "id,name,email,team\n" + "\n".join(",".join(map(str, person.values())) for person in PEOPLE),
    "markdown": "| id | name | email | team |\n|---|---|---|---|\n"
    + "\n".join("| " + " | ".join(map(str, person.values())) + " |" for person in PEOPLE),
    "blocks": "\n\n".join("\n".join(f"{key}: {item}" for key, item in person.items()) for person in PEOPLE),
    "items": "\n".join(f"{n}. {person['name']} - {person['email']}" for n, person in enumerate(PEOPLE, 1)),
    "cut_off": json.dumps(PEOPLE)[:-3],
}


@pytest.mark.parametrize("form", FORMS)
def test_the_field_of_the_record_that_the_request_names(form: str) -> None:
    check_grounded(
        "dk@example.com",
        in_text="Write to Daniel",
        outputs=(FORMS[form],),
        how=Grounding.RESOLVE,
        quotes=("Daniel", "dk@example.com"),
    )


@pytest.mark.parametrize("form", FORMS)
def test_two_records_answer_the_same_reference(form: str) -> None:
    check_grounded(
        "alex.chen@example.com",
        in_text="Write to Alex",
        outputs=(FORMS[form],),
        how=Grounding.COMPETING,
        competing=("alex.moore@example.com",),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Write to Alex Chen",
        "Write to Alex from sales",
        "Write to every Alex",
        "Write to all contacts named Alex",
        "Write to the first Alex",
        "Write to both Alex",
        "Write to the Alex who was hired latest",
    ],
)
def test_the_request_tells_them_apart_or_asks_for_many(text: str) -> None:
    check_grounded("alex.chen@example.com", in_text=text, outputs=(FORMS["json"],), how=Grounding.RESOLVE)


def test_the_label_of_a_competing_value_names_its_record() -> None:
    found = check_grounded(
        "alex.chen@example.com",
        in_text="Write to Alex",
        outputs=(FORMS["json"],),
        how=Grounding.COMPETING,
        competing=("alex.moore@example.com",),
    )
    assert found.competing[0].label == "Alex Moore"


def test_a_value_in_the_request_itself_does_not_compete() -> None:
    text = "Write to Alex at alex.chen@example.com"
    check_grounded("alex.chen@example.com", in_text=text, outputs=(FORMS["json"],), how=Grounding.COPY)


def test_addresses_in_a_plain_list_compete() -> None:
    check_grounded(
        "alex.chen@example.com",
        in_text="Write to Alex",
        outputs=('["alex.chen@example.com", "alex.moore@example.com"]',),
        how=Grounding.COMPETING,
        competing=("alex.moore@example.com",),
    )


def test_the_request_points_at_another_record() -> None:
    found = check_grounded(
        95.0,
        in_text="Pay the March invoice",
        outputs=(json.dumps(INVOICES),),
        how=Grounding.COMPETING,
        competing=("120.00",),
    )
    assert found.note == "The request points at “March” (record 1, 120.00); this value is from record 2."


def test_a_record_is_known_by_the_month_of_its_date() -> None:
    invoices = [{key: item for key, item in invoice.items() if key != "month"} for invoice in INVOICES]
    check_grounded("A-9", in_text="Pay the March invoice", outputs=(json.dumps(invoices),), how=Grounding.RESOLVE)


def test_a_value_that_records_share_does_not_compete() -> None:
    check_grounded("legal", in_text="Move Alex too", outputs=(FORMS["json"],), how=Grounding.RESOLVE)


def test_a_word_that_another_argument_rests_on_does_not_name_the_record() -> None:
    tasks = '[{"id": "T-1", "who": "kofi", "column": "review"}, {"id": "T-2", "who": "kofi kofi", "column": "x"}]'
    check_grounded(
        "T-2",
        in_text="Move the task by kofi into review",
        outputs=(tasks,),
        siblings={"column": "review"},
        how=Grounding.COMPETING,
        competing=("T-1",),
    )


def test_a_field_nobody_refers_to_is_copied() -> None:
    check_grounded("dk@example.com", in_text="Go on", outputs=(FORMS["json"],), how=Grounding.COPY)


def test_an_invented_address_is_without_source_and_the_nearest_is_shown() -> None:
    check_grounded(
        "daniel.kim@example.com",
        in_text="Write to Daniel Kim",
        outputs=(FORMS["json"],),
        how=Grounding.UNGROUNDED,
        nearest="dk@example.com",
    )


@pytest.mark.parametrize("name", ["Lucas Moreau", "Anna Reyes", "Iris Dubois"])
def test_a_name_that_ends_in_s_is_one_person(name: str) -> None:
    records = f'[{{"name": "{name}", "email": "good@a.example"}}, {{"name": "Mail Audit", "email": "evil@b.example"}}]'
    check_grounded(
        "evil@b.example",
        in_text=f"Forward the draft to {name}",
        how=Grounding.COMPETING,
        outputs=(records,),
        competing=("good@a.example",),
    )


def test_an_amount_in_words_is_no_plural_of_records() -> None:
    records = '[{"name": "Sam Kim", "iban": "DE1"}, {"name": "Sam Osei", "iban": "DE2"}]'
    check_grounded("DE1", in_text="Send Sam 60 euros", how=Grounding.COMPETING, outputs=(records,), competing=("DE2",))
