"""What is searched of a call: one text for each action, indexed by words and by parts of words."""

import re
from typing import Final
from uuid import UUID

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.contrib.postgres.search import SearchQuery, SearchVector, SearchVectorField
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Upper

from reviews.models.actions import Action
from reviews.models.workspaces import Workspace

# A phrase. Each word is a look into an index, and nobody types more.
MAX_SEARCHED_WORDS: Final = 12
# Shorter texts have no trigram that an index could find.
MIN_PART_LENGTH: Final = 3


# By itself the parser of PostgreSQL takes an address or a path for one word, of which nobody remembers all.
WORDS: Final = Func(
    F("body"), Value(r"\W+"), Value(" "), Value("g"), function="regexp_replace", output_field=models.TextField()
)


class ActionTextQuerySet(models.QuerySet["ActionText"]):
    """Texts of actions."""

    def matching(self, workspace_id: UUID, text: str) -> "ActionTextQuerySet":
        """The workspace's rows that hold all of these words, by their beginnings, or the text as it stands."""
        words = re.findall(r"\w+", text)[:MAX_SEARCHED_WORDS]
        condition = Q(body__icontains=text) if len(text) >= MIN_PART_LENGTH or not words else Q(pk__in=[])
        if words:
            query = " & ".join(f"{word}:*" for word in words)
            condition |= Q(words=SearchQuery(query, search_type="raw", config="simple"))
        return self.filter(condition, workspace=workspace_id)


class ActionText(models.Model):
    """Tool, arguments, request and conversation of one action as one text. A trigger of the database writes it."""

    action = models.OneToOneField(Action, models.CASCADE, primary_key=True, related_name="text")
    # Both are the action's, copied. Null was the workspace before a migration wrote it.
    workspace = models.ForeignKey(
        Workspace, models.DO_NOTHING, null=True, related_name="+", db_constraint=False, db_index=False
    )
    # By the action's own time the database would rather walk the whole listing than look into these indexes.
    created_at = models.DateTimeField()
    body = models.TextField()
    words = models.GeneratedField(
        expression=SearchVector(WORDS, config="simple"), output_field=SearchVectorField(), db_persist=True
    )

    objects = ActionTextQuerySet.as_manager()

    class Meta:
        indexes = [
            # With the workspace: what other tenants' calls say must neither slow a search nor show in its time.
            GinIndex(fields=["workspace", "words"], name="action_text_by_word"),
            # Upper case, as `icontains` compares.
            GinIndex("workspace", OpClass(Upper("body"), name="gin_trgm_ops"), name="action_text_by_part"),
        ]

    def __str__(self) -> str:
        return self.body[:80]
