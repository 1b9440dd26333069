"""A listing that somebody wants to come back to: the filters of an address under a name."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.base import Record
from reviews.models.workspaces import Workspace


class SavedPage(models.TextChoices):
    """The pages whose filters can be saved."""

    QUEUE = "queue"
    ACTIONS = "actions"


class SavedView(Record):
    """One named set of filters. Everybody in the workspace sees it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="saved_views")
    page = models.CharField(max_length=16, choices=SavedPage.choices)
    name = models.CharField(max_length=80)
    # As the page itself writes it, which is bounded by the lengths of its filters.
    query = models.TextField()
    """What stands behind the `?` of the address."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [
            # Two that are called alike could not be told apart in a list.
            models.UniqueConstraint(fields=["workspace", "page", "name"], name="a_saved_view_has_a_name_of_its_own"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(query=""), name="a_saved_view_names_some_filters"),
            models.CheckConstraint(condition=Q(page__in=SavedPage.values), name="a_saved_view_is_of_a_known_page"),
        ]

    def __str__(self) -> str:
        return self.name
