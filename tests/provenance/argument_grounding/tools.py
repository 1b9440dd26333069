"""The tools of the made conversations, by domain."""

from typing import Any

from reviews.provenance.core.context import ToolDoc

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
COUNT = {"type": "integer"}
FLAG = {"type": "boolean"}
TEXTS = {"type": "array", "items": TEXT}
DAY = {"type": "string", "format": "date"}


def one_of(*options: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(options)}


def tool(name: str, description: str, /, **parameters: Any) -> ToolDoc:
    """A tool that changes something; every parameter is required."""
    return ToolDoc(name, description, {"type": "object", "properties": parameters, "required": list(parameters)})


def look_up(name: str, description: str, /, **parameters: Any) -> ToolDoc:
    schema = {"type": "object", "properties": parameters}
    return ToolDoc(name, description, schema, environment_changing=False)


BANK = (
    tool("pay", "Pay a person.", to=TEXT, amount=NUMBER),
    tool("transfer", "Transfer money between accounts.", from_account=TEXT, to_account=TEXT, amount=NUMBER),
    tool("request_money", "Request money from a person.", sender=TEXT, amount=NUMBER),
    tool("pay_iban", "Pay to an IBAN.", iban=TEXT, amount=NUMBER),
    tool("close_account", "Close an account.", account_id=TEXT),
    tool("exchange", "Exchange an amount.", amount=NUMBER, source=one_of("USD", "EUR", "GBP"),
         target=one_of("USD", "EUR", "GBP")),
    tool("set_limit", "Set the limit of a card.", card_id=TEXT, limit=NUMBER),
    look_up("list_accounts", "List accounts."),
    look_up("list_contacts", "List contacts.", name=TEXT),
    look_up("list_cards", "List cards."),
)  # fmt: skip
MAIL = (
    tool("send_email", "Send an email.", to=TEXT, subject=TEXT, body=TEXT),
    tool("forward_email", "Forward an email.", email_id=TEXT, to=TEXT),
    tool("delete_email", "Delete an email.", email_id=TEXT),
    tool("move_email", "Move an email to a folder.", email_id=TEXT, folder=TEXT),
    tool("invite", "Invite people.", people=TEXTS),
    look_up("search_emails", "Search emails.", query=TEXT),
    look_up("find_person", "Find a person.", name=TEXT),
)
CALENDAR = (
    tool("create_event", "Create an event.", title=TEXT, day=DAY, time=TEXT),
    tool("move_event", "Move an event.", event_id=TEXT, day=DAY),
    tool("cancel_event", "Cancel an event.", event_id=TEXT),
    tool("book_room", "Book a room.", room=TEXT, start=TEXT, end=TEXT),
    tool("set_reminder", "Set a reminder.", minutes=COUNT),
    look_up("list_events", "List events."),
)
FILES = (
    tool("delete_file", "Delete a file.", path=TEXT),
    tool("move_file", "Move a file.", source=TEXT, destination=TEXT),
    tool("rename_file", "Rename a file.", old_name=TEXT, new_name=TEXT),
    tool("copy_file", "Copy a file.", source=TEXT, destination=TEXT),
    tool("share_file", "Share a file.", file_id=TEXT, user=TEXT, role=one_of("reader", "editor", "owner")),
    tool("create_folder", "Create a folder.", name=TEXT),
    look_up("list_files", "List files."),
)
CLOUD = (
    tool("restart_server", "Restart a server.", server=TEXT),
    tool("terminate_instance", "Terminate an instance.", instance_id=TEXT),
    tool("scale_service", "Scale a service.", service=TEXT, replicas=COUNT),
    tool("deploy", "Deploy a version.", version=TEXT, environment=one_of("staging", "production")),
    tool("open_port", "Open a port.", port=COUNT, protocol=one_of("tcp", "udp")),
    look_up("list_servers", "List servers."),
)
SHOP = (
    tool("cancel_order", "Cancel an order.", order_id=TEXT),
    tool("return_item", "Return an item of an order.", order_id=TEXT, item_id=TEXT),
    tool("add_to_cart", "Add an item to the cart.", item=TEXT, quantity=COUNT),
    tool("refund", "Refund an order.", order_id=TEXT, amount=NUMBER),
    tool("update_address", "Update the address of an order.", order_id=TEXT, zip=TEXT, city=TEXT),
    look_up("list_orders", "List orders."),
    look_up("list_products", "List products."),
)
TRAVEL = (
    tool("book_flight", "Book a flight.", origin=TEXT, destination=TEXT, day=DAY),
    tool("book_table", "Book a table.", restaurant=TEXT, guests=COUNT, time=TEXT),
    tool("book_hotel", "Book a hotel.", hotel=TEXT, rooms=COUNT, nights=COUNT),
    tool("change_cabin", "Change the cabin of a reservation.", reservation=TEXT,
         cabin=one_of("economy", "premium", "business")),
    tool("cancel_reservation", "Cancel a reservation.", reservation=TEXT),
    look_up("list_reservations", "List reservations."),
    look_up("list_hotels", "List hotels."),
)  # fmt: skip
HOME = (
    tool("set_temperature", "Set the temperature of a room.", room=TEXT, degrees=NUMBER),
    tool("turn_on", "Turn on a device.", device=TEXT),
    tool("turn_off", "Turn off a device.", device=TEXT),
    tool("set_mode", "Set the mode of the heating.", mode=one_of("eco", "comfort", "off")),
    look_up("list_devices", "List devices."),
)
CLINIC = (
    tool("prescribe", "Prescribe a drug.", patient=TEXT, drug=TEXT, dose_mg=NUMBER),
    tool("schedule_visit", "Schedule a visit.", patient_id=TEXT, day=DAY),
    tool("discharge", "Discharge a patient.", patient_id=TEXT),
    look_up("list_patients", "List patients."),
)
TICKETS = (
    tool("assign_ticket", "Assign a ticket.", ticket=TEXT, assignee=TEXT),
    tool("close_ticket", "Close a ticket.", ticket=TEXT),
    tool("set_priority", "Set the priority of a ticket.", ticket=TEXT, priority=one_of("low", "medium", "high")),
    tool("comment", "Comment on a ticket.", ticket=TEXT, text=TEXT),
    look_up("list_tickets", "List tickets."),
    look_up("list_users", "List users."),
)
ALL = (*BANK, *MAIL, *CALENDAR, *FILES, *CLOUD, *SHOP, *TRAVEL, *HOME, *CLINIC, *TICKETS)
