"""The guard profile's form, sent as the page sends it."""

import re
from http import HTTPStatus
from typing import Any

from lxml import html

from reviews import access
from reviews.models import GuardProfile
from reviews.provenance.detectors import DETECTORS
from tests.cast import Cast
from tests.desk.desk import Desk

PAGE, PREVIEW = "/settings/profile", "/settings/profile/preview"
POLICY: dict[str, Any] = {"policy_tool": ["wire"], "policy": ["always_review"]}
REFUSED = HTTPStatus.UNPROCESSABLE_ENTITY


def form(cast: Cast, **changes: Any) -> dict[str, Any]:
    """The form as the page shows it, with these changes."""
    current = access.current_profile(cast.workspace)
    fields: dict[str, Any] = {f"mode_{name}": "off" for name in DETECTORS}
    fields |= {f"mode_{name}": "enforced" for name in current.detectors}
    copied = (
        "judge",
        "model",
        "on_unknown",
        "user_confirms",
        "expires_in",
        "execute_within",
        "hold_seconds",
        "claim_seconds",
        "rewrites",
        "retry_rounds",
        "aggregate",
        "window",
        "check_seconds",
        "check_seconds_judge",
    )
    fields |= {name: getattr(current, name) for name in copied}
    return fields | {"based_on": current.version, "rule": "any", "objections": 2} | changes


def detectors(**modes: str) -> dict[str, Any]:
    """Fields of detectors, whose names come with underscores."""
    return {f"mode_{name.replace('_', '-')}": mode for name, mode in modes.items()}


def save(cast: Cast, desk: Desk, *texts: str, status: int = HTTPStatus.OK, **changes: Any) -> GuardProfile:
    """Send the form with these changes; returns the version in force afterwards."""
    desk.sends(PAGE, *texts, status=status, **form(cast, **changes))
    return access.current_profile(cast.workspace)


def refused(cast: Cast, desk: Desk, *texts: str, **changes: Any) -> None:
    """The form with these changes is refused with these words and makes no version."""
    assert save(cast, desk, *texts, status=REFUSED, **changes).version == 1


def previewed(cast: Cast, desk: Desk, *texts: str, **changes: Any) -> str:
    """Previewing the form with these changes says all of this."""
    return desk.sends(PREVIEW, *texts, **form(cast, **changes))


def shown_fields(body: str) -> dict[str, Any]:
    """What a browser sends of the form on this page, as it stands."""
    sent = html.fromstring(body).get_element_by_id("profile-form")
    for template in sent.findall(".//template"):
        template.drop_tree()
    fields: dict[str, list[str]] = {}
    for name, value in sent.form_values():
        fields.setdefault(name, []).append(value)
    return fields


def words_of(body: str) -> str:
    """The page's text, without markup."""
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())
