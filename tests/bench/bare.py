"""The floor for a submission: a Django endpoint that reads JSON and makes one INSERT, with nothing around it."""

import json
import os

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.bench.bare_settings"

from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path


def insert(request: HttpRequest) -> HttpResponse:
    """Store the body."""
    body = json.loads(request.body)
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO bench_bare (body) VALUES (%s) RETURNING id", [json.dumps(body)])
        (key,) = cursor.fetchone()
    return JsonResponse({"id": key}, status=202)


def nothing(request: HttpRequest) -> HttpResponse:
    """Answer that the server runs."""
    return HttpResponse()


urlpatterns = [path("api/v1/actions", insert), path("healthz", nothing)]
application = get_wsgi_application()
