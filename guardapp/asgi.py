"""ASGI entry point: Django, with the long-poll of the API in front of it."""

import os
from typing import cast

from django.conf import settings
from django.core.asgi import get_asgi_application
from granian.utils.proxies import wrap_asgi_with_proxy_headers

from guardapp import telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")

telemetry.start("web")
_django = get_asgi_application()

# Imported behind the set-up above, because it reads the settings.
from reviews.api.longpoll.app import LongPoll  # noqa: E402
from reviews.api.longpoll.asgi import Application  # noqa: E402
from reviews.api.views.metrics import serve_figures  # noqa: E402

# In each process of the server; the first one takes the port.
serve_figures()
_site = LongPoll(cast("Application", _django))

# Scheme and client's address as the proxy in front reports them; from anybody else such headers mean nothing.
application = wrap_asgi_with_proxy_headers(_site, list(settings.GUARD.trusted_proxies))
