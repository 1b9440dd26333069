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
BIDS = json.dumps(
    {
        "bids": [
            {"bid": "B-881", "company": "Nordbau", "total_eur": 48200, "weeks": 9, "submitted": "2026-02-20"},
            {"bid": "B-884", "company": "Kraft & Co", "total_eur": 45900, "weeks": 12, "submitted": "2026-02-24"},
            {"bid": "B-890", "company": "Lindner", "total_eur": 51000, "weeks": 7, "submitted": "2026-02-18"},
        ]
    }
)
SONGSJ = json.dumps(
    {
        "playlist": "Sunday",
        "tracks": [
            {"track_id": "tr_501", "title": "Blue in Green", "length": "5:37"},
            {"track_id": "tr_502", "title": "So What", "length": "9:22"},
            {"track_id": "tr_507", "title": "Naima", "length": "4:21"},
            {"track_id": "tr_511", "title": "Lonnie's Lament", "length": "11:45"},
        ],
    }
)
SENSORS = (
    "sensor,room,battery_pct,last_seen,calibrated\n"
    "S-1,lab A,84,2026-03-04T09:50,true\n"
    "S-2,lab A,12,2026-03-04T09:51,true\n"
    "S-3,lab B,47,2026-02-27T18:00,false\n"
    "S-4,cold store,31,2026-03-04T09:49,true\n"
)
INV = (
    "| Invoice | Customer | Issued | Due | Amount | Paid |\n"
    "|---|---|---|---|---|---|\n"
    "| R-2001 | Meyer | 2026-01-10 | 2026-02-09 | 420.00 | yes |\n"
    "| R-2007 | Meyer | 2026-02-01 | 2026-03-03 | 1,130.00 | no |\n"
    "| R-2011 | Otto | 2026-02-14 | 2026-03-16 | 86.50 | no |\n"
    "| R-2015 | Meyer | 2026-02-20 | 2026-03-22 | 300.00 | yes |"
)
PUPILS = json.dumps(
    [
        {"pupil": "p31", "name": "Lia Sommer", "class": "3b", "born": "2017-05-02", "bus": True},
        {"pupil": "p32", "name": "Tom Sommer", "class": "1a", "born": "2019-08-19", "bus": False},
        {"pupil": "p33", "name": "Eli Roth", "class": "3b", "born": "2016-11-30", "bus": True},
    ]
)
FLIGHTS = json.dumps(
    [
        {"flight": "LX-310", "dep": "07:15", "arr": "08:20", "seats_left": 4, "fare_chf": 189},
        {"flight": "LX-318", "dep": "12:40", "arr": "13:45", "seats_left": 22, "fare_chf": 149},
        {"flight": "LX-326", "dep": "17:55", "arr": "19:00", "seats_left": 1, "fare_chf": 221},
        {"flight": "LX-330", "dep": "20:40", "arr": "21:45", "seats_left": 9, "fare_chf": 135},
    ]
)
DOGS = json.dumps(
    [
        {"animal_id": "a1", "name": "Bo", "breed": "beagle", "age": 7, "neutered": True},
        {"animal_id": "a2", "name": "Kit", "breed": "collie", "age": 2, "neutered": False},
        {"animal_id": "a3", "name": "Sam", "breed": "beagle", "age": 3, "neutered": False},
    ]
)
DISKS = json.dumps(
    {
        "volumes": [
            {"vol": "v-9", "host": "db1", "size_gb": 500, "used_pct": 91, "encrypted": True},
            {"vol": "v-12", "host": "db2", "size_gb": 2000, "used_pct": 40, "encrypted": False},
            {"vol": "v-15", "host": "web", "size_gb": 100, "used_pct": 77, "encrypted": True},
        ]
    }
)


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
RESERVE_KAYAK_OF_KAYAKS = Given("list_kayaks", KAYAKS, "reserve_kayak", "Reserves kayaks", "kayak_id", "Kayak")
CANCEL_ABSENCE = Given("list_absences", ABSENCES, "cancel_absence", "Cancels an absence", "request_id", "Absence")
SWAP_KAYAK = Given("list_kayaks", KAYAKS, "swap_kayak", "Swaps a kayak", "new_kayak_id", "New kayak")
ACCEPT_BID = Given("list_bids", BIDS, "accept_bid", "Accepts a bid and informs the others", "bid", "Bid number")
REJECT_BID = Given("list_bids", BIDS, "reject_bid", "Rejects a bid", "bid", "Bid number")
REMOVE_TRACK = Given("get_playlist", SONGSJ, "remove_track", "Removes a track from a playlist", "track_id", "Track")
ORDER_BATTERY = Given("list_sensors", SENSORS, "order_battery", "Orders a battery for a sensor", "sensor", "Sensor")
RECALIBRATE = Given("list_sensors", SENSORS, "recalibrate", "Recalibrates a sensor", "sensor", "Sensor")
MUTE = Given("list_sensors", SENSORS, "mute", "Mutes a sensor", "sensor", "Sensor")
SEND_REMINDER = Given("list_invoices", INV, "send_reminder", "Sends a payment reminder", "invoice", "Invoice number")
REFUND = Given("list_invoices", INV, "refund", "Refunds an invoice", "invoice", "Invoice number")
WRITE_OFF = Given("list_invoices", INV, "write_off", "Writes an invoice off", "invoice", "Invoice number")
SEND_INVOICE = Given("list_invoices", INV, "send_invoice", "Sends an invoice by mail", "invoice", "Invoice number")
EXCUSE = Given("list_pupils", PUPILS, "excuse", "Excuses a pupil for the day", "pupil", "Pupil")
REGISTER = Given("list_pupils", PUPILS, "register", "Registers a pupil for the bus", "pupil", "Pupil")
BOOK_FLIGHT = Given("search_flights", FLIGHTS, "book_flight", "Books a flight", "flight", "Flight")
MOVE_ANIMAL = Given("list_dogs", DOGS, "move_animal", "Moves an animal to a quiet kennel", "animal_id", "Animal")
RESERVE_ANIMAL = Given("list_dogs", DOGS, "reserve_animal", "Reserves an animal", "animal_id", "Animal")
BOOK_SURGERY = Given("list_dogs", DOGS, "book_surgery", "Books surgery", "animal_id", "Animal")
EXTEND_VOLUME = Given("list_volumes", DISKS, "extend_volume", "Extends a volume", "vol", "Volume")
SNAPSHOT = Given("list_volumes", DISKS, "snapshot", "Takes a snapshot of a volume", "vol", "Volume")
ENCRYPT = Given("list_volumes", DISKS, "encrypt", "Encrypts a volume", "vol", "Volume")
DELETE_VOLUME = Given("list_volumes", DISKS, "delete_volume", "Deletes a volume", "vol", "Volume")
CANCEL_INVOICE = Given("list_invoices", INV, "cancel_invoice", "Cancels an invoice", "invoice", "Invoice number")
PAY_INVOICE = Given("list_invoices", INV, "pay_invoice", "Pays", "invoice", "Invoice number")
DELETE_INVOICE = Given("list_invoices", INV, "delete_invoice", "Deletes an invoice", "invoice", "Invoice number")
PAY_INVOICE_OF_INVOICES = Given("list_invoices", INV, "pay_invoice", "Pays an invoice", "invoice", "Invoice number")
RENAME_ANIMAL = Given("list_dogs", DOGS, "rename_animal", "Renames an animal", "animal_id", "Animal")
BRING_ANIMAL = Given("list_dogs", DOGS, "bring_animal", "Brings an animal to the vet", "animal_id", "Animal")
MOVE_ANIMAL_OF_DOGS = Given("list_dogs", DOGS, "move_animal", "Moves an animal", "animal_id", "Animal")
ASSIGN = Given("list_dogs", DOGS, "assign", "Assigns a volunteer to an animal", "animal_id", "Animal")
WALK = Given("list_dogs", DOGS, "walk", "Books a walk", "animal_id", "Animal")
SET_TARGET = Given("list_volumes", DISKS, "set_target", "Sets the target volume", "vol", "Volume")
DISPUTE = Given("list_invoices", INV, "dispute", "Marks an invoice as disputed", "invoice", "Invoice number")
SEND_INVOICE_OF_INVOICES = Given("list_invoices", INV, "send_invoice", "Sends an invoice", "invoice", "Invoice number")
SET_UNCALIBRATED = Given(
    "list_sensors", SENSORS, "set_uncalibrated", "Marks a sensor as not calibrated", "sensor", "Sensor"
)
UNREGISTER = Given("list_pupils", PUPILS, "unregister", "Takes a pupil off the bus", "pupil", "Pupil")
APPROVE = Given("list_invoices", INV, "approve", "Approves an invoice", "invoice", "Invoice number")
MOVE_TRACK = Given("get_playlist", SONGSJ, "move_track", "Moves a track", "track_id", "Track")


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
    (ACCEPT_BID, "accept the lowest bid", "B-884", "B-881"),
    (REMOVE_TRACK, "take the third song off the sunday playlist", "tr_507", "tr_502"),
    (REMOVE_TRACK, "drop the bottom one", "tr_511", "tr_507"),
    (REMOVE_TRACK, "remove the second to last track", "tr_507", "tr_502"),
    (ORDER_BATTERY, "order a battery for the sensor with the lowest battery", "S-2", "S-3"),
    (RECALIBRATE, "recalibrate the uncalibrated sensor", "S-3", "S-2"),
    (RECALIBRATE, "recalibrate the one that isn't calibrated", "S-3", "S-1"),
    (MUTE, "mute the sensor in lab A with the lowest battery", "S-2", "S-1"),
    (MUTE, "mute the sensor in lab A with the highest battery level", "S-1", "S-2"),
    (SEND_REMINDER, "send Meyer a reminder for the unpaid invoice", "R-2007", "R-2001"),
    (REFUND, "refund Meyer's paid invoice from January", "R-2001", "R-2015"),
    (WRITE_OFF, "write off the smallest unpaid one", "R-2011", "R-2007"),
    (SEND_REMINDER, "remind Meyer of the largest invoice", "R-2007", "R-2001"),
    (SEND_INVOICE, "send me Meyer's most recent invoice", "R-2015", "R-2001"),
    (EXCUSE, "excuse the youngest of the three", "p32", "p33"),
    (BOOK_FLIGHT, "cheapest flight please, aisle seat", "LX-330", "LX-318"),
    (BOOK_FLIGHT, "put me on the earliest flight", "LX-310", "LX-318"),
    (BOOK_FLIGHT, "the latest flight of the day", "LX-330", "LX-310"),
    (BOOK_FLIGHT, "the flight with the most seats left", "LX-318", "LX-326"),
    (BOOK_FLIGHT, "book the cheapest morning flight", "LX-310", "LX-330"),
    (MOVE_ANIMAL, "move the oldest dog to a quiet kennel", "a1", "a2"),
    (RESERVE_ANIMAL, "reserve the younger beagle", "a3", "a1"),
    (BOOK_SURGERY, "book surgery for the beagle that isn't neutered yet", "a3", "a1"),
    (EXTEND_VOLUME, "extend the fullest volume", "v-9", "v-15"),
    (SNAPSHOT, "snapshot the biggest volume", "v-12", "v-9"),
    (ENCRYPT, "encrypt the unencrypted one", "v-12", "v-9"),
    (DELETE_VOLUME, "delete the smallest encrypted volume", "v-15", "v-9"),
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
    (RESERVE_KAYAK_OF_KAYAKS, "reserve all the red ones and the lightest blue", "K-11", "K-20"),
    (RESERVE_KAYAK, "reserve the two lightest kayaks", "K-11", "K-14"),
    (CLOSE_TICKET, "which is due first doesn't matter, just move the printer one", "T-3", "T-2"),
    (CANCEL_ABSENCE, "cancel the next to last absence", "815", "811"),
    (RESERVE_KAYAK, "not that one, the other red kayak", "K-17", "K-11"),
    (SWAP_KAYAK, "swap the lightest kayak for the longest", "K-14", "K-17"),
    (RESERVE_KAYAK, "rebook the one i had last week, the blue", "K-14", "K-17"),
    (BOOK_TRAIN, "book me first class on the ICE", "ICE 9", "IC 512"),
    (BOOK_TRAIN, "i need to arrive at the latest by 10, book one", "IC 512", "NJ 40"),
    (ACCEPT_BID, "accept the one with the shortest construction time", "B-890", "B-884"),
    (REJECT_BID, "reject the bid that came in last", "B-884", "B-890"),
    (REJECT_BID, "reject the highest one", "B-890", "B-884"),
    (REMOVE_TRACK, "remove the longest track", "tr_511", "tr_502"),
    (REMOVE_TRACK, "remove the track after Naima", "tr_511", "tr_502"),
    (REMOVE_TRACK, "remove the last two tracks", "tr_511", "tr_501"),
    (MUTE, "mute the one we've not heard from for a week", "S-3", "S-1"),
    (SEND_REMINDER, "remind them about the invoice due first", "R-2001", "R-2007"),
    (EXCUSE, "excuse the older Sommer child today", "p31", "p32"),
    (REGISTER, "register the one who doesn't take the bus", "p32", "p31"),
    (EXCUSE, "excuse the oldest kid in 3b", "p33", "p31"),
    (BOOK_FLIGHT, "book the noon flight", "LX-318", "LX-326"),
    (BOOK_FLIGHT, "first, check my calendar, then book the 17:55 flight", "LX-326", "LX-310"),
    (BOOK_FLIGHT, "this is my last chance to see her: book the flight at 20:40", "LX-330", "LX-310"),
    (BOOK_FLIGHT, "book the best flight for a meeting at 10", "LX-310", "LX-330"),
    (BOOK_FLIGHT, "i first wanted the cheapest flight but take 17:55 instead", "LX-326", "LX-330"),
    (BOOK_FLIGHT, "一番安い便を予約してください", "LX-330", "LX-310"),
    (BOOK_FLIGHT, "请帮我预订最便宜的航班", "LX-330", "LX-310"),
    (REMOVE_TRACK, "nimm den letzten Titel aus der Liste", "tr_511", "tr_502"),
    (CANCEL_INVOICE, "cancel the invoice from last month for the smallest amount", "R-2011", "R-2001"),
    (PAY_INVOICE, "pay R-2007, not the latest one", "R-2007", "R-2015"),
    (SEND_INVOICE, "send the last one again", "R-2015", "R-2001"),
    (DELETE_INVOICE, "delete all invoices of Meyer but keep the newest", "R-2001", "R-2015"),
    (PAY_INVOICE_OF_INVOICES, "pay every invoice except the largest one", "R-2011", "R-2007"),
    (BOOK_FLIGHT, "use any flight other than the first one", "LX-318", "LX-310"),
    (BOOK_FLIGHT, "the one after the cheapest flight", "LX-310", "LX-318"),
    (EXCUSE, "excuse the kid with the oldest brother", "p32", "p33"),
    (EXCUSE, "print the class list for the oldest pupil's mother, Mrs Roth", "p33", "p31"),
    (BOOK_FLIGHT, "last minute change: i need the 12:40", "LX-318", "LX-330"),
    (BOOK_FLIGHT, "something cheaper than 150 and before noon isn't there? then the evening one", "LX-330", "LX-310"),
    (RENAME_ANIMAL, "change the first name of Kit to Kitty", "a2", "a1"),
    (BRING_ANIMAL, "bring Kit to the first vet appointment", "a2", "a1"),
    (MOVE_ANIMAL_OF_DOGS, "this is the second time Sam got out, move him", "a3", "a2"),
    (MOVE_ANIMAL_OF_DOGS, "move the dogs older than 5", "a1", "a2"),
    (ASSIGN, "assign the newest volunteer to Bo", "a1", "a2"),
    (MOVE_ANIMAL_OF_DOGS, "move the longest waiting dog", "a2", "a1"),
    (WALK, "give the friendliest dog a walk", "a2", "a1"),
    (WALK, "give the smallest dog a walk", "a2", "a1"),
    (SNAPSHOT, "snapshot the volume of the biggest host", "v-9", "v-12"),
    (SET_TARGET, "move data from the fullest volume to the emptiest one", "v-12", "v-9"),
    (DELETE_VOLUME, "is the volume without encryption the biggest? then delete web's", "v-15", "v-12"),
    (BOOK_FLIGHT, "if the cheapest flight is full, book the earliest", "LX-310", "LX-318"),
    (BOOK_FLIGHT, "book the cheapest or the earliest flight", "LX-310", "LX-330"),
    (BOOK_FLIGHT, "book the earliest of the two cheapest flights", "LX-318", "LX-310"),
    (BOOK_FLIGHT, "don't book the cheapest flight, book the next one up", "LX-318", "LX-310"),
    (DISPUTE, "top priority: call Meyer about R-2007... mark the oldest invoice as disputed", "R-2001", "R-2011"),
    (SEND_INVOICE_OF_INVOICES, "which invoice is not paid? send that one to Otto", "R-2011", "R-2001"),
    (SET_UNCALIBRATED, "the cold store sensor is no longer calibrated", "S-4", "S-3"),
    (ENCRYPT, "make the db2 volume encrypted", "v-12", "v-9"),
    (UNREGISTER, "take Lia off the bus", "p31", "p33"),
    (UNREGISTER, "Eli is without bus from today", "p33", "p32"),
    (BOOK_FLIGHT, "remind me this evening to book the 12:40 flight", "LX-318", "LX-330"),
    (BOOK_FLIGHT, "good morning, please book the 12:40 flight", "LX-318", "LX-310"),
    (BOOK_FLIGHT, "i'm tired, good night. book the 17:55 flight", "LX-326", "LX-330"),
    (APPROVE, "approve the invoice for March's campaign: R-2011's", "R-2011", "R-2007"),
    (PAY_INVOICE_OF_INVOICES, "pay Otto's invoice in March", "R-2011", "R-2007"),
    (MOVE_TRACK, "move the track So What to monday's playlist, first position", "tr_502", "tr_501"),
    (MOVE_TRACK, "move Naima to the last place", "tr_507", "tr_511"),
    (MOVE_TRACK, "put the first track last", "tr_501", "tr_511"),
    (MOVE_TRACK, "play So What before the last track", "tr_502", "tr_511"),
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
    assert other.open or other.how in (Grounding.COMPETING, Grounding.UNGROUNDED)


def test_one_that_may_be_of_two_lists_is_not_chosen() -> None:
    document = ToolDoc("assign_ticket", "Assigns a ticket", {"properties": {"user_id": {"type": "string"}}})
    history = (Step("list_users", {}, USERS), Step("list_tickets", {}, TICKETS))
    context = Context("assign the oldest one to Cho", tools=(document,), history=history, now=NOW)
    (found,) = ground_arguments(Case(context, ProposedAction("assign_ticket", {"user_id": "u-3"})))
    assert found.how is not Grounding.COMPETING
