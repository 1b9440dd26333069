"""Forms that others wrote, in the desk's look."""

import json
from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.forms import BoundField, CheckboxInput
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def styled(field: BoundField) -> SafeString:
    """The field with the desk's class; a tick box has none. No placeholder, which would only repeat the label."""
    attributes: dict[str, Any] = {"placeholder": False}
    if not isinstance(field.field.widget, CheckboxInput):
        attributes["class"] = "input"
    return field.as_widget(attrs=attributes)


@register.filter
def as_json(value: Any) -> str:
    """The value as JSON, for an attribute: pages hold no scripts, not even of data."""
    return json.dumps(value, cls=DjangoJSONEncoder)
