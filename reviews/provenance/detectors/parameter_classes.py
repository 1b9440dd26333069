"""Which of a call's arguments must have a source."""

from collections.abc import Mapping
from dataclasses import dataclass

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.judges.questions.provenance_guard import ParameterClasses
from reviews.provenance.request.parameter_classes import derivable, parameter_paths, path_of


@dataclass(frozen=True)
class DerivableParameters:
    """The answer to Derivability, looked up by argument leaf."""

    tool: ToolDoc
    by_path: Mapping[str, bool | None]

    @classmethod
    def of(cls, tool: ToolDoc, answer: ParameterClasses | None) -> "DerivableParameters":
        """From a judge's answer; without one, the class of every documented parameter is open."""
        answered = {row.path: row.derivable for row in answer.parameters} if answer else {}
        return cls(tool, {path: answered.get(path) for path in parameter_paths(tool)})

    @classmethod
    def by_rule(cls, tool: ToolDoc) -> "DerivableParameters":
        """By names and types alone."""
        return cls(tool, {path: derivable(path, schema, tool) for path, schema in parameter_paths(tool).items()})

    def derivable(self, pointer: str) -> bool | None:
        """Whether the leaf must have a source; None where that is open.

        An undocumented leaf goes by its own name, then by what it is part of.
        """
        path = path_of(pointer)
        if path in self.by_path:
            return self.by_path[path]
        found = derivable(path, {}, self.tool)
        while found is None and path:
            path = path.rpartition("/")[0]
            found = self.by_path.get(path)
        return found
