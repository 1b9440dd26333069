"""A second factor: set up, asked for at sign-in, and required by a workspace."""

from datetime import UTC, datetime
from http import HTTPStatus

import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client
from django.urls import reverse

from reviews.models import Membership
from reviews.workspaces import members
from tests.access_matrix import MATRIX, VISITORS
from tests.cast import PASSWORD, Cast
from tests.desk.desk import Desk, check_page
from tests.desk.test_sign_in import sign_in
from tests.test_access_matrix import addresses

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def code(secret: str = SECRET) -> str:
    """What the authenticator app shows now."""
    # Of the half minutes whose codes are right the one in the middle: the first may be over before it is typed.
    _, now, _ = yield_hotp_counters_from_time()
    digits: str = format_hotp_value(hotp_value(secret, now))
    return digits


def with_app(membership: Membership) -> None:
    """The account has an authenticator app and recovery codes."""
    TOTP.activate(membership.user, SECRET)
    RecoveryCodes.activate(membership.user)


def required(cast: Cast) -> None:
    members.require_second_factor(required=True, membership=cast.admin)


def test_the_password_alone_does_not_sign_in(cast: Cast, stranger: Client) -> None:
    with_app(cast.reviewer)
    assert sign_in(stranger, "rita")["Location"] == "/sign-in/second-factor"
    assert stranger.get("/queue")["Location"].startswith("/sign-in")


def test_the_apps_code_does_and_leads_to_where_one_was_going(cast: Cast, stranger: Client) -> None:
    with_app(cast.reviewer)
    sign_in(stranger, "rita", next="/queue/recent")
    assert stranger.post("/sign-in/second-factor", {"code": code()})["Location"] == "/queue/recent"


def test_a_code_works_once(cast: Cast) -> None:
    with_app(cast.reviewer)
    now = code()
    for browser, expected in ((Client(), HTTPStatus.FOUND), (Client(), HTTPStatus.OK)):
        sign_in(browser, "rita")
        assert browser.post("/sign-in/second-factor", {"code": now}).status_code == expected


def test_a_code_works_once_for_as_long_as_it_is_right(cast: Cast) -> None:
    with_app(cast.reviewer)
    # At the beginning of a step: the code of a phone that runs ahead is right for three half minutes.
    with time_machine.travel(datetime(2031, 7, 19, 8, tzinfo=UTC), tick=False) as clock:
        now, browser = format_hotp_value(hotp_value(SECRET, max(yield_hotp_counters_from_time()))), Client()
        sign_in(browser, "rita")
        assert browser.post("/sign-in/second-factor", {"code": now}).status_code == HTTPStatus.FOUND
        clock.shift(45)
        again = Client()
        sign_in(again, "rita")
        answer = again.post("/sign-in/second-factor", {"code": f"{now[:3]} {now[3:]}"})
        assert answer.status_code == HTTPStatus.OK
        clock.shift(30)
        assert again.post("/sign-in/second-factor", {"code": code()}).status_code == HTTPStatus.FOUND


def test_a_recovery_code_works_once(cast: Cast) -> None:
    with_app(cast.reviewer)
    one = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()[0]
    for browser, expected in ((Client(), HTTPStatus.FOUND), (Client(), HTTPStatus.OK)):
        sign_in(browser, "rita")
        assert browser.post("/sign-in/second-factor", {"code": one}).status_code == expected


def test_guessing_codes_is_stopped(cast: Cast, stranger: Client) -> None:
    with_app(cast.reviewer)
    sign_in(stranger, "rita")
    for _ in range(6):
        response = stranger.post("/sign-in/second-factor", {"code": "000000"})
    check_page(response, "Too many failed login attempts")
    check_page(stranger.post("/sign-in/second-factor", {"code": code()}), "Too many failed login attempts")


def test_an_app_is_set_up_and_its_recovery_codes_are_shown(cast: Cast) -> None:
    desk = Desk.of(cast.reviewer)
    confirmed(desk)
    desk.shows("/account/app/new", "data:image/svg+xml")
    secret = desk.client.session["mfa.totp.secret"]
    desk.sends("/account/app/new", "Your recovery codes", code=code(secret))
    desk.shows("/account", "set up", "10 left")


def test_a_wrong_code_sets_nothing_up(cast: Cast) -> None:
    desk = Desk.of(cast.reviewer)
    confirmed(desk)
    desk.client.get("/account/app/new")
    desk.sends("/account/app/new", "Incorrect code", code="000000")
    assert not Authenticator.objects.exists()


def test_what_protects_the_account_is_changed_behind_the_password_only(cast: Cast) -> None:
    with_app(cast.reviewer)
    client = Desk.of(cast.reviewer).client
    for path in ("/account/passkeys/new", "/account/app/remove", "/account/recovery-codes/new"):
        assert client.get(path)["Location"].startswith("/account/confirm")


def test_the_passkey_of_another_person_is_not_there_to_remove(cast: Cast) -> None:
    theirs = Authenticator.objects.create(user=cast.other_reviewer.user, type="webauthn", data={"name": "Phone"})
    desk = Desk.of(cast.reviewer)
    confirmed(desk)
    desk.sends(f"/account/passkeys/{theirs.pk}/remove", status=HTTPStatus.NOT_FOUND)
    assert Authenticator.objects.filter(pk=theirs.pk).exists()


def test_a_passkeys_page_holds_what_the_browser_is_asked_for(cast: Cast) -> None:
    desk = Desk.of(cast.reviewer)
    confirmed(desk)
    desk.shows("/account/passkeys/new", "&quot;challenge&quot;", 'name="credential"', "js/passkey.js")


def test_a_passkey_answer_that_is_none_is_refused(cast: Cast) -> None:
    desk = Desk.of(cast.reviewer)
    confirmed(desk)
    desk.client.get("/account/passkeys/new")
    for answer in ('{"id": "x"}', '{"id": "eA", "rawId": "eA", "response": {}}', "7", "null", "[]", "nonsense"):
        desk.sends("/account/passkeys/new", "Add the passkey", name="Phone", credential=answer)
    assert not Authenticator.objects.exists()


def test_where_it_is_required_nothing_of_the_workspace_is_reached_without(cast: Cast) -> None:
    required(cast)
    client, looked_at, reached = Desk.of(cast.admin).client, set(), []
    # A person's own account is what they set the factor up in.
    own = ("mfa_", "account_", "usersessions_")
    nobody, admin = VISITORS.index("nobody"), VISITORS.index("admin")
    for address in addresses():
        get, _ = MATRIX[address.name]
        if (get[nobody], get[admin]) == ("s", "+") and not address.parameters and not address.name.startswith(own):
            response = client.get(reverse(address.name))
            looked_at.add(address.name)
            reached += [address.name] if response.get("Location") != "/account?required=1" else []
    assert {"queue", "recent", "members", "audit-export", "settings-profile"} <= looked_at
    assert reached == []


def test_setting_one_up_is_enough_for_the_session_that_did(cast: Cast) -> None:
    required(cast)
    here, elsewhere = Desk.of(cast.reviewer), Desk.of(cast.reviewer)
    here.shows("/account?required=1", "Acme requires a second factor.")
    confirmed(here)
    here.client.get("/account/app/new")
    here.sends("/account/app/new", code=code(here.client.session["mfa.totp.secret"]))
    here.shows("/queue")
    assert elsewhere.client.get("/queue")["Location"] == "/account/confirm/code?next=%2Fqueue"


def test_a_session_that_began_with_the_password_proves_it_later(cast: Cast) -> None:
    desk = Desk.of(cast.reviewer)
    with_app(cast.reviewer)
    required(cast)
    location = desk.client.get("/queue")["Location"]
    assert desk.client.post(location, {"code": code(), "next": "/queue"})["Location"] == "/queue"
    desk.shows("/queue")


def test_a_part_that_htmx_fetches_leads_the_whole_page_there(cast: Cast) -> None:
    required(cast)
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/queue"}
    response = Desk.of(cast.reviewer).client.get("/queue", headers=headers)
    assert response["HX-Redirect"] == "/account?required=1"


def test_another_workspace_of_the_person_is_not_affected(cast: Cast) -> None:
    required(cast)
    Desk.of(cast.outsider).shows("/queue")


def confirmed(desk: Desk) -> None:
    """The person has just given their password again."""
    response = desk.client.post("/account/confirm", {"password": PASSWORD, "next": "/account"})
    assert response["Location"] == "/account"
