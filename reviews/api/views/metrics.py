"""Figures for Prometheus: what this container's processes counted, and what stands in the database."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from reviews.messaging import metrics
from reviews.scheduling import prometheus_gauges


@require_safe
@never_cache
def exposition(request: HttpRequest) -> HttpResponse:
    """The figures in Prometheus' text format, for whoever holds METRICS_TOKEN. Without a token set there is no page."""
    token = settings.GUARD.metrics_token
    if token is None:
        raise Http404
    scheme, _, token_sent = request.headers.get("Authorization", "").partition(" ")
    # In constant time, so that nobody can find the token character by character.
    matches = hmac.compare_digest(token_sent.strip().encode(), token.get_secret_value().encode())
    if scheme.lower() != "bearer" or not matches:
        return HttpResponse("A bearer token is needed.\n", status=401, headers={"WWW-Authenticate": "Bearer"})
    body = generate_latest(metrics.process_registry()) + generate_latest(prometheus_gauges.gauge_registry())
    return HttpResponse(body, content_type=CONTENT_TYPE_LATEST)


def serve_figures() -> None:
    """Serve the same on METRICS_PORT, if it is set, in whichever process of the site is first."""
    metrics.serve_metrics(settings.GUARD.metrics_port, prometheus_gauges.ThreadDatabaseGauges())


root_urls = [path("metrics", exposition, name="metrics")]
