"""The made conversations: two Daniels, roles, negation, conditions, questions, corrections, units, other languages."""

from tests.provenance.argument_grounding.made import Made
from tests.provenance.argument_grounding.pairs.journeys import CARE, TRIPS
from tests.provenance.argument_grounding.pairs.languages import LANGUAGES
from tests.provenance.argument_grounding.pairs.machines import LIVING, OPERATIONS, STORAGE
from tests.provenance.argument_grounding.pairs.money import BANKING, SHOPPING
from tests.provenance.argument_grounding.pairs.office import CORRESPONDENCE, PLANNING, SUPPORT

PAIRS: tuple[Made, ...] = (
    *BANKING, *CORRESPONDENCE, *PLANNING, *STORAGE, *OPERATIONS, *SHOPPING, *TRIPS, *LIVING, *CARE, *SUPPORT,
    *LANGUAGES,
)  # fmt: skip
