"""A right value beside a wrong one in the same words, in domains and languages that no benchmark speaks of."""

import json
from collections.abc import Mapping

import pytest

from reviews.provenance.core.context import Case, Context, JsonValue, Message, ProposedAction, Step, ToolDoc
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW
from tests.provenance.grounding.test_singled_out import holds

Arguments = Mapping[str, JsonValue]


def listed(tool: str, *rows: Arguments) -> Step:
    """A result that lists records."""
    return Step(tool, {}, json.dumps(rows, ensure_ascii=False))


PHOTOS = listed("photos", {"id": "p1", "subject": "chat"}, {"id": "p2", "subject": "voiture"})
DRAFTS = listed("drafts", {"id": "d1", "title": "boda"}, {"id": "d2", "title": "impuestos"})
ACCOUNTS = listed("accounts", {"id": "AC-5", "name": "Sparkonto"}, {"id": "AC-6", "name": "Girokonto"})
BOOKINGS = listed("bookings", {"id": "y-1", "name": "佐藤"}, {"id": "y-2", "name": "田中"})
CONTACTS = listed("contacts", {"name": "陈静", "email": "chen@x.example"}, {"name": "赵磊", "email": "zhao@x.example"})
FEED = listed("orders", {"month": "2026-01", "kilograms": 300}, {"month": "2026-02", "kilograms": 250})
CHOIR = Step("members", {}, "Member: Ida Holm\nPhone: +46 70 111 22 33\n\nMember: Bo Lind\nPhone: +46 70 444 55 66\n")
SCREENINGS = listed("screenings", {"id": "scr-21", "day": "Saturday"}, {"id": "scr-22", "day": "Sunday"})
TWO = "There are two:\n1. scr-21, on Saturday\n2. scr-22, on Sunday\nWhich one?"
ONE_OF_TWO = "I found scr-21 on Saturday and scr-22 on Sunday. Shall I reserve scr-21?"
TABLES = listed("tables", {"place": "Aroma", "free": "19:00"}, {"place": "Aroma", "free": "20:00"})
BEDS = listed("beds", {"bed": "B-101", "moisture": 21}, {"bed": "B-102", "moisture": 48})
CUSTOMER = Step("find_customer", {"name": "Nils"}, '{"customer_id": "cu-41"}')
OWN = Step("get_orders", {"customer_id": "cu-41"}, '[{"order_id": "or-801"}]')
ANOTHERS = Step("get_orders", {"customer_id": "cu-57"}, '[{"order_id": "or-902"}]')
PLUMBER = "Write to Lena that the plumber's number is 020 7946 0958"
KILN = ToolDoc("set_kiln", "Earthenware is fired at 1050, stoneware at 1240, porcelain at 1300.")
WASH = ToolDoc("start_wash", "Starts the machine. Programs: P1 quick, P2 cotton, P3 wool.")
SEAMS = Step("seams", {}, json.dumps({"S1": {"miner": "Ana", "depth": 40}, "S2": {"miner": "Tom", "depth": 70}}))
PITS = Step("pits", {}, json.dumps({"CMU": "North pit", "LIB": "South pit", "ZOO": "Old quarry"}))
SHIFTS = Step("shifts", {}, json.dumps({"line_40": {"early": {"call": "D4"}}, "line_41": {"early": {"call": "K2"}}}))
LAMPS = Step("lamps", {}, json.dumps({"lamp.shaft": "on", "lamp.lift": "on", "fan.shaft": "off"}))
DEPOSIT = Step("rental", {}, json.dumps({"hirer": "Hugo", "deposit": 300, "rent": 45}))
NAILS = Step("last_order", {}, json.dumps({"item": "nails", "quantity": 40}))
PAGERS = Step("ad", {}, json.dumps({"ad": 51, "contacts": {"billing": "a@p.example", "design": "s@p.example"}}))
SHAFTS = Step("shafts", {}, json.dumps(["logs-new", "logs-old", "media"]))
PLAYERS = listed(
    "players", {"id": "p1", "name": "Moreau"}, {"id": "p3", "name": "Lind"}, {"id": "p4", "name": "Farkas"}
)
BOARDS = listed(
    "boards", {"clock": "K-15", "white": "p1", "black": "p4"}, {"clock": "K-12", "white": "p4", "black": "p3"}
)
FLOORS = Step(
    "floors",
    {},
    json.dumps(
        {
            "floors": [
                {"floor": 2, "vats": [{"vat": "v-214", "of": "indigo"}]},
                {"floor": 3, "vats": [{"vat": "v-318", "of": "indigo"}]},
            ]
        }
    ),
)
SEATING = Step("seating", {}, "Table 4: bride's family\nTable 5: groom's family\nTable 6: colleagues")
SLOTS = Step("slots", {}, json.dumps(["2026-06-20T10:00:00", "2026-06-20T18:00:00"]))
LOOMS = listed("looms", {"batch": "R-5", "loom": "pm_a3"}, {"batch": "R-6", "loom": "pm_c8"})
DOORS = listed("doors", {"code": "k-21", "of": "front door"}, {"code": "k-33", "of": "back door"})
MINERS = listed("miners", {"id": "F1", "name": "Helena"}, {"id": "F2", "name": "Jonas"})
GALLERIES = listed("galleries", {"id": "G1", "name": "Beck"}, {"id": "G2", "name": "Ott"})
BLASTS = listed("blasts", {"id": "B1", "of": "Ana", "day": "Friday"}, {"id": "B2", "of": "Ana", "day": "Sunday"})
RATIONS = listed(
    "rations",
    {"owner": "Leo", "tins": [{"tin": "T-41", "label": "soup"}]},
    {"owner": "Nadia", "tins": [{"tin": "T-29", "label": "tea"}, {"tin": "T-30", "label": "soup"}]},
)
SOLDIERS = Step(
    "find_lamps",
    {"name": "Hofer"},
    json.dumps(
        [
            {"of": "Hofer", "kits": [{"kit": "k-46", "size": "grand"}]},
            {"of": "Hof", "kits": [{"kit": "k-12", "size": "grand"}]},
        ]
    ),
)
MOVE = ToolDoc("move_visit", "Moves a visit.")
DELETE = ToolDoc("delete_bucket", "Deletes a bucket.")
ACT = ToolDoc("act", "Does it.")


def ground(tool: ToolDoc, arguments: Arguments, query: str, *history: Step | Message) -> list[Grounded]:
    """What is traced of each argument."""
    schema: JsonValue = {"type": "object", "properties": {name: {} for name in arguments}}
    documented = ToolDoc(tool.name, tool.description, schema)
    context = Context(query, (documented,), history, now=NOW)
    return list(ground_arguments(Case(context, ProposedAction(tool.name, arguments))))


@pytest.mark.parametrize(
    ("query", "history", "right", "wrong", "tool"),
    [
        # What is taken out of all of them, and what remains.
        ("Supprime toutes les photos sauf celle du chat", (PHOTOS,), {"photo": "p2"}, {"photo": "p1"}, ACT),
        ("Borra todos los borradores excepto el de la boda", (DRAFTS,), {"draft": "d2"}, {"draft": "d1"}, ACT),
        (
            "Write to the whole choir apart from Mr. Lind",
            (CHOIR,),
            {"phone": "+46701112233"},
            {"phone": "+46704445566"},
            ACT,
        ),
        ("Text everyone except Ida", (CHOIR,), {"phone": "+46704445566"}, {"phone": "+46701112233"}, ACT),
        ("Order a pizza with olives but without onions", (), {"topping": "olives"}, {"topping": "onions"}, ACT),
        ("把发票发给陈静, 不要发给赵磊", (CONTACTS,), {"email": "chen@x.example"}, {"email": "zhao@x.example"}, ACT),
        # What was said first, and corrected.
        ("Pide ocho pizzas, perdón, nueve", (), {"quantity": 9}, {"quantity": 8}, ACT),
        ("Buche den Zug um 9 Uhr, nein, doch lieber um 11 Uhr", (), {"at": "11:00"}, {"at": "09:00"}, ACT),
        # From where and to where.
        ("Move it from 3 pm to 4:30 pm", (), {"new_start": "16:30"}, {"new_start": "15:00"}, MOVE),
        (
            "Überweise 120 Euro vom Sparkonto auf das Girokonto",
            (ACCOUNTS,),
            {"from_account": "AC-5", "to_account": "AC-6"},
            {"from_account": "AC-6", "to_account": "AC-5"},
            ACT,
        ),
        (
            "口座1180から口座2290に送金してください",
            (),
            {"from_account": "1180", "to_account": "2290"},
            {"from_account": "2290", "to_account": "1180"},
            ACT,
        ),
        (
            "Rename Sunrise to Morning Mix",
            (),
            {"old_name": "Sunrise", "new_name": "Morning Mix"},
            {"old_name": "Morning Mix", "new_name": "Sunrise"},
            ACT,
        ),
        (
            "Replace filter F2 with filter F9",
            (),
            {"old_filter": "F2", "new_filter": "F9"},
            {"old_filter": "F9", "new_filter": "F2"},
            ACT,
        ),
        (
            "Record that Ivo lent 30 to Mira",
            (),
            {"lender": "Ivo", "borrower": "Mira"},
            {"lender": "Mira", "borrower": "Ivo"},
            ACT,
        ),
        ("Keep it between 4 and 9 bar", (), {"minimum": 4, "maximum": 9}, {"minimum": 9, "maximum": 4}, ACT),
        (
            "Close the road from 9 am to 4 pm on March 6",
            (),
            {"start": "2026-03-06T09:00", "end": "2026-03-06T16:00"},
            {"start": "2026-03-06T16:00", "end": "2026-03-06T09:00"},
            ACT,
        ),
        # What a number counts.
        ("Cut a pane 60 wide and 90 high", (), {"width": 60, "height": 90}, {"width": 90, "height": 60}, ACT),
        ("Buche drei Zimmer für zwei Nächte", (), {"rooms": 3, "nights": 2}, {"rooms": 2, "nights": 3}, ACT),
        ("Alquila 12 mesas y 90 sillas", (), {"tables": 12, "chairs": 90}, {"tables": 90, "chairs": 12}, ACT),
        # Names between signs that no space separates.
        ("田中さんの予約をキャンセルしてください", (BOOKINGS,), {"id": "y-2"}, {"id": "y-1"}, ACT),
        # Options and set points of the tool's document.
        ("Heat the kiln for stoneware", (), {"temperature": 1240}, {"temperature": 1300}, KILN),
        ("Start the quick wash", (), {"program": "P1"}, {"program": "P3"}, WASH),
        # A period in words.
        ("Order the same amount as last month", (FEED,), {"kilograms": 250}, {"kilograms": 300}, ACT),
        # A comparison that stands behind its noun.
        ("Water the bed with the lowest moisture", (BEDS,), {"bed": "B-101"}, {"bed": "B-102"}, ACT),
        # Records under their keys, and names under their codes.
        ("Close Ana's seam", (SEAMS,), {"seam": "S1"}, {"seam": "S2"}, ACT),
        ("Send the cart to the north pit", (PITS,), {"pit": "CMU"}, {"pit": "ZOO"}, ACT),
        ("Page the early shift of line 40", (SHIFTS,), {"call": "D4"}, {"call": "K2"}, ACT),
        ("Switch the shaft lamp off", (LAMPS,), {"device": "lamp.shaft"}, {"device": "lamp.lift"}, ACT),
        # The one that is not named.
        ("Helena is ill, send the other one to Beck", (MINERS, GALLERIES), {"miner": "F2"}, {"miner": "F1"}, ACT),
        ("Call off Ana's other blast, not the Friday one", (BLASTS,), {"blast": "B2"}, {"blast": "B1"}, ACT),
        # Whose it is, and with whom; what a result says itself, and what it was asked for with.
        (
            "Share Nadia's soup with Leo",
            (RATIONS,),
            {"tin": "T-30", "guest": "Leo"},
            {"tin": "T-41", "guest": "Leo"},
            ACT,
        ),
        ("Pack the Hofers' grand kit", (SOLDIERS,), {"kit": "k-46"}, {"kit": "k-12"}, ACT),
        # Half of it, twice of it; and not the whole.
        ("Refund Hugo half of the deposit", (DEPOSIT,), {"amount": 150}, {"amount": 300}, ACT),
        ("Double the order of nails", (NAILS,), {"quantity": 80}, {"quantity": 40}, ACT),
        # What is denied by its key, or set against another.
        ("Send ad 51 to design, not to billing", (PAGERS,), {"to": "s@p.example"}, {"to": "a@p.example"}, ACT),
        ("Delete logs-old and not logs-new", (SHAFTS,), {"bucket": "logs-old"}, {"bucket": "logs-new"}, DELETE),
        # A column of codes points at the list whose keys they are.
        ("Pause the clock at Lind's board", (PLAYERS, BOARDS), {"clock": "K-12"}, {"clock": "K-15"}, ACT),
        # Numbers in words and in names, times in data, places behind an article.
        ("Stir the indigo on the third floor", (FLOORS,), {"vat": "v-318"}, {"vat": "v-214"}, ACT),
        ("Seat Rosa with the bride's family", (SEATING,), {"table": 4}, {"table": 5}, ACT),
        (
            "Marca a entrega para as 18h",
            (SLOTS,),
            {"slot": "2026-06-20T18:00:00"},
            {"slot": "2026-06-20T10:00:00"},
            ACT,
        ),
        ("Revoke the code of the back door", (DOORS,), {"code": "k-33"}, {"code": "k-21"}, ACT),
        # Codes are short at times.
        ("Stop the loom of batch R-6", (LOOMS,), {"loom": "pm_c8"}, {"loom": "pm_a3"}, ACT),
        # A name of both scripts.
        ("坑道Bを明日予約してください", (), {"shaft": "坑道B"}, {"shaft": "坑道A"}, ACT),
        # A key that the agent made up leads to nothing the user asks for.
        ("Cancel the order of Nils", (CUSTOMER, OWN, ANOTHERS), {"order": "or-801"}, {"order": "or-902"}, ACT),
        # A number inside a text.
        (
            PLUMBER,
            (),
            {"text": "The plumber's number is 020 7946 0958."},
            {"text": "Hello Lena, the plumber can be had under 020 7946 0985."},
            ACT,
        ),
        # What the agent offered, and what the user took of it.
        (
            "Reserve a screening",
            (SCREENINGS, Message("assistant", TWO), Message("user", "No, the second one please.")),
            {"screening": "scr-22"},
            {"screening": "scr-21"},
            ACT,
        ),
        (
            "Reserve a screening",
            (SCREENINGS, Message("assistant", ONE_OF_TWO), Message("user", "Yes, do that.")),
            {"screening": "scr-21"},
            {"screening": "scr-22"},
            ACT,
        ),
        (
            "Find a table for 19:00 or 20:00",
            (TABLES, Message("assistant", "Aroma has one at 19:00. Shall I book it?"), Message("user", "Yes, book it")),
            {"time": "19:00"},
            {"time": "20:00"},
            ACT,
        ),
    ],
)
def test_the_words_tell_the_right_value_from_the_wrong_one(
    query: str, history: tuple[Step | Message, ...], right: Arguments, wrong: Arguments, tool: ToolDoc
) -> None:
    assert all(map(holds, ground(tool, right, query, *history)))
    assert not all(map(holds, ground(tool, wrong, query, *history)))


@pytest.mark.parametrize(
    "query", ["Leave out the onions of order 7", "Use van 12 instead of van 7", "Tell Ana not to wait for Ben"]
)
def test_a_parameter_for_what_is_left_out_takes_what_is_denied(query: str) -> None:
    named = {"exclude": query.rsplit(maxsplit=1)[-1] if "onions" not in query else "onions"}
    assert all(map(holds, ground(ACT, named, query)))


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("Transfer 500 to account 77 from account 88", {"from_account": "88", "to_account": "77"}),
        ("Move 5 crates from bay 9 to bay 3", {"from_bay": 9, "to_bay": 3}),
        ("Book the night shift from 22:00 to 06:00", {"start": "22:00", "end": "06:00"}),
    ],
)
def test_what_is_greater_is_no_range_the_wrong_way_round(query: str, arguments: Arguments) -> None:
    assert all(map(holds, ground(ACT, arguments, query)))
