"""A person's way in: invited, with a password of their own, a second factor and a passkey."""

import re

from playwright.sync_api import Page, expect

from reviews.decisions.user_confirmation import ask_user
from reviews.messaging.webhooks import endpoints
from reviews.models import AgentKey, Membership, Role, WebhookEndpoint
from reviews.profiles import versions
from reviews.workspaces import invitations, members
from tests.browser.accessible import check_accessible
from tests.browser.conftest import intercept, sign_in
from tests.cast import PASSWORD, Cast, flagged
from tests.desk.accounts.test_second_factor import code

NEW = "new@example.org"


def link_of(cast: Cast) -> str:
    """The path of an invitation as reviewer."""
    return f"/invitations/{invitations.invite_person(membership=cast.admin, email=NEW, role=Role.REVIEWER).token}"


def joined(page: Page, cast: Cast) -> None:
    """The person has accepted their invitation."""
    page.goto(link_of(cast))
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.keyboard.press("Enter")


def confirmed(page: Page) -> None:
    """The person has given their password again."""
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")


def press_when_enabled(page: Page, name: str) -> None:
    """The button is pressed once its script runs; a press, unlike a click, does not wait for that by itself."""
    button = page.get_by_role("button", name=name)
    expect(button).to_be_enabled()
    button.press("Enter")


def test_an_invited_person_sets_a_password_and_a_second_factor_and_sees_the_queue(themed: Page, cast: Cast) -> None:
    members.require_second_factor(required=True, membership=cast.admin)
    themed.goto(link_of(cast))
    check_accessible(themed)
    joined(themed, cast)
    expect(themed.get_by_text("Acme requires a second factor.")).to_be_visible()
    check_accessible(themed)
    themed.get_by_role("link", name="Set up an app").press("Enter")
    expect(themed.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    check_accessible(themed)
    confirmed(themed)
    secret = themed.locator("#totp-secret").inner_text()
    check_accessible(themed)
    themed.get_by_label("Authenticator code").fill(code(secret))
    themed.keyboard.press("Enter")
    expect(themed.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    check_accessible(themed)
    themed.get_by_role("link", name="Go to the queue").press("Enter")
    themed.wait_for_url("**/queue")
    expect(themed.get_by_role("heading", name=re.compile("queue", re.I)).first).to_be_visible()
    assert Membership.objects.get(user__username=NEW).role == Role.REVIEWER


def test_a_passkey_is_added_and_asked_for_at_the_next_sign_in(page: Page, cast: Cast) -> None:
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    options |= {"isUserVerified": True, "automaticPresenceSimulation": True}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    # A passkey belongs to a name, and 127.0.0.1 is none.
    page.goto(page.url if page.url.startswith("http") else "/sign-in")
    localhost = page.url.replace("127.0.0.1", "localhost")
    page.goto(localhost)
    page.get_by_label("User name").fill("rita")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue**")
    page.goto(localhost.replace("/sign-in", "/account/passkeys/new"))
    confirmed(page)
    page.get_by_label("Name").fill("Laptop")
    expect(page.get_by_role("button", name="Add the passkey")).to_be_enabled()
    page.get_by_label("Name").press("Enter")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    page.context.clear_cookies()
    page.goto(localhost)
    page.get_by_label("User name").fill("rita")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    press_when_enabled(page, "Use a passkey")
    page.wait_for_url("**/queue**")


def test_a_webhook_is_added_by_keyboard_on_accessible_pages(themed: Page, cast: Cast) -> None:
    sign_in(themed, "ada", at="/settings/webhooks")
    themed.get_by_label("Address").fill("https://receiver.example/hook")
    themed.keyboard.press("Enter")
    expect(themed.locator("#secret")).to_contain_text("whsec_")
    endpoints.send_test(endpoint=WebhookEndpoint.objects.get(), membership=cast.admin)
    check_accessible(themed)
    themed.goto(f"/settings/webhooks/{WebhookEndpoint.objects.get().pk}")
    themed.get_by_text("Remove this webhook").press("Enter")
    check_accessible(themed)


def test_a_user_answers_on_an_accessible_page_without_an_account(themed: Page, cast: Cast) -> None:
    versions.new_version(membership=cast.admin, user_confirms="any")
    action = flagged(cast).action
    themed.goto(ask_user(action=action, by=cast.reviewer))
    check_accessible(themed)
    themed.get_by_role("button", name="Yes, do this").press("Enter")
    expect(themed.get_by_role("heading", name="It is confirmed")).to_be_visible()
    check_accessible(themed)


def test_an_order_is_previewed_on_an_accessible_page(themed: Page, cast: Cast) -> None:
    review = flagged(cast)
    sign_in(themed, "ada", at=f"/reviews/{review.pk}/group")
    themed.get_by_label("Argument of condition 1").select_option("/amount")
    themed.get_by_label("Value of condition 1").fill("500")
    themed.get_by_role("button", name="Preview the order").press("Enter")
    expect(themed.get_by_text("the order would have decided")).to_be_visible()
    expect(themed.get_by_label("Value of condition 1")).to_have_value("500")
    check_accessible(themed)


def test_a_member_is_invited_and_a_role_changed_by_keyboard(page: Page, cast: Cast) -> None:
    sign_in(page, "ada", at="/settings/members")
    page.get_by_label("E-mail address").fill(NEW)
    page.keyboard.press("Enter")
    expect(page.locator("#invitation-link")).to_contain_text("/invitations/")
    page.get_by_label("Role of rita").select_option("annotator")
    page.get_by_role("button", name="Change the role of rita").press("Enter")
    expect(page.get_by_text("rita is Annotator now.")).to_be_visible()
    # Scripts run before this: the button opens a dialog by one.
    page.wait_for_load_state("load")
    page.get_by_role("button", name="Remove rob").press("Enter")
    page.get_by_role("button", name="Remove the member").and_(page.locator(":visible")).press("Enter")
    expect(page.get_by_text("rob is no longer a member.")).to_be_visible()


def test_a_person_of_two_workspaces_switches(page: Page, cast: Cast) -> None:
    members.admit_member(workspace=cast.outsider.workspace, user=cast.reviewer.user, role=Role.REVIEWER)
    sign_in(page)
    page.get_by_label("Account of rita").press("Enter")
    page.get_by_role("button", name="Switch to Elsewhere").press("Enter")
    expect(page.locator(".header__workspace")).to_have_text("Elsewhere")


def test_a_reload_behind_a_new_key_asks_for_the_page_and_issues_nothing(page: Page, cast: Cast) -> None:
    sign_in(page, "ada", at="/settings")
    page.get_by_label("Key name").fill("night-shift")
    page.get_by_role("button", name="Issue a key").click()
    expect(page.locator("#secret")).to_be_visible()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.reload()
    expect(page.locator("#secret")).to_have_count(0)
    assert "POST" not in sent
    assert AgentKey.objects.filter(name="night-shift").count() == 1


def test_two_clicks_on_a_slow_line_issue_one_key(page: Page, cast: Cast) -> None:
    sign_in(page, "ada", at="/settings")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    intercept(page, "**/settings/keys", lambda _: None)
    page.get_by_label("Key name").fill("night-shift")
    again = "button => { button.click(); setTimeout(() => button.click(), 200); }"
    page.get_by_role("button", name="Issue a key").evaluate(again)
    page.wait_for_timeout(500)
    assert sent.count("POST") == 1
