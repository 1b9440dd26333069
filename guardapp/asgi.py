"""ASGI entry point: Django, with the long-poll of the API in front of it."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")

django.setup(set_prefix=False)

# Imported behind the set-up above, because both read the settings.
from guardapp.handler import ThreadedDjango  # noqa: E402
from reviews.api.longpoll.app import LongPoll  # noqa: E402
from reviews.api.longpoll.looks import Looks  # noqa: E402

application = LongPoll(ThreadedDjango(), Looks())
