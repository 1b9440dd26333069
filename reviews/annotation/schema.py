"""What a campaign asks about each item, what an answer holds, and when it is complete."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from reviews.errors import FieldProblem, InvalidAnnotationError
from reviews.models import Judgement, MisalignmentType
from reviews.models.annotations import Judged
from reviews.provenance.core.bounds import find_unacceptable_parts
from reviews.provenance.core.context import Case, JsonValue, Span
from reviews.provenance.core.findings import Relation

# Characters: about three pages, as much as a reviewer may write to an agent.
MAX_NOTE_LENGTH: Final = 8_000
# A sentence or two each; nobody reads more readings than this of one request.
MAX_READING_LENGTH: Final = 1_000
MAX_READINGS: Final = 10
# As many as a page can mark in one text.
MAX_SPANS: Final = 60
# As deep as a proposed call may be by default; a corrected one has no reason to be deeper.
MAX_NESTING: Final = 64


class Question(StrEnum):
    """What may be asked besides the judgement, which every campaign asks."""

    TYPE = "type"
    RELATION = "relation"
    STEP = "step"
    EVIDENCE = "evidence"
    CORRECTION = "correction"
    INTERPRETATIONS = "interpretations"


ALL_QUESTIONS: Final = tuple(Question)
# Those of the paper's six that say why a call is misaligned; the others belong to further methods.
RELATIONS: Final = (
    Relation.SPECIFIED_BY,
    Relation.CONTRIBUTE_TO,
    Relation.RELEVANT_TO,
    Relation.APPEAR_IN,
    Relation.DERIVED_FROM,
    Relation.CAN_ADDRESS,
)


@dataclass(frozen=True)
class Answer:
    """One label, before it is stored."""

    judgement: str
    misalignment: str = ""
    relation: str = ""
    first_misaligned_step: int | None = None
    """From 1; one more than the history is long for the proposed call itself."""
    evidence: tuple[Span, ...] = ()
    corrected_tool: str = ""
    corrected_arguments: Mapping[str, JsonValue] | None = None
    interpretations: tuple[str, ...] = field(default=())
    note: str = ""

    def to_columns(self) -> dict[str, Any]:
        """The values of the columns that annotations and adjudications share."""
        return {
            "judgement": self.judgement,
            "misalignment": self.misalignment,
            "relation": self.relation,
            "first_misaligned_step": self.first_misaligned_step,
            "evidence": [asdict(span) for span in self.evidence],
            "corrected_tool": self.corrected_tool,
            "corrected_arguments": None if self.corrected_arguments is None else dict(self.corrected_arguments),
            "interpretations": list(self.interpretations),
            "note": self.note,
        }

    @classmethod
    def from_row(cls, row: Judged) -> "Answer":
        """The answer that a row keeps."""
        return cls(
            judgement=row.judgement,
            misalignment=row.misalignment,
            relation=row.relation,
            first_misaligned_step=row.first_misaligned_step,
            evidence=tuple(Span(**span) for span in row.evidence),
            corrected_tool=row.corrected_tool,
            corrected_arguments=row.corrected_arguments,
            interpretations=tuple(row.interpretations),
            note=row.note,
        )


def check_answer(answer: Answer, case: Case) -> None:
    """Raises `InvalidAnnotationError`, with a problem for each field, unless the answer fits the case."""
    problems = [FieldProblem(pointer, message) for pointer, message in _answer_problems(answer, case)]
    if problems:
        raise InvalidAnnotationError(*problems)


def _answer_problems(answer: Answer, case: Case) -> Iterator[tuple[str, str]]:
    if answer.judgement not in Judgement.values:
        yield "/judgement", "Say whether the call is aligned, misaligned, or cannot be told."
    if answer.judgement == Judgement.MISALIGNED:
        yield from _failure_problems(answer, case)
    elif answer.misalignment or answer.relation or answer.first_misaligned_step is not None:
        yield "/misalignment", "Only a misaligned call has a type, a failing relation or a first misaligned step."
    # What is quoted must stand in the source to the character, so that an export can be verified anywhere.
    if len(answer.evidence) > MAX_SPANS:
        yield "/evidence", f"At most {MAX_SPANS} stretches can be marked."
    if not all(map(case.context.verifies, answer.evidence)):
        yield "/evidence", "A marked stretch does not stand in its text."
    if (answer.corrected_arguments is None) != (not answer.corrected_tool):
        yield "/correction", "A corrected call names its tool and its arguments."
    if answer.corrected_arguments is not None:
        yield from find_unacceptable_parts(
            dict(answer.corrected_arguments), max_nesting=MAX_NESTING, at="/correction", exact=True
        )
    readings = answer.interpretations
    if len(readings) > MAX_READINGS or any(len(reading) > MAX_READING_LENGTH for reading in readings):
        yield "/interpretations", f"At most {MAX_READINGS} readings of {MAX_READING_LENGTH} characters."
    if len(answer.note) > MAX_NOTE_LENGTH:
        yield "/note", f"At most {MAX_NOTE_LENGTH} characters."


def _failure_problems(answer: Answer, case: Case) -> Iterator[tuple[str, str]]:
    """What is wrong with how a misaligned call fails."""
    if answer.misalignment not in MisalignmentType.values:
        yield "/misalignment", "Say what kind of failure it is."
    if answer.relation and answer.relation not in RELATIONS:
        yield "/relation", "There is no such relation."
    last = len(case.context.history) + 1
    if answer.first_misaligned_step is not None and not 1 <= answer.first_misaligned_step <= last:
        yield "/first_misaligned_step", f"The steps count from 1 to {last}, which is the proposed call."
