"""A copy of the database signs nobody in: what second factors are computed from is encrypted."""

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from tests.cast import Cast
from tests.desk.accounts.test_second_factor import SECRET, code, with_app
from tests.desk.desk import check_page
from tests.desk.test_sign_in import sign_in

NEW_SECRET = "n" * 50


def rotate() -> str:
    out = StringIO()
    call_command("rotate_second_factors", stdout=out)
    return out.getvalue()


def admitted(browser: Client) -> bool:
    """Whether the app's present code signs in."""
    sign_in(browser, "rita")
    return browser.post("/sign-in/second-factor", {"code": code()}).get("Location") == "/queue"


def test_nothing_that_makes_codes_is_stored_in_the_clear(cast: Cast) -> None:
    with_app(cast.reviewer)
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert SECRET not in stored
    assert stored.count("fernet:") == 2


def test_a_secret_that_was_stored_in_the_clear_still_works(cast: Cast) -> None:
    Authenticator.objects.create(user=cast.reviewer.user, type="totp", data={"secret": SECRET})
    assert admitted(Client())


def test_an_earlier_secret_key_opens_it(cast: Cast, settings: Any) -> None:
    with_app(cast.reviewer)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_SECRET, [settings.SECRET_KEY]
    assert admitted(Client())


def test_behind_a_rotation_the_earlier_secret_key_is_not_needed(cast: Cast, settings: Any) -> None:
    with_app(cast.reviewer)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_SECRET, [settings.SECRET_KEY]
    assert rotate() == "2 second factors are under the present secret.\n"
    settings.SECRET_KEY_FALLBACKS = []
    assert admitted(Client())


def test_without_its_secret_key_no_code_is_right_and_the_page_says_so(cast: Cast, settings: Any) -> None:
    with_app(cast.reviewer)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_SECRET, []
    browser = Client()
    assert not admitted(browser)
    check_page(browser.post("/sign-in/second-factor", {"code": "000000"}), "Incorrect code")
    stored = Authenticator.objects.get(type="totp").data["secret"]
    # Something else each time: what cannot be read must not become a secret that somebody could compute.
    assert len({get_adapter().decrypt(stored) for _ in range(3)}) == 3


def test_a_rotation_names_who_was_stored_under_a_lost_key(cast: Cast, settings: Any) -> None:
    with_app(cast.reviewer)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW_SECRET, []
    with pytest.raises(CommandError, match="rita"):
        rotate()


def test_a_rotation_stores_encrypted_what_was_in_the_clear(cast: Cast) -> None:
    Authenticator.objects.create(user=cast.reviewer.user, type="totp", data={"secret": SECRET})
    rotate()
    assert SECRET not in str(Authenticator.objects.get().data)
    assert admitted(Client())
