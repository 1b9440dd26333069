"""What every format's reader does: it makes a case, or a context, of a decoded body."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from reviews.provenance.core.context import JsonValue
from reviews.provenance.formats.continuation import EarlierPast
from reviews.provenance.formats.json_nodes import Node, Parsed, ParsedContext, root


@dataclass(frozen=True, kw_only=True)
class FormatReader(ABC):
    """How submissions in one format are read."""

    name: str
    """What messages call the format."""
    past_fields: frozenset[str]
    """The fields of what happened before."""

    @abstractmethod
    def read_case(self, submission: Node, *, trust_annotations: bool) -> Parsed:
        """The proposed call in its context."""

    @abstractmethod
    def read_context(self, submission: Node, *, trust_annotations: bool) -> ParsedContext:
        """The context alone. A plan is held against the user's request, and so needs one."""

    def parse(self, body: JsonValue, *, trust_annotations: bool = False, earlier: EarlierPast | None = None) -> Parsed:
        """The submission as a case; `earlier` is what it continues. Raises `FormatError` naming every wrong field."""
        return self.read_case(root(body, earlier), trust_annotations=trust_annotations)

    def parse_context(self, body: JsonValue, *, trust_annotations: bool = False) -> ParsedContext:
        """The submission's context alone. Raises `FormatError` naming every wrong field."""
        return self.read_context(root(body), trust_annotations=trust_annotations)
