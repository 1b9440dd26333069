"""What the tools of the made conversations returned: contacts, accounts, mails, files, orders and the like."""

from tests.provenance.argument_grounding.made import result

CONTACTS = result(
    "list_contacts",
    [
        {"name": "Daniel Kim", "email": "kim@bank.example", "iban": "DE75512108001245126199", "city": "Bern"},
        {"name": "Ann Lee", "email": "lee@bank.example", "iban": "GB33BUKB20201555555555", "city": "Basel"},
        {"name": "Bo Ray", "email": "bo@bank.example", "iban": "FR7630006000011234567890189", "city": "Chur"},
    ],
)
DANIELS = result(
    "list_contacts",
    [
        {"name": "Daniel Kim", "email": "kim@bank.example", "iban": "DE75512108001245126199"},
        {"name": "Daniel Roth", "email": "roth@bank.example", "iban": "GB33BUKB20201555555555"},
    ],
)
ACCOUNTS = result(
    "list_accounts",
    {
        "accounts": [
            {"account_id": "AC100201", "owner": "Daniel Kim", "type": "savings", "balance": 900},
            {"account_id": "AC100377", "owner": "Ann Lee", "type": "checking", "balance": 120},
            {"account_id": "AC100455", "owner": "Bo Ray", "type": "savings", "balance": 4000},
        ]
    },
)
CARDS = result(
    "list_cards",
    [
        {"card_id": "crd77aa1", "label": "Blue Travel", "limit": 500},
        {"card_id": "crd88bb2", "label": "Green Home", "limit": 900},
    ],
)
PEOPLE = result(
    "find_person",
    "name,email,team\nAnn Lee,ann.lee@firm.example,Sales\nBo Ray,bo.ray@firm.example,Support\n"
    "Cy Fox,cy.fox@firm.example,Sales\n",
)
EMAILS = result(
    "search_emails",
    [
        {"email_id": "em1001a", "sender": "ann.lee@firm.example", "subject": "Budget draft", "sent": "2026-03-01"},
        {"email_id": "em1002b", "sender": "bo.ray@firm.example", "subject": "Team lunch", "sent": "2026-03-02"},
        {"email_id": "em1003c", "sender": "ann.lee@firm.example", "subject": "Budget final", "sent": "2026-03-03"},
    ],
)
EVENTS = result(
    "list_events",
    [
        {"event_id": "ev55501", "title": "Design Review", "day": "2026-03-10", "with": "Ann Lee"},
        {"event_id": "ev55502", "title": "Board Meeting", "day": "2026-03-11", "with": "Bo Ray"},
        {"event_id": "ev55503", "title": "Design Sync", "day": "2026-03-12", "with": "Cy Fox"},
    ],
)
LISTED = result(
    "list_files",
    [
        {"file_id": "f10001x", "name": "report.pdf", "owner": "Ann Lee", "size": 120},
        {"file_id": "f10002y", "name": "report2.pdf", "owner": "Bo Ray", "size": 450},
        {"file_id": "f10003z", "name": "notes.txt", "owner": "Cy Fox", "size": 20},
    ],
)
SERVERS = result(
    "list_servers",
    [
        {"server": "web-47", "instance_id": "i0a47b1c2", "status": "down"},
        {"server": "web-48", "instance_id": "i0a48b1c3", "status": "up"},
        {"server": "db-01", "instance_id": "i0b01d1e4", "status": "up"},
    ],
)
ORDERS = result(
    "list_orders",
    {
        "orders": [
            {
                "order_id": "W1122334",
                "customer": "Daniel Kim",
                "total": 80,
                "items": [{"item_id": "it77001a", "name": "Desk Lamp"}, {"item_id": "it77002b", "name": "Oak Desk"}],
            },
            {
                "order_id": "W2233445",
                "customer": "Ann Lee",
                "total": 45,
                "items": [{"item_id": "it88001c", "name": "Tea Kettle"}, {"item_id": "it88002d", "name": "Glass Jar"}],
            },
        ]
    },
)
RESERVATIONS = result(
    "list_reservations",
    "reservation: HAT028\npassenger: Ann Lee\ncabin: business\n\n"
    "reservation: K7Q2XM\npassenger: Bo Ray\ncabin: economy\n",
)
DEVICES = result("list_devices", [{"device": "lamp-1", "room": "Kitchen"}, {"device": "fan-2", "room": "Study"}])
PATIENTS = result(
    "list_patients",
    [
        {"patient_id": "P400121", "name": "Maria Silva", "doctor": "Ann Lee", "born": "1970-02-01"},
        {"patient_id": "P400122", "name": "Mario Silva", "doctor": "Bo Ray", "born": "1981-05-06"},
        {"patient_id": "P400133", "name": "Ken Ito", "doctor": "Cy Fox", "born": "1990-07-08"},
    ],
)
USERS = result("list_users", "| user | name |\n|---|---|\n| u500ann | Ann Lee |\n| u501bob | Bo Ray |\n")
OPEN_TICKETS = result(
    "list_tickets",
    [
        {"ticket": "TCK1001", "title": "Login fails", "reporter": "Ann Lee"},
        {"ticket": "TCK1002", "title": "Slow search", "reporter": "Bo Ray"},
    ],
)
