"""What the stages of one check share about the proposed call: each part is read, or asked for, once."""

import asyncio
from functools import cached_property

from reviews.provenance.core.context import Case, ProposedAction, ToolDoc
from reviews.provenance.detectors.provenance_guard.call_support import Supported, ask_support
from reviews.provenance.detectors.severity import is_lookup
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.detectors.value_findings import classes_of
from reviews.provenance.grounding import GroundedCall, Grounder
from reviews.provenance.judges.base import Unknown
from reviews.provenance.terms.derivability import DerivableParameters


class SharedCall:
    """The proposed call of a check."""

    def __init__(self, case: Case) -> None:
        self.case = case
        # A tool that nobody documented is rejected before anything is read of its document.
        self.document = case.context.tool(case.action.tool) or ToolDoc(case.action.tool)
        self._grounder = Grounder(case.context)
        # Whoever comes second waits for the first one's answer; if the first is cancelled, the second asks.
        self._asking = asyncio.Lock()
        self._classes: DerivableParameters | None = None
        self._support: Supported | Unknown | None = None

    @cached_property
    def grounded(self) -> GroundedCall:
        """What tracing it tells."""
        return self.trace(self.case.action)

    @cached_property
    def is_lookup(self) -> bool:
        """Whether it only looks something up, for all that name and document tell."""
        return is_lookup(self.document, self.case.action)

    def trace(self, action: ProposedAction) -> GroundedCall:
        """Any call in the same context, traced."""
        return self._grounder.trace_call(action)

    async def classes(self, stage: Stage) -> DerivableParameters:
        """Which of the tool's parameters must have a source."""
        async with self._asking:
            return await self._known_classes(stage)

    async def support(self, stage: Stage) -> Supported | Unknown:
        """What the judge says of the call and of its open values."""
        async with self._asking:
            if self._support is None:
                classes = await self._known_classes(stage)
                leaves = (leaf for leaf in self.grounded.leaves if leaf.holds is None and leaf.needs_source(classes))
                self._support = await ask_support(self.case, leaves, stage)
            return self._support

    async def _known_classes(self, stage: Stage) -> DerivableParameters:
        if self._classes is None:
            self._classes = await classes_of(self.document, stage)
        return self._classes
