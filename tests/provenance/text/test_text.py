import pytest

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, SourceKind, Step, ToolDoc
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import ground, ground_arguments
from tests.provenance.grounding.checks import check_grounded, grounded, page


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Daniel", "Request $30 from Daniel"),
        ("Daniel", "Is this Daniel's?"),
        ("daniel.kim@example.com", "Write to daniel.kim@example.com."),
        ("front", "the front-end board"),
        ("INV-2041", "Pay INV-2041, please"),
        ("/var/log/app.log", "Rotate /var/log/app.log now"),
        ("C:\\new\\table", "Open C:\\new\\table"),
        ("00000479", "Delete 00000479"),
        ("日本語", "「日本語」 and more"),
        ("🎉 party", "call it 🎉 party tomorrow"),
    ],
)
def test_a_verbatim_value_is_copied(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.COPY, quotes=(value,))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Al", "Ask Alex"),
        ("30", "Pay 1300"),
        ("30", "Pay 30.5"),
        ("30", "Pay INV-30"),
        ("30", "since 2026-11-30"),
        ("30", "at 12:30"),
        ("30", "over 1,30,000"),
        ("kim@example.com", "daniel.kim@example.com"),
        ("kim@example.com", "daniel-kim@example.com"),
        ("a@example.com", "a@example.com.evil.test"),
        ("00000479", "Delete 479"),
        ("example.com", "see example.com.evil.test"),
        ("report", "reporting"),
    ],
)
def test_a_piece_of_something_larger_is_no_source(value: str, text: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.UNGROUNDED)


@pytest.mark.parametrize(
    ("value", "text", "quote"),
    [
        ("In Progress", "move it to in progress", "in progress"),
        ("in_progress", "move it to In-Progress.", "In-Progress"),
        ("Front end", "on the frontend board", "frontend"),
        ("José Müller", "ask Jose Mu\u0308ller", "Jose Mu\u0308ller"),
        ("Jose", "ask José", "José"),
        ("STRASSE 5", "Straße 5 is it", "Straße 5"),
        ("it's fine", "say it\u2019s fine", "it\u2019s fine"),
        ("file", "the \ufb01le", "\ufb01le"),
        ("two words", "two \n  words", "two \n  words"),
        ("wide", "\uff57\uff49\uff44\uff45 open", "\uff57\uff49\uff44\uff45"),
        ("+1 (555) 123-4567", "call 555 123 4567", "555 123 4567"),
        ("+15551234567", "call +1 (555) 123-4567 now", "+1 (555) 123-4567"),
    ],
)
def test_another_spelling_is_normalised(value: str, text: str, quote: str) -> None:
    check_grounded(value, in_text=text, how=Grounding.NORMALIZE, quotes=(quote,))


def test_escapes_of_a_tool_output_are_read_with_exact_offsets() -> None:
    output = '[{"id": 7, "name": "Ren\\u00e9e \\ud83d\\ude00 Roy", "note": "line\\nbreak"}]'
    check_grounded("Renée 😀 Roy", outputs=(output,), how=Grounding.COPY, quotes=("Ren\\u00e9e \\ud83d\\ude00 Roy",))
    check_grounded("line\nbreak", outputs=(output,), how=Grounding.COPY, quotes=("line\\nbreak",))


def test_the_most_trusted_source_is_cited() -> None:
    found = check_grounded("Kim", in_text="Ask Kim", outputs=("Kim", "Kim"), how=Grounding.COPY)
    assert (found.spans[0].source, found.trust, found.kinds) == ("query", 1.0, frozenset({SourceKind.USER_QUERY}))


def test_of_equally_trusted_sources_the_latest_is_cited() -> None:
    assert grounded("Kim", in_text="Ask them", outputs=("Kim", "Kim")).spans[0].source == "history/2/outcome"


def test_what_the_agent_wrote_is_no_evidence() -> None:
    history = (Step("find", {"name": "Kim Lee"}, "nothing"), Message("assistant", "I will ask Kim Lee"))
    assert ground("Kim Lee", Context("Ask them", history=history), pointer="/name").how is Grounding.UNGROUNDED


def test_an_outcome_that_repeats_the_call_is_no_evidence() -> None:
    check_grounded(
        "bob@example.com",
        in_text="Ask Bob",
        outputs=("No user bob@example.com",),
        called_with={"email": "bob@example.com"},
        how=Grounding.UNGROUNDED,
    )


def test_a_record_shows_that_what_was_looked_up_exists() -> None:
    record = '{"id": "C-12", "name": "Acme"}'
    check_grounded("C-12", outputs=(record,), called_with={"id": "C-12"}, how=Grounding.COPY, quotes=("C-12",))


def test_the_examples_of_a_tool_document_are_no_evidence() -> None:
    tool = ToolDoc("act", "Example: act(to='sam@example.com')", {"properties": {"to": {"type": "string"}}})
    found = ground_arguments(Case(Context("Ask Sam", (tool,)), ProposedAction("act", {"to": "sam@example.com"})))
    assert found[0].how is Grounding.UNGROUNDED


def test_memories_and_skills_are_evidence_with_their_trust() -> None:
    context = Context("Book it", extra=(NamedText(SourceKind.MEMORY, "me", "Prefers aisle seats"),))
    found = ground("aisle", context, pointer="/seat")
    assert (found.how, found.trust) == (Grounding.COPY, 0.6)


def test_a_part_of_an_address_or_path_is_derived() -> None:
    check_grounded("daniel.kim", in_text="to daniel.kim@example.com", how=Grounding.DERIVE, quotes=("daniel.kim",))
    check_grounded("Daniel Kim", in_text="to daniel.kim@example.com", how=Grounding.DERIVE, quotes=("daniel.kim",))
    check_grounded("octo/repo", in_text="see https://github.com/octo/repo/issues", how=Grounding.DERIVE)


def test_a_list_in_one_string_is_put_together() -> None:
    check_grounded("a@x.test, b@x.test", in_text="to b@x.test and a@x.test", how=Grounding.DERIVE)
    check_grounded("a@x.test, c@x.test", in_text="to b@x.test and a@x.test", how=Grounding.UNGROUNDED)


def test_a_mix_is_only_as_trusted_as_its_worst_part() -> None:
    found = grounded("/srv/data/report.txt", in_text="the file report.txt", extra=(page("p", "use /srv/data here"),))
    assert (found.how, found.trust) == (Grounding.DERIVE, 0.4)


@pytest.mark.parametrize(
    ("value", "text", "nearest"),
    [
        (300, "Request $30 from Daniel, 14 days", "$30"),
        ("daniel@corp.example", "write daniel.kim@corp.example or zoe@other.test", "daniel.kim@corp.example"),
        ("2026-11-22", "on November 21", "November 21"),
        ("Danial Kimm", "Ask Daniel Kim about it", "Daniel Kim"),
        ("zzzz", "Ask", None),
    ],
)
def test_a_value_without_source_comes_with_the_nearest_thing(value: object, text: str, nearest: str | None) -> None:
    assert (found := grounded(value, in_text=text)).how is Grounding.UNGROUNDED
    assert (found.nearest.quote if found.nearest else None) == nearest
