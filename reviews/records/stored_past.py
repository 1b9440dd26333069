"""The stored beginning of a conversation, which a later submission continues."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.db.models import Func, IntegerField, QuerySet, Sum

from reviews.errors import FieldProblem, InvalidSubmissionError
from reviews.models import Action, Step, StepKind, Text, Trace
from reviews.provenance.core.context import NamedText
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.formats.observations import MIN_REPEATED_LENGTH

UNKNOWN_PAST: Final = "Nothing of this agent is stored under this name: send all of the conversation, without this."
# What makes an entry of a history, beside its trace.
_ENTRY = ("position", "kind", "digest", "tool", "arguments", "subtask", "text_id")


def lost_past(named_in: str) -> InvalidSubmissionError:
    """The refusal of a submission whose past, which this field names, was removed while it came in."""
    return InvalidSubmissionError(FieldProblem(pointer_to(named_in), UNKNOWN_PAST))


@dataclass(frozen=True)
class StoredPast:
    """A conversation's history up to a position, with the sources that an action of it was submitted with."""

    trace: Trace
    position: int
    sources: tuple[NamedText, ...]
    named_in: str
    """The field of the submission that names it."""

    @property
    def query(self) -> str:
        """The user's request."""
        return self.trace.query.body

    @cached_property
    def returned(self) -> Sequence[bool]:
        """Of each call of the history whether it returned something."""
        texts = self._steps().filter(kind=StepKind.CALL).values_list("text", flat=True)
        return [text is not None for text in texts]

    @cached_property
    def size(self) -> int:
        """Bytes of what was said and returned."""
        # Without reading a text: PostgreSQL keeps the length of what it stores apart.
        octets = Func("text__body", function="octet_length", output_field=IntegerField())
        total: int = self._steps().aggregate(total=Sum(octets, default=0))["total"]
        return total

    @cached_property
    def user_messages(self) -> Sequence[str]:
        """What the user said after the request."""
        return list(self._steps().filter(kind=StepKind.USER).values_list("text__body", flat=True))

    def is_result(self, text: str) -> bool:
        """Whether a call of the history returned this text, apart from white space around it."""
        # Asked about what stands under the user's name only, which few submissions have anything of.
        return len(text.strip()) >= MIN_REPEATED_LENGTH and text.strip() in self._results

    def digests(self) -> list[str]:
        """The hashes of the history's entries. Raises `InvalidSubmissionError`."""
        digests = list(self._steps().values_list("digest", flat=True))
        if len(digests) < self.position:
            raise lost_past(self.named_in)
        return digests

    def copy_steps(self, trace: Trace, *, after: int) -> list[Step]:
        """The entries behind this position, as unsaved rows of another revision."""
        entries = self._steps().filter(position__gt=after).values(*_ENTRY)
        return [Step(trace=trace, **entry) for entry in entries]

    @cached_property
    def _results(self) -> frozenset[str]:
        texts = self._steps().filter(kind=StepKind.CALL, text__isnull=False).values_list("text__body", flat=True)
        return frozenset(text.strip() for text in texts)

    def _steps(self) -> QuerySet[Step]:
        return Step.objects.filter(trace=self.trace, position__lte=self.position).order_by("position")


def stored_past_of(action: Action, position: int, *, named_in: str) -> StoredPast:
    """The past of the action up to this position; its trace comes with its query."""
    # What reviewers said of a try belongs to that try alone.
    listed = [source for source in action.sources if source["kind"] != SourceKind.REVIEWER]
    bodies: dict[str, str] = {}
    if listed:
        texts = Text.objects.filter(workspace=action.workspace_id, digest__in={source["digest"] for source in listed})
        bodies = dict(texts.values_list("digest", "body"))
    sources = (NamedText(SourceKind(source["kind"]), source["name"], bodies[source["digest"]]) for source in listed)
    return StoredPast(action.trace, position, tuple(sources), named_in)
