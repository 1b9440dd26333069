"""Every scenario by its name."""

from collections.abc import Callable, Mapping
from datetime import date
from types import ModuleType
from typing import Final, TypeAlias

from reviews.agents.examples import calendar, cloud, crm, files, mail, payments
from reviews.agents.examples.scenario import Scenario
from reviews.agents.examples.world import World

Build: TypeAlias = Callable[[World], Scenario]

_DOMAINS: Final[tuple[ModuleType, ...]] = (payments, mail, calendar, files, crm, cloud)

BUILDS: Final[Mapping[str, Build]] = {
    f"{domain.__name__.rpartition('.')[2]}.{build.__name__}": build for domain in _DOMAINS for build in domain.SCENARIOS
}
"""How each scenario is made, by domain and name."""


def build_scenario(name: str, *, seed: str, today: date) -> Scenario:
    """The scenario with the particulars of this seed. The same three give the same conversation."""
    return BUILDS[name](World(f"{name}/{seed}", today))
