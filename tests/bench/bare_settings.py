"""Settings of the floor: no middleware, and one database connection that each thread keeps."""

from tests.settings import *  # noqa: F403

MIDDLEWARE = []
# None: some refuse to start without their middleware.
INSTALLED_APPS = []
ROOT_URLCONF = "tests.bench.bare"
DATABASES["default"] = {  # noqa: F405
    **DATABASES["default"],  # noqa: F405
    "ENGINE": "django.db.backends.postgresql",
    "CONN_MAX_AGE": None,
    "OPTIONS": {},
}
