"""A right value beside a wrong one where the parameter's description, or an offer, tells which of them is meant."""

import json
from collections.abc import Mapping

import pytest

from reviews.provenance.core.context import Case, Context, JsonValue, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW
from tests.provenance.grounding.test_singled_out import holds
from tests.provenance.grounding.test_told_apart import listed

Described = Mapping[str, str | Mapping[str, JsonValue]]
"""By parameter, its description, or its whole schema."""
Arguments = Mapping[str, JsonValue]

READING = {"car": "Car", "previous": "Previous mileage", "current": "Current mileage"}
PAIR = {"pupil_id": "Pupil", "tutor_id": "Tutor"}
PEOPLE = Step("people", {}, "id;name\np-20;Greta\np-21;Lior")
MODES = {"page": "Page", "mode": "One of: draft (150 dpi), normal (300 dpi), photo (600 dpi)"}
CURRENCY = {"price": "Price", "currency": "Currency: EUR, USD or GBP"}
FRANCS: Described = {"amount": "Amount", "currency": {"description": "Currency", "enum": ["EUR", "CHF"]}}
PONDS = Step("tanks", {}, "upper pond\n  tank 3: trout\n  tank 5: carp\nlower pond\n  tank 8: trout\n  tank 9: perch")
BACKUPS = Step("backups", {}, "- of: a\n  id_: '7'\n  size: 130\n- of: b\n  id_: '11'\n  size: 980")
REPORTS = listed(
    "reports", {"nr": 1, "reporter": "nils", "reported": "bob"}, {"nr": 2, "reporter": "tim", "reported": "ro"}
)
BUILDS = listed(
    "builds",
    {"build": "n-1", "service": "core", "day": "Friday", "state": "success"},
    {"build": "n-2", "service": "core", "day": "Friday", "state": "failed"},
    {"build": "n-3", "service": "web", "day": "Friday", "state": "success"},
)
GROWERS = Step(
    "growers", {}, "grower,flower,state\nG-04,tulip,registered\nG-09,tulip,unregistered\nG-12,rose,registered"
)
FORUMS = Step(
    "recent",
    {},
    json.dumps(
        {
            "forums": [
                {"forum": "help", "posts": [{"post": 901, "user": "lark"}, {"post": 902, "user": "finch"}]},
                {"forum": "trade", "posts": [{"post": 911, "user": "finch"}, {"post": 912, "user": "wren"}]},
            ]
        }
    ),
)
TRIP = Step("trip", {"of": "Lena"}, '{"of": "Lena", "boarding": {"time": "05:30"}, "checkin": {"time": "03:15"}}')
STOCK = listed("stock", {"item": "shelf", "size": {"height_cm": 40, "width_cm": 90}})
STAFF = listed(
    "staff",
    {"id": "wk-1", "name": "Ada", "supervisor": "wk-4"},
    {"id": "wk-2", "name": "Ben", "supervisor": "wk-3"},
    {"id": "wk-3", "name": "Cyd"},
    {"id": "wk-4", "name": "Dov"},
)
BUG = Step("ticket", {"ticket": 88}, '{"ticket": 88, "reporter": "wanda", "assignee": "ivo"}')
RAIN = listed("rain", {"at": "north", "mm": 12}, {"at": "south", "mm": 3}, {"at": "east", "mm": 8.5})
MAKE_IT_FIVE = (
    Message("assistant", "Four chairs from offer 88. Shall I order them?"),
    Message("user", "Sorry, make it five"),
)
BERTHS = (
    Message("assistant", "Berths 22 and 30 are free. Berth 22 is cheaper, shall I book it for you?"),
    Message("user", "Yes, please"),
)
HOURS = (
    Message("assistant", "Amanhã há vaga às 8h30 e às 10h. Posso marcar às 10h?"),
    Message("user", "Sim, pode marcar"),
)
DAYS = (
    Message("assistant", "El deshollinador puede venir el lunes 9 o el jueves 12 de marzo. ¿Qué día prefiere?"),
    Message("user", "El jueves, por favor"),
)


def ground(described: Described, arguments: Arguments, query: str, *history: Step | Message) -> list[Grounded]:
    """What is traced of each argument of a call whose parameters are described so."""
    properties: JsonValue = {
        name: {"description": each} if isinstance(each, str) else dict(each) for name, each in described.items()
    }
    tool = ToolDoc("change_it", "Changes it.", {"type": "object", "properties": properties})
    return list(
        ground_arguments(Case(Context(query, (tool,), history, now=NOW), ProposedAction("change_it", arguments)))
    )


@pytest.mark.parametrize(
    ("query", "described", "history", "right", "wrong"),
    [
        # What is, and what was.
        (
            "Car K-7 now shows 80210, last time it was 79900",
            READING,
            (),
            {"car": "K-7", "previous": 79900, "current": 80210},
            {"car": "K-7", "previous": 80210, "current": 79900},
        ),
        # Who does something, and what somebody is said to be.
        (
            "Ms Adler shall coach Mr Finn",
            {"coach": "Who coaches", "player": "Who is coached"},
            (),
            {"coach": "Adler", "player": "Finn"},
            {"coach": "Finn", "player": "Adler"},
        ),
        (
            "Farid trains Steph",
            {"trainer": "Who trains", "other": "The other"},
            (),
            {"trainer": "Farid", "other": "Steph"},
            {"trainer": "Steph", "other": "Farid"},
        ),
        (
            "Make Greta the tutor of Lior",
            PAIR,
            (PEOPLE,),
            {"pupil_id": "p-21", "tutor_id": "p-20"},
            {"pupil_id": "p-20", "tutor_id": "p-21"},
        ),
        (
            "Give Rob 3 barrels of Ines's salt",
            {"from_cellar": "Gives", "to_cellar": "Gets"},
            (),
            {"from_cellar": "Ines", "to_cellar": "Rob"},
            {"from_cellar": "Rob", "to_cellar": "Ines"},
        ),
        (
            "Place Hugo next to Mina, not next to Petra",
            {"guest": "Guest to place", "beside": "Guest beside"},
            (),
            {"guest": "Hugo", "beside": "Mina"},
            {"guest": "Hugo", "beside": "Petra"},
        ),
        ("Mute the user that nils reported", {"user": "User"}, (REPORTS,), {"user": "bob"}, {"user": "nils"}),
        # Options with what they stand for, and currencies by their names.
        ("Scan page 4 at 300 dpi", MODES, (), {"page": 4, "mode": "normal"}, {"page": 4, "mode": "photo"}),
        (
            "Anuncia mi bici a 45 dólares",
            CURRENCY,
            (),
            {"price": 45, "currency": "USD"},
            {"price": 45, "currency": "EUR"},
        ),
        (
            "Registra un taxi da 38,90 franchi",
            FRANCS,
            (),
            {"amount": 38.9, "currency": "CHF"},
            {"amount": 38.9, "currency": "EUR"},
        ),
        # Headings, quoted figures, derived words, and words that else name nothing.
        ("Feed the trout in the upper pond", {"tank": "Tank"}, (PONDS,), {"tank": 3}, {"tank": 8}),
        ("Delete the largest backup", {"backup_id": "Id"}, (BACKUPS,), {"backup_id": "11"}, {"backup_id": "7"}),
        (
            "Roll back Friday's successful build of core",
            {"build": "Build"},
            (BUILDS,),
            {"build": "n-1"},
            {"build": "n-2"},
        ),
        (
            "Remind the tulip grower that has not registered",
            {"grower": "Id"},
            (GROWERS,),
            {"grower": "G-09"},
            {"grower": "G-04"},
        ),
        ("Pin finch's post in the help forum", {"post": "Post"}, (FORUMS,), {"post": 902}, {"post": 911}),
        # The field that is meant.
        ("Print the width of the shelf", {"width_cm": "Width"}, (STOCK,), {"width_cm": 90}, {"width_cm": 40}),
        ("Ask the person who reported ticket 88", {"user": "User"}, (BUG,), {"user": "wanda"}, {"user": "ivo"}),
        (
            "Forward Ada's report to her supervisor",
            {"employee_id": "Whose", "to_id": "Who receives it"},
            (STAFF,),
            {"employee_id": "wk-1", "to_id": "wk-4"},
            {"employee_id": "wk-1", "to_id": "wk-3"},
        ),
        ("Enter the total of the rainfall", {"total": "Total in mm"}, (RAIN,), {"total": 23.5}, {"total": 15}),
        # What was offered, and what was answered.
        (
            "Order four chairs from offer 88",
            {"offer": "Offer", "chairs": "Number of chairs"},
            MAKE_IT_FIVE,
            {"offer": 88, "chairs": 5},
            {"offer": 88, "chairs": 4},
        ),
        ("Is there a free berth on Saturday?", {"berth": "Berth"}, BERTHS, {"berth": 22}, {"berth": 30}),
        (
            "Quero uma aula amanhã",
            {"start": "Start"},
            HOURS,
            {"start": "2026-03-06T10:00"},
            {"start": "2026-03-06T08:30"},
        ),
        # What is taken out, and what is not.
        (
            "Enrol Emil for line 8, not 6",
            {"pupil": "Pupil", "line": "Line"},
            (),
            {"pupil": "Emil", "line": 8},
            {"pupil": "Emil", "line": 6},
        ),
        # Signs of two scripts beside one another.
        (
            "给钱包WX-512充值一百八十元",
            {"wallet": "Wallet", "amount": "Amount"},
            (),
            {"wallet": "WX-512", "amount": 180},
            {"wallet": "WX-512", "amount": 108},
        ),
        # Amounts, dozens and hours in words.
        ("Zahle einen Bonus von 2.340,60 Euro", {"amount": "Amount"}, (), {"amount": 2340.6}, {"amount": 2304.6}),
        ("Reserva meia dúzia de pães", {"loaves": "Loaves"}, (), {"loaves": 6}, {"loaves": 12}),
        ("Sposta la prova alle cinque meno dieci", {"time": "Time"}, (), {"time": "16:50"}, {"time": "17:10"}),
        ("Réserve la salle à vingt heures quinze", {"time": "Time"}, (), {"time": "20:15"}, {"time": "20:45"}),
    ],
)
def test_the_right_value_is_established_and_the_wrong_one_contradicted(
    query: str, described: Described, history: tuple[Step | Message, ...], right: Arguments, wrong: Arguments
) -> None:
    found = ground(described, right, query, *history)
    assert all(map(holds, found)), found
    contradicted = [leaf for leaf in ground(described, wrong, query, *history) if not leaf.open and not holds(leaf)]
    assert contradicted, wrong


@pytest.mark.parametrize(
    ("query", "described", "history", "right", "wrong"),
    [
        ("The mug was 9.50 and is now 7.90", {"price": "New price"}, (), {"price": 7.9}, {"price": 9.5}),
        ("Remind me of the check-in of Lena's flight", {"at": "Time"}, (TRIP,), {"at": "03:15"}, {"at": "05:30"}),
        (
            "Lock all cupboards except cupboard 17",
            {"cupboard": "Cupboard"},
            (listed("cupboards", {"cupboard": 16}, {"cupboard": 17}),),
            {"cupboard": 16},
            {"cupboard": 17},
        ),
    ],
)
def test_only_the_wrong_value_is_contradicted(
    query: str, described: Described, history: tuple[Step | Message, ...], right: Arguments, wrong: Arguments
) -> None:
    assert not any(leaf.against or leaf.competing for leaf in ground(described, right, query, *history))
    assert any(leaf.against or leaf.competing for leaf in ground(described, wrong, query, *history))


def test_a_day_that_the_answer_passes_over_is_contradicted() -> None:
    (found,) = ground({"date": "Date"}, {"date": "2026-03-09"}, "Necesito un deshollinador", *DAYS)
    assert not found.open
    assert found.against[0].quote == "jueves"


@pytest.mark.parametrize(
    ("query", "described", "history", "arguments"),
    [
        (
            "Invite all pilots except Rolf to the summer briefing",
            {"meeting": "Meeting"},
            (),
            {"meeting": "summer briefing"},
        ),
        (
            "Elif now gets on at Church Road instead of Mill Lane",
            {"old_stop": "Stop until now"},
            (),
            {"old_stop": "Mill Lane"},
        ),
        ("Reply that ann wrote it", {"author": "Who wrote it"}, (), {"author": "ann"}),
        ("Pay the ferry, it is $30", FRANCS, (), {"currency": "EUR"}),
        (
            "Send the copy over to the West branch, it is now at Central",
            {"from_branch": "Gives", "to_branch": "Gets"},
            (),
            {"from_branch": "Central", "to_branch": "West"},
        ),
        (
            "Move the call to the first free hour of Friday",
            {"start": "Start"},
            MAKE_IT_FIVE,
            {"start": "2026-03-06T11:00"},
        ),
    ],
)
def test_what_is_said_of_something_else_contradicts_nothing(
    query: str, described: Described, history: tuple[Step | Message, ...], arguments: Arguments
) -> None:
    assert not any(leaf.against for leaf in ground(described, arguments, query, *history))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Add it to the file 'plan-b.txt'", "f1"),
        ("Add it to the file old-plan-b.txt", "f2"),
    ],
)
def test_the_name_of_a_file_is_not_a_part_of_another(text: str, named: str) -> None:
    files = listed(
        "files", {"id": "f1", "name": "plan-b.txt"}, {"id": "f2", "name": "old-plan-b.txt", "of": "file desk"}
    )
    for each in ("f1", "f2"):
        (found,) = ground({"file_id": "File"}, {"file_id": each}, text, files)
        assert holds(found) is (each == named)
