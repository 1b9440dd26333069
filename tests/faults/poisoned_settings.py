"""The settings of a stack whose workers run the poisonable detector; importing them changes the registry for good."""

from reviews.provenance import detectors
from tests.faults import poisoned
from tests.settings import *  # noqa: F403

detectors.build = poisoned.build
