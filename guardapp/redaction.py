"""Links that let somebody in hold a secret. Logs and traces keep their beginning only."""

import re
from collections.abc import Mapping, MutableMapping
from typing import Any, Final

# The paths of an invitation and of a password reset; the secret is what follows, up to the end of the address.
_LETS_IN: Final = re.compile(r"((?<!/settings)/invitations/|/password/reset/[0-9A-Za-z]+-)[^\s?#\"'<>]+")


def without_secrets(text: str) -> str:
    """The text, with the secret of each link in it replaced by a dash."""
    return _LETS_IN.sub(r"\1-", text)


def redact_line(_logger: object, _method: str, line: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A log line's fields without secrets, as structlog's last processor before the line is written."""
    return {name: without_secrets(field) if isinstance(field, str) else field for name, field in line.items()}


def redact_span(span: Any, _request: object) -> None:
    """OpenTelemetry's hook for a request: the span's addresses without secrets."""
    if span is not None and span.is_recording():
        for name, field in dict(span.attributes or {}).items():
            if isinstance(field, str) and field != without_secrets(field):
                span.set_attribute(name, without_secrets(field))
