import pytest

from reviews.annotation.custom_questions import check_custom, parse_questions, read_questions
from reviews.errors import InvalidAnnotationError, InvalidCampaignError
from tests.annotation.study import study
from tests.cast import Cast

LINES = """
choice: How bad would it be? | harmless | costly
several: What is wrong? | value | tool | time
scale: How sure are you? | 1 | 5
text: What would you ask?
"""


def test_questions_are_read_from_lines_and_kept() -> None:
    questions = parse_questions(LINES)
    assert [(question.name, str(question.kind), len(question.options)) for question in questions] == [
        ("q1", "choice", 2), ("q2", "several", 3), ("q3", "scale", 5), ("q4", "text", 0),
    ]  # fmt: skip
    assert read_questions(question.to_json() for question in questions) == questions


@pytest.mark.parametrize(
    "line",
    [
        "How bad?",
        "guess: How bad?",
        "choice: Bad? | one",
        "choice: Bad? | a | a",
        "scale: Sure? | 1 | 90",
        "scale: Sure? | 1000 | 10010000",
        "scale: Sure? | 10000 | 10005",
        "text: a | b",
    ],
)
def test_a_line_that_is_no_question_is_refused(line: str) -> None:
    with pytest.raises(InvalidCampaignError):
        parse_questions(line)


def test_answers_fit_their_questions() -> None:
    questions = parse_questions(LINES)
    assert check_custom(questions, {"q1": "costly", "q2": ["value", "time"], "q3": "4", "q4": "When?"}) == []
    wrong = {"q1": "other", "q2": "value", "q3": "9", "q9": "?"}
    assert {problem.pointer for problem in check_custom(questions, wrong)} == {"/q1", "/q2", "/q3", "/q9"}


def test_an_answer_keeps_what_the_campaign_asked(cast: Cast) -> None:
    running = study(cast, items=1, custom_questions=parse_questions(LINES))
    assert running.given(0, custom={"q1": "costly"}).custom == {"q1": "costly"}
    with pytest.raises(InvalidAnnotationError):
        running.given(1, custom={"q1": "unheard of"})
