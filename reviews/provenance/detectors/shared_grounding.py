"""Grounding shared by the stages of one check."""

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

from reviews.provenance.core.context import Case
from reviews.provenance.grounding import GroundedCall, Grounder

Ground: TypeAlias = Callable[[Case], GroundedCall]


class SharedGround:
    """Traces calls, above all one; what it reads of that call's context it reads once."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._grounder = Grounder(case.context)

    def __call__(self, case: Case) -> GroundedCall:
        """The call, traced."""
        if case is self._case:
            return self._proposed
        # A context with blanked orders is another one: its texts have to be read anew.
        grounder = self._grounder if case.context is self._case.context else Grounder(case.context)
        return grounder.trace_call(case.action)

    @cached_property
    def _proposed(self) -> GroundedCall:
        return self._grounder.trace_call(self._case.action)
