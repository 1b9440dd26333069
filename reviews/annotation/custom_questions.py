"""Questions of a manager's own, beside those about the call: one choice, several, a scale, a text.

A manager writes one a line: its kind, what it asks and, behind bars, what may be chosen.

    choice: How bad would it be? | harmless | costly | irreversible
    scale: How sure are you? | 1 | 5
    text: What would you ask the user?
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from reviews.errors import FieldProblem, InvalidCampaignError

# More than a person answers with care beside the judgement itself.
MAX_QUESTIONS: Final = 8
MAX_WORDS_LENGTH: Final = 200
MIN_OPTIONS: Final = 2
MAX_OPTIONS: Final = 12
# A scale that people can tell apart in their heads, and one page row.
MAX_SCALE: Final = 10
_MAX_DIGITS: Final = 4
MAX_TEXT_LENGTH: Final = 2_000


class CustomKind(StrEnum):
    """How a question is answered."""

    CHOICE = "choice"
    SEVERAL = "several"
    SCALE = "scale"
    TEXT = "text"


@dataclass(frozen=True)
class CustomQuestion:
    """One question."""

    name: str
    """`q1`, `q2` and so on: what answers are stored and exported by."""
    kind: CustomKind
    words: str
    options: tuple[str, ...] = ()
    """What may be chosen; of a scale every step."""

    def to_json(self) -> dict[str, Any]:
        """The question as a campaign keeps it."""
        return {"name": self.name, "kind": str(self.kind), "words": self.words, "options": list(self.options)}


def read_questions(stored: Iterable[Mapping[str, Any]]) -> list[CustomQuestion]:
    """The questions that a campaign keeps."""
    return [
        CustomQuestion(entry["name"], CustomKind(entry["kind"]), entry["words"], tuple(entry["options"]))
        for entry in stored
    ]


def spell_answers(questions: Iterable[CustomQuestion], answers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What each question asks and what was said to it; questions without an answer are left out."""
    return [
        (question.words, ", ".join(answer) if isinstance(answer, list) else str(answer))
        for question in questions
        if (answer := answers.get(question.name))
    ]


def parse_questions(text: str) -> list[CustomQuestion]:
    """The questions of a text with one a line. Raises `InvalidCampaignError` that says what is wrong with which."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_QUESTIONS:
        raise _refused(f"At most {MAX_QUESTIONS} questions.")
    return [_parse_line(line, number) for number, line in enumerate(lines, start=1)]


def _parse_line(line: str, number: int) -> CustomQuestion:
    kind, colon, rest = line.partition(":")
    words, *options = (part.strip() for part in rest.split("|"))
    if not colon or kind.strip() not in list(CustomKind) or not words or len(words) > MAX_WORDS_LENGTH:
        kinds = ", ".join(CustomKind)
        raise _refused(f"Line {number}: write a kind ({kinds}), a colon and up to {MAX_WORDS_LENGTH} characters.")
    kind = CustomKind(kind.strip())
    if kind is CustomKind.SCALE:
        options = list(_scale_steps(options, number))
    elif kind is CustomKind.TEXT and options:
        raise _refused(f"Line {number}: a text has nothing to choose from.")
    elif kind is not CustomKind.TEXT and not _are_options(options):
        raise _refused(f"Line {number}: name {MIN_OPTIONS} to {MAX_OPTIONS} different things to choose from, with |.")
    return CustomQuestion(f"q{number}", kind, words, tuple(options))


def _are_options(options: Sequence[str]) -> bool:
    short = all(0 < len(option) <= MAX_WORDS_LENGTH for option in options)
    return short and MIN_OPTIONS <= len(options) <= MAX_OPTIONS and len(set(options)) == len(options)


def _scale_steps(options: Sequence[str], number: int) -> Iterator[str]:
    match options:
        case [low, high] if _is_end(low) and _is_end(high) and 0 < int(high) - int(low) < MAX_SCALE:
            yield from map(str, range(int(low), int(high) + 1))
        case _:
            raise _refused(f"Line {number}: a scale has a first and a last number, at most {MAX_SCALE} steps: | 1 | 5.")


def _is_end(text: str) -> bool:
    return text.isdecimal() and len(text) <= _MAX_DIGITS


def check_custom(questions: Iterable[CustomQuestion], answers: Mapping[str, Any]) -> list[FieldProblem]:
    """What is wrong with these answers. None of the questions has to be answered."""
    question_by_name = {question.name: question for question in questions}
    problems = [
        FieldProblem(f"/{name}", "The campaign does not ask this.") for name in answers if name not in question_by_name
    ]
    for name, question in question_by_name.items():
        value = answers.get(name)
        if value is not None and not _fits(question, value):
            problems.append(FieldProblem(f"/{name}", "This is no answer to the question."))
    return problems


def _fits(question: CustomQuestion, answer: object) -> bool:
    match question.kind:
        case CustomKind.TEXT:
            return isinstance(answer, str) and len(answer) <= MAX_TEXT_LENGTH
        case CustomKind.SEVERAL:
            return isinstance(answer, list) and all(choice in question.options for choice in answer)
    return answer in question.options


def _refused(message: str) -> InvalidCampaignError:
    return InvalidCampaignError(FieldProblem("/custom_questions", message))
