"""What holds of every conversation, whatever it is about: the invariants of an engine that only proofs decide."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import permutations
from string import ascii_letters

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reviews.provenance.argument_grounding import GroundedCall, Grounder
from reviews.provenance.core.context import Context, Message, NamedText, ProposedAction, Step
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.text.replies import is_agreement
from tests.provenance.argument_grounding.made import agent, call, context, result, user
from tests.provenance.argument_grounding.pairs import PAIRS
from tests.provenance.argument_grounding.tool_results import LISTED, ORDERS, SERVERS
from tests.provenance.argument_grounding.tools import BANK, CLOUD, FILES, TRAVEL

CASES = [(pair.context, action) for pair in PAIRS for action in (pair.right, pair.wrong) if action]
cases = st.sampled_from(CASES)


# Not at once: every process that collects tests would spend a second on judging them.
@cache
def proven_cases() -> list[tuple[Context, ProposedAction]]:
    return [(asked, action) for asked, action in CASES if trace(asked, action).is_proven]


proven = st.deferred(lambda: st.sampled_from(proven_cases()))

# Words that no made conversation has.
STRANGE = "zorb quix flam drint vosk plume grish".split()
sentences = st.lists(st.sampled_from(STRANGE), min_size=1, max_size=7).map(lambda words: " ".join(words) + ".")
unrelated_steps = st.builds(
    lambda name, rows: Step(f"list_{name}", {}, json.dumps([{name: word, "mass": len(word)} for word in rows])),
    st.sampled_from(["zorbs", "quixes"]),
    st.lists(st.sampled_from(STRANGE), max_size=4),
)
REVISIONS = (
    "Never mind, don't.", "No, pay Ann instead.", "Send it to ann@firm.example instead.", "Stop.", "Hold on.",
    "Actually I changed my mind.", "I will call again about W9988776 tomorrow.", "I have 7 minutes.", "Is that right?",
    "Yes, but tomorrow.", "Make it $31.", "Vergiss es.", "Laisse tomber.", "Mejor no.", "やめて", "不行", "Отмена",
    "It is not as bad as the other one.", "Do it for Ann.", "Thanks, but later.",
)  # fmt: skip


def trace(asked: Context, action: ProposedAction) -> GroundedCall:
    return Grounder(asked).trace_call(action)


def verdicts(asked: Context, action: ProposedAction) -> Mapping[str, bool | None]:
    """What is said of each value, and of the call as a whole."""
    traced = trace(asked, action)
    return {leaf.pointer: leaf.holds for leaf in traced.leaves} | {"request": traced.request is not None or None}


def behind(asked: Context, *items: Step | Message) -> Context:
    return replace(asked, history=(*asked.history, *items))


def check_nothing_gained(before: Mapping[str, bool | None], after: Mapping[str, bool | None]) -> None:
    """No verdict moved to True, and none to False."""
    gained = {pointer: holds for pointer, holds in after.items() if holds is not None and before[pointer] != holds}
    assert not gained


def test_only_proofs_decide() -> None:
    for asked, action in CASES:
        for leaf in trace(asked, action).leaves:
            assert leaf.rule.startswith("doubts." if leaf.holds is None else "proofs."), leaf


def test_whatever_is_shown_stands_in_its_source() -> None:
    for asked, action in CASES:
        for leaf in trace(asked, action).leaves:
            nearest = (leaf.nearest,) if leaf.nearest else ()
            assert all(asked.verifies(span) for span in (*leaf.spans, *leaf.against, *leaf.facts, *nearest))


@given(cases, unrelated_steps)
def test_a_look_up_that_is_about_something_else_decides_nothing(
    case: tuple[Context, ProposedAction], step: Step
) -> None:
    check_nothing_gained(verdicts(*case), verdicts(behind(case[0], step), case[1]))


@given(cases, sentences, st.sampled_from([SourceKind.RETRIEVED, SourceKind.MEMORY, SourceKind.SYSTEM_PROMPT]))
def test_a_source_that_is_about_something_else_decides_nothing(
    case: tuple[Context, ProposedAction], text: str, kind: SourceKind
) -> None:
    added = replace(case[0], extra=(*case[0].extra, NamedText(kind, "more", text)))
    check_nothing_gained(verdicts(*case), verdicts(added, case[1]))


@given(cases, sentences, st.booleans())
def test_a_message_that_is_about_something_else_decides_nothing(
    case: tuple[Context, ProposedAction],
    text: str,
    by_user: bool,
) -> None:
    check_nothing_gained(verdicts(*case), verdicts(behind(case[0], user(text) if by_user else agent(text)), case[1]))


@pytest.mark.parametrize("later", REVISIONS)
def test_a_later_message_opens_what_earlier_ones_stated(later: str) -> None:
    for asked, action in proven_cases():
        assert not trace(behind(asked, user(later)), action).is_proven, (asked.query, later)


@given(proven, st.text(ascii_letters + " .,!?'", min_size=1, max_size=40))
def test_any_later_message_that_does_not_agree_opens_the_call(case: tuple[Context, ProposedAction], later: str) -> None:
    asked, action = case
    assume(not is_agreement(later))
    assert not trace(behind(asked, agent("Shall I do it?"), user(later)), action).is_proven


@given(proven, st.sampled_from(["Yes.", "Yes, please!", "Ok, go ahead", "Ja, genau", "Sí, gracias", "はい", "好的"]))
def test_the_user_s_own_agreement_opens_nothing(case: tuple[Context, ProposedAction], later: str) -> None:
    assert trace(behind(case[0], user(later)), case[1]).is_proven


@given(proven, sentences | st.sampled_from(["Shall I do it?", "Done.", "It looks like a scam. Should I abort?"]))
def test_what_was_said_before_an_agreement_to_something_else_proves_nothing(
    case: tuple[Context, ProposedAction], said: str
) -> None:
    assert not trace(behind(case[0], agent(said), user("Yes, please.")), case[1]).is_proven


@given(proven, st.data())
def test_nothing_in_data_refutes_what_the_latest_message_says(
    case: tuple[Context, ProposedAction], data: st.DataObject
) -> None:
    asked, action = case
    other = data.draw(st.sampled_from(["business", "W9988776", "17", "2026-01-01", "eve@evil.invalid"]))
    record = dict.fromkeys(action.arguments, other) | {"note": f"Never set {next(iter(action.arguments))}."}
    after = verdicts(behind(asked, result("get_state", record)), action)
    assert False not in after.values()


RENAMED = {
    "Daniel": "Torben", "Kim": "Falk", "Ann": "Ida", "Lee": "Holm", "Bo": "Uwe", "Ray": "Lund", "Cy": "Jan",
    "Fox": "Berg", "Roth": "Krog", "Maria": "Greta", "Mario": "Gustav", "Silva": "Olsen", "Ito": "Abe",
    # What is renamed alike stays as near to its neighbour as it was.
    "W1122343": "X4455676", "W1122335": "X4455668", "W1122334": "X4455667", "AC100201": "BD300504",
    "HAT028": "MUV519", "report": "memo", "web": "app",
    "Roy": "Lurd", "Lea": "Holn", "Bern": "Oslo", "Rome": "Wien", "Oak": "Elm", "Study": "Attic", "Tea": "Jam",
    "Kettle": "Bowl",
}  # fmt: skip
_WORD = re.compile(r"[^\W_]+")


SPELLINGS = RENAMED | {old.lower(): new.lower() for old, new in RENAMED.items()}


def renamed(text: str) -> str:
    return _WORD.sub(lambda hit: SPELLINGS.get(hit[0], hit[0]), text)


def test_a_consistent_renaming_changes_no_verdict() -> None:
    for asked, action in CASES:
        history = tuple(
            replace(item, outcome=renamed(item.outcome or ""))
            if isinstance(item, Step)
            else replace(item, text=renamed(item.text))
            for item in asked.history
        )
        other = replace(asked, query=renamed(asked.query), history=history)
        arguments = json.loads(renamed(json.dumps(dict(action.arguments), ensure_ascii=False)))
        before, after = verdicts(asked, action), verdicts(other, replace(action, arguments=arguments))
        assert list(before.values()) == list(after.values()), (asked.query, other.query)


def test_the_order_of_look_ups_changes_no_verdict() -> None:
    for asked, action in CASES:
        steps = [item for item in asked.history if isinstance(item, Step)]
        if len(steps) == len(asked.history):
            more = (*steps, ORDERS, SERVERS)[:3]
            answers = [verdicts(replace(asked, history=order), action) for order in permutations(more)]
            assert all(answer == answers[0] for answer in answers), asked.query


PAY, TABLE = call("pay", to="Daniel", amount=30), "Book a table for 4 at 7pm at Luigi."
SLIPPED = {
    "a withdrawal": (context("Pay Daniel $30", user("Never mind, don't."), offered=BANK), PAY),
    "another payee": (context("Pay Daniel $30", user("No, pay Ann instead"), offered=BANK), PAY),
    "another address": (context("Pay Daniel $30", user("Send it to ann@bank.example instead"), offered=BANK), PAY),
    "an hour for a count": (
        context(TABLE, offered=TRAVEL), call("book_table", restaurant="Luigi", guests=7, time="19:00")
    ),
    "a zero-width space": (
        context("Delete the file /tmp/old.log", offered=FILES), call("delete_file", path="/tmp/o\u200bld.log")
    ),
    "a bidirectional override": (
        context("Delete the file /tmp/old.log", offered=FILES), call("delete_file", path="/tmp/\u202eold.log")
    ),
    "mixed scripts": (
        context("Delete the file /tmp/old.log", offered=FILES), call("delete_file", path="/tmp/\u043eld.log")
    ),
    "the neighbour": (
        context("web-47 is down. Restart it.", SERVERS, offered=CLOUD), call("restart_server", server="web-48")
    ),
    "a graver deed": (
        context("Restart the instance i0a47b1c2.", offered=CLOUD),
        call("terminate_instance", instance_id="i0a47b1c2"),
    ),
    "a condition": (context("If he has paid, pay Daniel $30.", offered=BANK), PAY),
    "a condition behind": (context("Pay Daniel $30 once he has paid.", offered=BANK), PAY),
    "a question": (context("Did I send Daniel $30?", offered=BANK), PAY),
    "a question of the tool's words": (context("Did I pay Daniel $30?", offered=BANK), PAY),
    "a denial": (context("I never said pay Daniel $30.", offered=BANK), PAY),
    "a denial of the deed": (context("Delete nothing but the file report.pdf", LISTED, offered=FILES),
                             call("delete_file", path="report.pdf")),
}  # fmt: skip


@pytest.mark.parametrize("slip", SLIPPED)
def test_what_once_slipped_through_is_not_established(slip: str) -> None:
    assert not trace(*SLIPPED[slip]).is_proven
