"""The quickstarts on the documentation page: each is a file, as its reader pastes it, and a test runs it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviews import agents

FOLDER: Final = Path(agents.__file__).parent / "quickstarts"
# What stands in the files for the guard's address and the reader's key.
ADDRESS: Final = "https://guard.example"
KEY: Final = "pgr_YOUR_KEY"


@dataclass(frozen=True)
class Quickstart:
    """The lines that put the guard around the tools of one framework."""

    file: str
    title: str
    packages: str
    """What to install beside the guard's client; empty where nothing is."""
    about: str
    """What the reader has already."""


QUICKSTARTS: Final = (
    Quickstart(
        "curl.sh",
        "curl",
        "",
        "Propose, wait, take the permission, run, report; ACTION is the id of the first answer.",
    ),
    Quickstart(
        "any_loop.py", "Python, any loop", "", "For each call of a model's message, in the shape of any provider's SDK."
    ),
    Quickstart("anthropic_loop.py", "Anthropic", "anthropic", "A loop over the Messages API, with your tools."),
    Quickstart("openai_agents_run.py", "OpenAI Agents SDK", "openai-agents", "Your tools are function tools."),
    Quickstart("langchain_agent.py", "LangChain, LangGraph", "langchain", "A middleware of the agent."),
    Quickstart("pydantic_ai_agent.py", "Pydantic AI", "pydantic-ai-slim", "A toolset around your functions."),
    Quickstart("ai_sdk.mjs", "AI SDK (JavaScript)", "ai", "Your tools, guarded by the package for Node.js."),
    Quickstart("google_adk_runner.py", "Google ADK", "google-adk", "A plugin of the runner, around all its agents."),
    Quickstart("crewai_crew.py", "CrewAI", "crewai", "Your tools, wrapped for one task."),
    Quickstart("inspect_ai_task.py", "Inspect", "inspect-ai", "An approver of the evaluation."),
)


@dataclass(frozen=True)
class Snippet:
    """A quickstart as the page shows it."""

    quickstart: Quickstart
    id: str
    pieces: tuple[str, ...]
    """The text before, between and behind the places of the key."""


def read_snippets(address: str) -> Iterator[Snippet]:
    """All of them, towards the guard at this address."""
    for quickstart in QUICKSTARTS:
        text = (FOLDER / quickstart.file).read_text(encoding="utf-8").strip()
        name = quickstart.file.partition(".")[0]
        yield Snippet(quickstart, f"quickstart-{name}", tuple(text.replace(ADDRESS, address).split(KEY)))
