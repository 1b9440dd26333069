"""Paths that the user calls by their last part."""

from reviews.provenance.core.context import Step
from tests.provenance.grounding.test_singled_out import holds, traced

SCORES = Step(
    "list_scores", {}, "| path | pages |\n|---|---|\n| /choir/2025/agnus-dei.pdf | 4 |\n| /choir/2025/kyrie.pdf | 6 |"
)
TWICE = Step("list_scores", {}, '["/choir/2024/kyrie.pdf", "/choir/2025/kyrie.pdf"]')


def test_the_one_path_with_the_name_that_is_said_is_meant() -> None:
    assert holds(traced("print kyrie.pdf", {"path": "/choir/2025/kyrie.pdf"}, SCORES)["path"])


def test_of_two_paths_with_that_name_none_is_singled_out() -> None:
    assert not holds(traced("print kyrie.pdf", {"path": "/choir/2025/kyrie.pdf"}, TWICE)["path"])
