"""The same conversation, conversation in every format, is the same case."""

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reviews.provenance import formats
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.formats import Format
from tests.provenance.formats import real
from tests.provenance.formats.writers import WRITERS, Call, Conversation, Turn, case_of

FIND = Call("a", "find_contact", {"name": "Daniel"}, '{"email": "daniel@example.org"}')
SEND = Call("p", "send_email", {"to": "daniel@example.org", "copies": [1, {"deep": None}]})
TOOLS = (ToolDoc("send_email", "Sends an e-mail.", {"type": "object", "properties": {"to": {"type": "string"}}}),)

EVERYWHERE = pytest.mark.parametrize("shape", list(Format))


def check_same(conversation: Conversation, shape: Format) -> None:
    parsed = formats.parse(WRITERS[shape](conversation))
    assert parsed.case == case_of(conversation)
    assert parsed.case.context.sources == case_of(conversation).context.sources
    assert parsed.tool_call_id == conversation.proposed.id


@EVERYWHERE
def test_a_first_call(shape: Format) -> None:
    check_same(Conversation("Pay Daniel", last=Turn("I pay Daniel.", (SEND,)), tools=TOOLS), shape)


@EVERYWHERE
def test_calls_results_and_words_keep_their_order(shape: Format) -> None:
    turns = (Turn("Let me look.", (FIND,)), Turn("Which one?"), "The tall one.", Turn(calls=(FIND,)))
    check_same(Conversation("Write to Daniel", turns, Turn(calls=(SEND,))), shape)


@EVERYWHERE
def test_several_system_prompts(shape: Format) -> None:
    check_same(Conversation("Hello", system=("Be kind.", "Be brief.", "Be right.")), shape)


@EVERYWHERE
def test_unfinished_siblings_have_not_happened(shape: Format) -> None:
    check_same(Conversation("Hello", last=Turn("Both.", (SEND, Call("q", "ping", {})))), shape)


@EVERYWHERE
def test_finished_siblings_have_happened(shape: Format) -> None:
    check_same(Conversation("Hello", last=Turn("Both.", (SEND, FIND))), shape)


@EVERYWHERE
def test_an_earlier_call_without_a_result_has_none(shape: Format) -> None:
    check_same(Conversation("Hello", (Turn(calls=(Call("z", "ping", {}),)), "And?")), shape)


@EVERYWHERE
def test_ids_that_start_anew_in_every_turn(shape: Format) -> None:
    turn = Turn("Again.", (Call("0", "ping", {"n": 1}, "one"), Call("1", "ping", {"n": 2}, "two")))
    check_same(
        Conversation("Hello", (turn, turn), Turn("Now.", (Call("0", "ping", {"n": 3}), Call("1", "ping", {})))), shape
    )


# Of earlier arguments a NUL is kept as text, as whatever no call can hold.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip())
)
VALUES = st.dictionaries(TEXT, st.none() | st.integers(-9, 9) | TEXT | st.lists(TEXT, max_size=2), max_size=3)


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    numbers = itertools.count()

    def turn(results: st.SearchStrategy[str | None], least: int = 0) -> Turn:
        made = [
            Call(f"call_{next(numbers)}", draw(TEXT), draw(VALUES), draw(results))
            for _ in range(draw(st.integers(least, 3)))
        ]
        return Turn(draw(TEXT) if draw(st.booleans()) or not made else "", tuple(made))

    # Two turns of the assistant without anybody between them would be one.
    turns: list[str | Turn] = []
    for _ in range(draw(st.integers(0, 3))):
        turns += [draw(TEXT), turn(TEXT | st.none())]
    turns.append(draw(TEXT))
    # A user's message that repeats a result is that result, and no message.
    results = {call.result for each in turns if isinstance(each, Turn) for call in each.calls}
    assume(results.isdisjoint(each for each in turns if isinstance(each, str)))
    return Conversation(draw(TEXT), tuple(turns), turn(st.none(), least=1), tuple(draw(st.lists(TEXT, max_size=2))))


@given(conversations())
def test_any_conversation_is_one_case_in_every_format(conversation: Conversation) -> None:
    for shape in Format:
        check_same(conversation, shape)


@real.needs(real.AGENTDOJO)
@pytest.mark.parametrize("suite", ["banking", "slack", "travel", "workspace"])
def test_agentdojos_conversations(suite: str) -> None:
    conversations = list(real.agentdojo(suite))
    assert len(conversations) > 10
    for conversation in conversations:
        for shape in Format:
            check_same(conversation, shape)


@real.needs(real.ASB)
@pytest.mark.parametrize("log", ["opi_gpt-4o_naive-all.csv", "clean_gpt-4o_dynamic_prompt_rewriting.csv"])
def test_asbs_conversations(log: str) -> None:
    conversations = list(real.asb(log, most=100))
    assert len(conversations) == 100
    for conversation in conversations:
        for shape in Format:
            check_same(conversation, shape)
