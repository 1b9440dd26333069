"""The product's settings in the environment of the tests: for pytest, the type checker and `make lint`."""

import tests.environment  # noqa: F401  # before the settings, which read the environment
from guardapp.settings import *  # noqa: F403
