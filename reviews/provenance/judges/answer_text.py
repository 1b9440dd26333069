"""The JSON object in a model's answer, where no endpoint enforces its form."""

import json
import re
from typing import Any, Final

# What models that reason write before their answer.
_THOUGHT: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
# Places at which an object may begin: prose with more braces than that is no answer, and each is read to its end.
_MAX_BEGINNINGS: Final = 50


def form_in_words(schema: dict[str, Any]) -> str:
    """What a prompt ends with, to ask for the form that the endpoint does not enforce."""
    return (
        "\n\nAnswer with one JSON object that fits this JSON schema, and with nothing else:\n"
        f"{json.dumps(schema, ensure_ascii=False)}"
    )


def find_json_object(text: str) -> str | None:
    """The one JSON object in the text, whatever stands around it; None without one, or with several that differ."""
    # Of several nobody knows which one is the answer, and the text may quote what it was asked about.
    text, objects, at = _THOUGHT.sub("", text), dict[str, None](), 0
    for _ in range(_MAX_BEGINNINGS):
        at = text.find("{", at)
        if at < 0:
            break
        try:
            value, at = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        objects[json.dumps(value, sort_keys=True)] = None
    return next(iter(objects)) if len(objects) == 1 else None
