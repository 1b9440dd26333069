"""Texts and tool sets, stored once per workspace by the hash of their content."""

from django.db import models

from reviews.models.base import Record
from reviews.models.workspaces import Workspace


class ToolSet(Record):
    """The tool documents an agent offered, in our own JSON shape."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    tools = models.JSONField()

    class Meta:
        # By workspace: a shared row would tell one tenant that another uses the same tools.
        constraints = [models.UniqueConstraint(fields=["workspace", "digest"], name="a_tool_set_is_stored_once")]


class Text(Record):
    """A source's text: a request, a system prompt, a tool output."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    body = models.TextField()

    class Meta:
        # The digest is indexed and not the body, which may be larger than an index entry can be.
        constraints = [models.UniqueConstraint(fields=["workspace", "digest"], name="a_text_is_stored_once")]
