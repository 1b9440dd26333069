"""Grounding shared by the stages of one check."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

from reviews.provenance.core.context import Case
from reviews.provenance.grounding import Grounded, Grounder

Ground: TypeAlias = Callable[[Case], tuple[Grounded, ...]]


class SharedGround:
    """Traces the arguments of calls, above all of one; what it reads of that call's context it reads once."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._grounder = Grounder(case.context)

    def __call__(self, case: Case) -> tuple[Grounded, ...]:
        """Every leaf of the call's arguments."""
        if case is self._case:
            return self._proposed
        # A context with blanked orders is another one: its texts have to be read anew.
        grounder = self._grounder if case.context is self._case.context else Grounder(case.context)
        return grounder.arguments(case.action)

    @cached_property
    def _proposed(self) -> tuple[Grounded, ...]:
        return self._grounder.arguments(self._case.action)
