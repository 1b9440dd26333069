"""Every objection that looks at one value by itself: a module of this folder with `WHY` and `against`."""

import importlib
import pkgutil
from functools import cache
from typing import Protocol

from reviews.provenance.core.budget import Budget
from reviews.provenance.grounding import objections as folder
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf


class Objection(Protocol):
    """What such a module holds."""

    WHY: Why
    """Its place in the table of what overrules what."""

    def against(self, leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
        """What the context says against the value; None where it says nothing, or rules cannot tell."""


@cache
def objections() -> tuple[Objection, ...]:
    """Every objection of the folder, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    modules = (importlib.import_module(f"{folder.__name__}.{name}") for name in names)
    return tuple(module for module in modules if hasattr(module, "WHY"))
