import pytest

from reviews.evaluation.benchmarks.call_kinds import only_reads
from reviews.provenance.core.context import ToolDoc

NUMBERS = {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_order", ""),
        ("accounts_get_status", ""),
        ("listUsers", ""),
        ("wc", "This tool belongs to a file system. Tool description: Count the words of a file."),
    ],
)
def test_a_tool_whose_verb_reads_is_a_look_up(name: str, description: str) -> None:
    assert only_reads(ToolDoc(name, description))


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("send_message", "Get in touch with somebody."),
        ("mv", "This tool belongs to a file system. Tool description: Move a file."),
        ("zap", ""),
        ("add", "Add two numbers to the ledger."),
    ],
)
def test_a_tool_whose_verb_changes_something_or_says_nothing_is_a_write(name: str, description: str) -> None:
    assert not only_reads(ToolDoc(name, description))


def test_arithmetic_changes_nothing() -> None:
    assert only_reads(ToolDoc("add", "Add two numbers.", NUMBERS))


def test_metadata_goes_before_the_name() -> None:
    assert only_reads(ToolDoc("send_message", environment_changing=False))
