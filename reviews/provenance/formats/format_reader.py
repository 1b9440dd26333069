"""What every format's reader does: it makes a case, or a context, of a decoded body."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction
from reviews.provenance.formats.continuation import EarlierPast, Resumption
from reviews.provenance.formats.json_nodes import Node, root


@dataclass(frozen=True, kw_only=True)
class ParsedContext:
    """A submission that proposes no call, in the engine's terms."""

    context: Context
    history_given: bool = True
    """False: the submission says nothing about what happened before."""
    objects: tuple[tuple[str, JsonValue], ...] = ()
    """Every tool's schema and every call's arguments, with the pointer at which it stands. Some came as text inside
    the submission, so that whoever bounded the submission has not looked into them."""
    disbelieved: bool = False
    """A server's word that its tool only reads was not believed; it would be with `trust_annotations`."""


@dataclass(frozen=True, kw_only=True)
class Parsed(ParsedContext):
    """A submission in the engine's terms."""

    action: ProposedAction
    tool_call_id: str
    steps: Mapping[str, int]
    """Which call of the history, counted from 0, has this id; of several the latest."""
    resumption: Resumption | None
    """None where the submission says nothing about what happened before."""

    @property
    def case(self) -> Case:
        """The proposed call in its context."""
        return Case(self.context, self.action)


ParsedT = TypeVar("ParsedT", bound=ParsedContext)


@dataclass(frozen=True, kw_only=True)
class FormatReader(ABC):
    """How submissions in one format are read."""

    name: str
    """What messages call the format."""
    call_field: str
    """The field of the proposed call."""
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
        submission = root(body, earlier)
        return _with_notes(self.read_case(submission, trust_annotations=trust_annotations), submission)

    def parse_context(self, body: JsonValue, *, trust_annotations: bool = False) -> ParsedContext:
        """The submission's context alone. Raises `FormatError` naming every wrong field."""
        submission = root(body)
        return _with_notes(self.read_context(submission, trust_annotations=trust_annotations), submission)


def _with_notes(parsed: ParsedT, submission: Node) -> ParsedT:
    submission.check()
    return replace(parsed, objects=tuple(submission.notes.objects), disbelieved=submission.notes.disbelieved)
