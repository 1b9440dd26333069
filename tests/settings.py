"""The product's settings in the environment of the tests: for pytest, the type checker and `make lint`."""

import tests.environment  # noqa: F401  # before the settings, which read the environment
from guardapp.settings import *  # noqa: F403

# The cast signs in hundreds of times; hashing its passwords slowly would prove nothing.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Nothing is collected for a test: files are served from where they lie.
STATIC_ROOT = None  # type: ignore[assignment]  # the product has a folder
