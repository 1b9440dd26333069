from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    """The one app."""

    name = "reviews"
    verbose_name = "ProvenanceGuard Review"
