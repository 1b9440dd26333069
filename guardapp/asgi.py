"""ASGI entry point: Django, with the long-poll of the API in front of it."""

import os
from typing import cast

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")

_django = get_asgi_application()

# Imported behind the set-up above, because it reads the settings.
from reviews.api.longpoll.app import LongPoll  # noqa: E402
from reviews.api.longpoll.asgi import Application  # noqa: E402

application = LongPoll(cast("Application", _django))
