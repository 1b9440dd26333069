"""Records that a request describes by comparison, place, property or time, and does not name."""

import pytest

from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import Grounded, ground_arguments
from tests.provenance.grounding.checks import NOW
from tests.provenance.request.records_to_choose_from import (
    ACCEPT_BID,
    APPROVE,
    ASSIGN,
    BOOK_FLIGHT,
    BOOK_ROOM,
    BOOK_SPOT,
    BOOK_SURGERY,
    BOOK_TRAIN,
    BRING_ANIMAL,
    CANCEL_ABSENCE,
    CANCEL_INVOICE,
    CLOSE_TICKET,
    DECLINE_ABSENCE,
    DELETE_CERTIFICATE,
    DELETE_INVOICE,
    DELETE_VOLUME,
    DISCARD_VIAL,
    DISPUTE,
    ENCRYPT,
    EXCUSE,
    EXTEND_VOLUME,
    JOIN_CLASS,
    MARK_HIVE,
    MOVE_ANIMAL,
    MOVE_ANIMAL_OF_DOGS,
    MOVE_TRACK,
    MUTE,
    ORDER_BATTERY,
    PAY_INVOICE,
    PAY_INVOICE_OF_INVOICES,
    RECALIBRATE,
    REFUND,
    REGISTER,
    REISSUE,
    REJECT_BID,
    REMOVE_TRACK,
    RENAME_ANIMAL,
    RESERVE_ANIMAL,
    RESERVE_KAYAK,
    RESERVE_KAYAK_OF_KAYAKS,
    RESERVE_UNIT,
    RESERVER,
    RESERVIERE,
    SELL_KAYAK,
    SEND_INVOICE,
    SEND_INVOICE_OF_INVOICES,
    SEND_REMINDER,
    SET_AUTO_RENEW,
    SET_TARGET,
    SET_UNCALIBRATED,
    SNAPSHOT,
    SWAP_KAYAK,
    TICKETS,
    UNREGISTER,
    USE_VIAL,
    USERS,
    WALK,
    WRITE_OFF,
    Given,
)


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
