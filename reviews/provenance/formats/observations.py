"""Results that text agents hand back to their model under the user's name. Nobody may take them for the user's word."""

import re
from typing import Final

from reviews.provenance.formats.continuation import EarlierPast
from reviews.provenance.formats.json_nodes import Node

TOOL: Final = "observation"
"""Stands for the tool of a result of which nobody says where it comes from."""
MIN_REPEATED_LENGTH: Final = 12
"""Characters from which a message that repeats a result is that result: "OK", a name, a number are answers, too."""
# How text agents mark what a tool returned: words of their protocols, written by programs and in no other language.
_MARK: Final = re.compile(
    r"""(?m:^)[^\S\n]*(?:
        # ReAct, and all that parse it (LangChain, LlamaIndex, smolagents, CrewAI): `Observation:`, `Observation 1:`.
        (?:\*\*)?\[?observation(?:[ ]\d{1,4})?\]?(?:\*\*)?[ ]?:(?:\*\*)?
        # Inspect, CrewAI, agno: `[Tool result for pay]`, `Tool results from previous tool calls:`.
        | \[tool[ ](?:results?|outputs?|responses?)(?:[ ][^\n\]]{1,200})?\]
        | tool[ ](?:results?|outputs?|responses?)(?:[ ](?:for|from)[ ][^\n:]{1,200})?:
        # Chat templates of Hermes and Qwen, Anthropic's and Mistral's before they had roles for tools.
        | (?=</?(?:tool_response|tool_result|tool_output|function_result|function_response|observation)s?[\s>])
        | (?=\[TOOL_RESULTS\])
    )\s*""",
    re.IGNORECASE | re.VERBOSE,
)


class Results:
    """What tools returned, as far as a message under the user's name could repeat it: such a one is that result."""

    def __init__(self, earlier: EarlierPast | None) -> None:
        self._earlier = earlier
        self._texts: set[str] = set()

    def add(self, text: str) -> None:
        """Note a result."""
        if len(text.strip()) >= MIN_REPEATED_LENGTH:
            self._texts.add(text.strip())

    def __contains__(self, text: str) -> bool:
        return text.strip() in self._texts or (self._earlier is not None and self._earlier.is_result(text))


def is_from_tool(message: Node) -> bool | None:
    """Whether a message under the user's name says that a tool or a program wrote it; None: it does not say."""
    author = message.member("from")
    author.expect("user", "tool")
    if author.present:
        return bool(author.value == "tool")
    # Inspect's, of what a call returned and its provider takes from the user alone; and LangChain's, of summaries and
    # whatever else its middleware adds.
    written_by_program = (message.member("tool_call_id"), message.member("additional_kwargs").member("lc_source"))
    return True if any(place.present for place in written_by_program) else None


def refuse_tools_word(message: Node) -> None:
    """Note a message of more trust than a tool has that says that a tool wrote it."""
    if message.member("from").value == "tool":
        message.member("from").note_problem("What a tool wrote stands in a message of its own role, or of the user's.")


def split_observation(text: str) -> tuple[str, str | None]:
    """What stands before the first mark of a result, and the result; None where no line is marked as one.

    Agents with a single prompt add to it what tools returned, line by line, and their model's own words.
    """
    mark = _MARK.search(text)
    return (text[: mark.start()], text[mark.end() :]) if mark else (text, None)
