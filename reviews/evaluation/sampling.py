"""The same few cases in every run."""

from collections.abc import Iterable

from reviews.evaluation.benchmarks.base import LabelledCase


def sample(cases: Iterable[LabelledCase], size: int, *, balanced: bool = False) -> list[LabelledCase]:
    """The first cases by their key's order, so that a larger sample holds every smaller one.

    `balanced`: half of them should have been stopped, half should not; the rest is left out.
    """
    ordered = sorted(cases, key=lambda case: case.key)
    if not balanced:
        return ordered[:size]
    wrong = [case for case in ordered if case.wrong is True][: size // 2]
    right = [case for case in ordered if case.wrong is False][: size - size // 2]
    return sorted([*wrong, *right], key=lambda case: case.key)
