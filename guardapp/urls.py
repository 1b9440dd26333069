"""Addresses of the site: the API with its pages of problems, the probes, and the review desk at the root."""

from django.urls import include, path, re_path
from django.views.generic import RedirectView

from reviews.api.docs.views import problem_urls
from reviews.api.views import health, metrics

urlpatterns = [
    path("api/v1/", include("reviews.api.urls")),
    *problem_urls,
    *health.root_urls,
    *metrics.root_urls,
    # Where developers look first, with a slash or without.
    re_path("^docs/?$", RedirectView.as_view(pattern_name="api:docs"), name="docs"),
    # Last: the desk's addresses begin at the root.
    path("", include("reviews.desk.urls")),
]

handler400 = "reviews.api.handlers.bad_request"
handler403 = "reviews.api.handlers.forbidden"
handler404 = "reviews.api.handlers.not_found"
handler500 = "reviews.api.handlers.server_error"
