"""Secrets are in no log line and in no trace: the configured ones by their value, others by their form."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from guardapp.config import Config, config

REDACTED: Final = "-"
# What a secret in a text is known by, without the configuration. What follows the first group is replaced; none of it
# takes in a quote or a backslash, so that a line of JSON stays one.
_FORMS: Final = (
    # The paths of an invitation, of a question to a user and of a password reset; the secret is what follows, up to the
    # end of the address.
    r"((?<!/settings)/invitations/|/confirm/|/password/reset/[0-9A-Za-z]+-)[^\s?#\"'<>\\]+",
    # An agent's key, of which lists show the first ten characters, wherever somebody has put it by mistake.
    r"(pgr_[A-Za-z0-9_-]{6})[A-Za-z0-9_-]+",
    # A header; long enough to be none of the words that follow these in a sentence.
    r"((?i:\bbearer|\bbasic) +)[A-Za-z0-9._~+/=-]{16,}",
    # The password of an address, and what single sign-on carries in queries and answers.
    r"(://[^\s/:@\"'\\]*:)[^\s/@\"'\\]+(?=@)",
    r"(\b(?:access_token|refresh_token|id_token|client_secret)(?:=|\\?[\"']: ?\\?[\"'])|[?&]code=)[^\s&\"'\\]+",
)
# A shorter one is a word, and every line that has it in it would be unreadable; it may still stand in an address.
_SHORTEST: Final = 8


def without_secrets(text: str) -> str:
    """The text, with each secret in it replaced by a dash."""
    values, forms = _secret_patterns()
    # The beginning of the form says what stood there: “Bearer …”.
    return forms.sub(lambda secret: f"{secret[secret.lastindex or 0]}{REDACTED}", values.sub(REDACTED, text))


def redact_rendered(_logger: object, _method: str, line: str) -> str:
    """A log line without secrets, as structlog's last processor: nothing is added to it later."""
    return without_secrets(line)


def redact_span(span: Any, _request: object) -> None:
    """OpenTelemetry's hook for a request: the span's addresses without secrets."""
    if span is not None and span.is_recording():
        for name, field in dict(span.attributes or {}).items():
            if isinstance(field, str) and field != without_secrets(field):
                span.set_attribute(name, without_secrets(field))


@cache
def _secret_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    # The longest first: a secret may begin with another.
    values = sorted(set(_spell_secrets(config())), key=len, reverse=True)
    # Without any, a pattern that matches nothing.
    return re.compile("|".join(map(re.escape, values)) or r"(?!)"), re.compile("|".join(_FORMS))


def _spell_secrets(configured: Config) -> Iterator[str]:
    """Every configured secret as it is, and as it stands in addresses, in JSON and in what Python prints."""
    for secret in _configured_secrets(configured):
        if len(secret) >= _SHORTEST:
            yield from (secret, quote(secret, safe=""), json.dumps(secret)[1:-1], repr(secret)[1:-1])


def _configured_secrets(configured: Config) -> Iterator[str]:
    keys = (configured.openai_api_key, configured.openai_api_key_second, configured.metrics_token)
    for secret in (configured.secret_key, *configured.secret_key_fallbacks, *keys):
        if secret is not None:
            yield secret.get_secret_value()
    mail = configured.smtp_url.get_secret_value() if configured.smtp_url else ""
    for address in (configured.database_url, configured.redis_url, mail):
        yield (password := urlsplit(address).password or "")
        yield unquote(password)
    for provider in (*configured.oidc_providers, *configured.saml_providers):
        yield provider.secret.get_secret_value()
        # SAML signs with a key of its own, which stands among the advanced settings.
        yield str(provider.settings.get("advanced", {}).get("private_key", ""))
