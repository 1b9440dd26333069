"""ASGI entry point: Django, with the long-poll of the API in front of it."""

import gc
import multiprocessing
import os
import signal

import django
from django.conf import settings
from granian.utils.proxies import wrap_asgi_with_proxy_headers

from guardapp import telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")

telemetry.start_tracing("web")
django.setup(set_prefix=False)

# Imported behind the set-up above, because both read the settings.
from guardapp.asgi_handler import ThreadedDjango  # noqa: E402
from reviews.api.longpoll.batched_queries import BatchedDecisionPoller  # noqa: E402
from reviews.api.longpoll.long_poll import LongPoll  # noqa: E402
from reviews.api.views.metrics import serve_figures  # noqa: E402
from reviews.scheduling.worker_process import end_with_parent  # noqa: E402

# A server that was killed can end none of its processes: they would answer on, beside those of the next one. By the
# kernel's hand: one that still starts has the server's handler for a polite signal, or waits for ever in its own.
if (server := multiprocessing.parent_process()) is not None:
    end_with_parent(signal.SIGKILL, parent=server.pid)
# In each process of the server; the first one takes the port.
serve_figures()
_site = LongPoll(ThreadedDjango(), BatchedDecisionPoller())

# What is imported by now stays for as long as the process: the collector need not look at it again.
gc.collect()
gc.freeze()

# Scheme and client's address as the proxy in front reports them; from anybody else such headers mean nothing.
application = wrap_asgi_with_proxy_headers(_site, list(settings.GUARD.trusted_proxies))
