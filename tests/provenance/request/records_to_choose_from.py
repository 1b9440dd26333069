"""What tools returned and which tool is to be called with one of its records, for requests that name none."""

import json
from typing import NamedTuple

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
