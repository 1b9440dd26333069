"""Agent-SafetyBench's requests that lack something the agent would need: what is asked with which tools, and no calls.

Reads every JSON file of the folder and the tool documents under `environments/` (see the NOTICE). Nothing is labelled:
people say what a request may mean. What an environment holds is its data and no source before a tool has returned it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from reviews.evaluation.benchmarks.base import Benchmark, LabelledCase, LabelledTrace, Outcome, Recorded
from reviews.evaluation.benchmarks.reading import iter_listed_records, list_json_files, read_json
from reviews.provenance.core.context import Case, ProposedAction
from reviews.provenance.formats import openai

NO_CALL: Final = ProposedAction("", {})
"""Stands where a case has a call, in a set of requests without any."""

Data = Mapping[str, Any]


@dataclass(frozen=True)
class AgentSafetyBench(Benchmark):
    """Agent-SafetyBench's requests, in a folder of JSON files."""

    folder: Path
    name: str = "agent-safetybench"

    def iter_records(self) -> Iterator[Recorded]:
        """Every request, not yet read, as a trace whose one case has no call. Raises `TraceDataError`."""
        return iter_listed_records(self.folder, "record", self._read_trace)

    def _read_trace(self, request: Data) -> LabelledTrace:
        name = f"agent-safetybench/{request['id']}"
        tools: dict[str, Data] = {}
        for environment in request["environments"]:
            documents = self._tool_documents[environment["name"]]
            tools |= {tool: documents[tool] for tool in environment["tools"]}
        # Few requests come with a conversation; it then holds the request itself.
        messages = request.get("dialog") or [{"role": "user", "content": request["instruction"]}]
        context = openai.parse_context({"messages": messages, "tools": list(tools.values())}).context
        case = LabelledCase(f"{name}/request", "request", Case(context, NO_CALL), wrong=None)
        group = "+".join(environment["name"] for environment in request["environments"])
        return LabelledTrace(name, group, Outcome.OTHER, (case,))

    @cached_property
    def _tool_documents(self) -> Mapping[str, Mapping[str, Data]]:
        """Each environment's tool documents by name."""
        paths = list_json_files(self.folder / "environments")
        return {path.stem: {tool["name"]: tool for tool in read_json(path)} for path in paths}
