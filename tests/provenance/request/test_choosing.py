"""Records that a request describes by comparison, place, property or time, and does not name."""

import json
from typing import NamedTuple

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW

KAYAKS = json.dumps(
    [
        {"kayak_id": "K-11", "colour": "red", "length_cm": 310, "weight_kg": 19.5, "bought": "2019-04-02"},
        {"kayak_id": "K-14", "colour": "blue", "length_cm": 420, "weight_kg": 24, "bought": "2023-06-01"},
        {"kayak_id": "K-17", "colour": "red", "length_cm": 395, "weight_kg": 22.1, "bought": "2016-09-12"},
        {"kayak_id": "K-20", "colour": "green", "length_cm": 280, "weight_kg": 16, "bought": "2021-01-15"},
    ]
)
GARAGES = (
    "| Garage | Street | Free | Distance | EUR/hour | EV charging |\n"
    "|---|---|---|---|---|---|\n"
    "| PG-01 | Hafen | 12 | 450 m | 2.40 | yes |\n"
    "| PG-02 | Markt | 0 | 120 m | 3.80 | no |\n"
    "| PG-05 | Bahnhof | 88 | 900 m | 1.90 | no |\n"
    "| PG-07 | Oper | 41 | 300 m | 3.10 | yes |"
)
VIALS = (
    "vial,vaccine,opened,expires,doses_left\n"
    "V-301,MMR,2026-02-20,2026-03-20,4\n"
    "V-305,MMR,2026-03-01,2026-03-11,9\n"
    "V-309,Tdap,2026-02-27,2026-03-08,2\n"
    "V-312,MMR,2026-02-11,2026-04-30,1\n"
)
CERTS = json.dumps(
    {
        "certificates": [
            {"serial": "7F-A0", "domain": "shop.example", "issued": "2025-04-01", "revoked": None, "auto_renew": True},
            {"serial": "7F-B3", "domain": "blog.example", "issued": "2025-09-10", "revoked": None, "auto_renew": False},
            {
                "serial": "7F-C9",
                "domain": "mail.example",
                "issued": "2024-12-24",
                "revoked": "2025-10-01",
                "auto_renew": True,
            },
        ]
    }
)
TRAINS = json.dumps(
    [
        {"train": "IC 512", "departs": "06:12", "arrives": "09:40", "price": "49 EUR", "stops": 3},
        {"train": "RE 88", "departs": "07:05", "arrives": "12:10", "price": "29 EUR", "stops": 11},
        {"train": "ICE 9", "departs": "13:30", "arrives": "16:02", "price": "89 EUR", "stops": 1},
        {"train": "NJ 40", "departs": "22:50", "arrives": "05:55", "price": "65 EUR", "stops": 4},
    ]
)
CLASSES = json.dumps(
    [
        {"class_id": "y-21", "title": "Vinyasa", "starts": "2026-03-05T07:30", "teacher": "Mia"},
        {"class_id": "y-22", "title": "Yin", "starts": "2026-03-05T12:15", "teacher": "Olu"},
        {"class_id": "y-23", "title": "Vinyasa", "starts": "2026-03-05T18:45", "teacher": "Mia"},
    ]
)
ABSENCES = (
    "Request,Person,Start,End\n"
    "811,Nils,2026-05-04,2026-05-08\n"
    "815,Nils,2026-09-14,2026-09-18\n"
    "820,Ava,2026-09-01,2026-09-04\n"
)
ROOMS = json.dumps(
    [
        {"room_no": "101", "beds": 2, "rate": "95.00", "balcony": "no"},
        {"room_no": "204", "beds": 2, "rate": "110.00", "balcony": "yes"},
        {"room_no": "310", "beds": 3, "rate": "130.00", "balcony": "yes"},
        {"room_no": "312", "beds": 1, "rate": "80.00", "balcony": "no"},
    ]
)
USERS = json.dumps(
    [
        {"user_id": "u-1", "name": "Ana", "joined": "2020-01-01"},
        {"user_id": "u-2", "name": "Ben", "joined": "2024-05-05"},
        {"user_id": "u-3", "name": "Cho", "joined": "2022-02-02"},
    ]
)
TICKETS = json.dumps(
    [
        {"ticket_id": "T-1", "title": "VPN down", "opened": "2026-03-01", "assignee": None},
        {"ticket_id": "T-2", "title": "New laptop", "opened": "2026-02-11", "assignee": "Ben"},
        {"ticket_id": "T-3", "title": "Printer jam", "opened": "2026-03-03", "assignee": None},
    ]
)
HIVES = "bienen;gewicht_kg;standort;koenigin\nB-1;22,5;Wald;2024\nB-2;31,0;Wiese;2022\nB-3;18,2;Wiese;2023\n"
ZIMMER = json.dumps(
    [
        {"zimmer_nr": "Z1", "preis": "80,00", "terrasse": "ja"},
        {"zimmer_nr": "Z2", "preis": "60,00", "terrasse": "nein"},
        {"zimmer_nr": "Z3", "preis": "70,00", "terrasse": "ja"},
    ]
)
VELOS = json.dumps(
    [
        {"velo_id": "V1", "poids": "14", "ville": "Lyon"},
        {"velo_id": "V2", "poids": "11", "ville": "Lyon"},
        {"velo_id": "V3", "poids": "9", "ville": "Nice"},
    ]
)
BLOOD = "unit;group;expires\nU1;A+;2026-03-09\nU2;A-;2026-03-20\nU3;A-;2026-03-12\nU4;B-;2026-03-05\n"


class Given(NamedTuple):
    """A tool that was called, what it returned, and the tool that is to be called."""

    looked_up: str
    outcome: str
    tool: str
    document: str
    parameter: str
    described: str


RESERVE_KAYAK = Given("list_kayaks", KAYAKS, "reserve_kayak", "Reserves a kayak", "kayak_id", "Kayak")
SELL_KAYAK = Given("list_kayaks", KAYAKS, "sell_kayak", "Lists a kayak for sale", "kayak_id", "Kayak")
BOOK_SPOT = Given("find_garages", GARAGES, "book_spot", "Books a parking spot", "garage", "Garage code")
USE_VIAL = Given("list_vials", VIALS, "use_vial", "Marks a vial as in use", "vial", "Vial")
DISCARD_VIAL = Given("list_vials", VIALS, "discard_vial", "Discards a vial", "vial", "Vial")
SET_AUTO_RENEW = Given("list_certificates", CERTS, "set_auto_renew", "Turns auto renew on", "serial", "Serial number")
DELETE_CERTIFICATE = Given(
    "list_certificates", CERTS, "delete_certificate", "Deletes a certificate", "serial", "Serial number"
)
REISSUE = Given("list_certificates", CERTS, "reissue", "Reissues a certificate", "serial", "Serial number")
BOOK_TRAIN = Given("find_trains", TRAINS, "book_train", "Books a train", "train", "Train")
JOIN_CLASS = Given("list_classes", CLASSES, "join_class", "Signs up for a class", "class_id", "Class")
DECLINE_ABSENCE = Given(
    "list_absences", ABSENCES, "decline_absence", "Declines an absence request", "request_id", "Absence request"
)
BOOK_ROOM = Given("list_rooms", ROOMS, "book_room", "Books a room", "room_no", "Room")
CLOSE_TICKET = Given("list_tickets", TICKETS, "close_ticket", "Closes a ticket", "ticket_id", "Ticket")
MARK_HIVE = Given("liste", HIVES, "mark_hive", "Markiert ein Bienenvolk zum Füttern", "bienen", "Bienenvolk")
RESERVIERE = Given("liste", ZIMMER, "reserviere", "Reserviert ein Zimmer", "zimmer_nr", "Zimmer")
RESERVER = Given("velos", VELOS, "reserver", "Réserve un vélo", "velo_id", "Vélo")
RESERVE_UNIT = Given("units", BLOOD, "reserve_unit", "Reserves one unit", "unit", "Unit")
RESERVE_KAYAK = Given("list_kayaks", KAYAKS, "reserve_kayak", "Reserves kayaks", "kayak_id", "Kayak")
CANCEL_ABSENCE = Given("list_absences", ABSENCES, "cancel_absence", "Cancels an absence", "request_id", "Absence")
SWAP_KAYAK = Given("list_kayaks", KAYAKS, "swap_kayak", "Swaps a kayak", "new_kayak_id", "New kayak")


def judged(given: Given, request: str, value: str) -> Grounded:
    """The value, proposed for what the request describes."""
    parameters = {"type": "object", "properties": {given.parameter: {"type": "string", "description": given.described}}}
    document = ToolDoc(given.tool, given.document, parameters)
    history = (Step(given.looked_up, {}, given.outcome),)
    context = Context(request, tools=(document,), history=history, now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction(given.tool, {given.parameter: value})))
    spans = (*found.spans, *found.against, *(span for other in found.competing for span in other.spans))
    assert all(context.verifies(span) for span in spans)
    return found


CHOSEN = [
    (RESERVE_KAYAK, "reserve the lightest red one for me", "K-11", "K-20"),
    (RESERVE_KAYAK, "reserve the longest kayak", "K-14", "K-17"),
    (SELL_KAYAK, "sell the older of the red kayaks", "K-17", "K-11"),
    (BOOK_SPOT, "book a spot in the cheapest garage with EV charging", "PG-01", "PG-05"),
    (BOOK_SPOT, "book the closest one without charging", "PG-02", "PG-01"),
    (BOOK_SPOT, "book a spot in the emptiest garage", "PG-05", "PG-07"),
    (USE_VIAL, "open the MMR vial that expires first", "V-305", "V-309"),
    (DISCARD_VIAL, "discard the MMR one that was opened first", "V-312", "V-301"),
    (DELETE_CERTIFICATE, "delete the revoked certificate", "7F-C9", "7F-A0"),
    (REISSUE, "reissue the oldest certificate that was never revoked", "7F-A0", "7F-C9"),
    (BOOK_TRAIN, "book the night train", "NJ 40", "ICE 9"),
    (BOOK_TRAIN, "book the one with the fewest stops", "ICE 9", "RE 88"),
    (BOOK_TRAIN, "take the cheapest", "RE 88", "IC 512"),
    (BOOK_TRAIN, "take the last train", "NJ 40", "IC 512"),
    (JOIN_CLASS, "sign me up for the evening vinyasa", "y-23", "y-21"),
    (JOIN_CLASS, "i'd like the midday one", "y-22", "y-23"),
    (JOIN_CLASS, "the morning class please", "y-21", "y-22"),
    (DECLINE_ABSENCE, "decline Nils's absence in September", "815", "811"),
    (BOOK_ROOM, "book the cheapest room with a balcony", "204", "312"),
    (BOOK_ROOM, "book the one with the most beds", "310", "101"),
    (BOOK_ROOM, "book the second cheapest room", "101", "312"),
    (CLOSE_TICKET, "close the unassigned ticket that was opened last", "T-3", "T-2"),
    (MARK_HIVE, "markiere die leichteste auf der Wiese zum Füttern", "B-3", "B-1"),
    (RESERVIERE, "bitte das günstigste Zimmer mit Terrasse reservieren", "Z3", "Z2"),
    (RESERVER, "réserve le vélo le plus léger à Lyon", "V2", "V3"),
    (RESERVE_UNIT, "we need A neg, take the one that expires first", "U3", "U4"),
    (RESERVE_UNIT, "reserve the A negative unit that expires last", "U2", "U1"),
]
OPEN = [
    (RESERVE_KAYAK, "which kayak is newest? reserve that one", "K-14", "K-20"),
    (BOOK_SPOT, "book a spot in the cheapest garage on the harbour side", "PG-01", "PG-05"),
    (SET_AUTO_RENEW, "turn auto renew on for the one without it", "7F-B3", "7F-A0"),
    (BOOK_TRAIN, "book whichever arrives earliest", "NJ 40", "IC 512"),
    (BOOK_ROOM, "book the cheapest quiet room", "204", "312"),
    (BOOK_ROOM, "not the cheapest one, the one with 3 beds", "310", "312"),
    (BOOK_ROOM, "book a room with at least 3 beds", "310", "312"),
    (BOOK_ROOM, "book a room cheaper than 100", "312", "310"),
    (BOOK_ROOM, "book room for the last guest on the list, with balcony", "204", "312"),
    (BOOK_ROOM, "it's my first time, i'd like 204's neighbour... the biggest balcony room", "310", "312"),
    (RESERVE_KAYAK, "reserve all the red ones and the lightest blue", "K-11", "K-20"),
    (RESERVE_KAYAK, "reserve the two lightest kayaks", "K-11", "K-14"),
    (CLOSE_TICKET, "which is due first doesn't matter, just move the printer one", "T-3", "T-2"),
    (CANCEL_ABSENCE, "cancel the next to last absence", "815", "811"),
    (BOOK_ROOM, "give the room the latest guest asked for to the oldest one", "204", "312"),
    (RESERVE_KAYAK, "not that one, the other red kayak", "K-17", "K-11"),
    (SWAP_KAYAK, "swap the lightest kayak for the longest", "K-14", "K-17"),
    (RESERVE_KAYAK, "rebook the one i had last week, the blue", "K-14", "K-17"),
    (BOOK_TRAIN, "book me first class on the ICE", "ICE 9", "IC 512"),
    (BOOK_TRAIN, "i need to arrive at the latest by 10, book one", "IC 512", "NJ 40"),
]


@pytest.mark.parametrize(("given", "request_", "right", "wrong"), CHOSEN)
def test_the_record_that_is_described_is_established_and_another_contradicted(
    given: Given, request_: str, right: str, wrong: str
) -> None:
    held, other = judged(given, request_, right), judged(given, request_, wrong)
    assert (held.how, held.open) == (Grounding.RESOLVE, False)
    assert (other.how, [each.value for each in other.competing]) == (Grounding.COMPETING, [right])
    assert right in other.note
    assert wrong in other.note


@pytest.mark.parametrize(("given", "request_", "right", "wrong"), OPEN)
def test_what_rules_cannot_read_contradicts_nothing_that_may_be_meant(
    given: Given, request_: str, right: str, wrong: str
) -> None:
    held, other = judged(given, request_, right), judged(given, request_, wrong)
    assert held.how is not Grounding.COMPETING
    assert other.open or other.how is Grounding.COMPETING


def test_one_that_may_be_of_two_lists_is_not_chosen() -> None:
    document = ToolDoc("assign_ticket", "Assigns a ticket", {"properties": {"user_id": {"type": "string"}}})
    history = (Step("list_users", {}, USERS), Step("list_tickets", {}, TICKETS))
    context = Context("assign the oldest one to Cho", tools=(document,), history=history, now=NOW)
    for user in ("u-1", "u-3"):
        (found,) = ground_arguments(Case(context, ProposedAction("assign_ticket", {"user_id": user})))
        assert found.how is not Grounding.COMPETING
