"""Addresses of a person's own account. The names are those that allauth looks its pages up by."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from allauth.socialaccount import views as single_sign_on
from allauth.urls import build_provider_urlpatterns
from allauth.usersessions import views as sessions
from django.contrib.auth.views import LogoutView
from django.urls import include, path, re_path
from django.views.generic import RedirectView, TemplateView

from reviews.desk.accounts.accepting_invitations import invitation_page
from reviews.desk.accounts.setting_up import SetUpAppView, SetUpPasskeyView
from reviews.desk.sign_in import SignInView

# What allauth has besides is left out: open sign-up, changing one's address, signing in by mail.
urlpatterns = [
    path("sign-in", SignInView.as_view(), name="sign-in"),
    path("sign-in", SignInView.as_view(), name="account_login"),
    path("sign-in/second-factor", mfa.authenticate, name="mfa_authenticate"),
    path("sign-out", LogoutView.as_view(), name="sign-out"),
    path("sign-out", LogoutView.as_view(), name="account_logout"),
    path("sign-in/inactive", account.account_inactive, name="account_inactive"),
    path("invitations/<str:token>", invitation_page, name="invitation"),
    path("password/reset", account.password_reset, name="account_reset_password"),
    path("password/reset/sent", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("password/changed", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("account", mfa.index, name="mfa_index"),
    path("account/password", account.password_change, name="account_change_password"),
    path("account/password/new", account.password_set, name="account_set_password"),
    path("account/confirm", account.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code", mfa.reauthenticate, name="mfa_reauthenticate"),
    path("account/confirm/passkey", webauthn.reauthenticate_webauthn, name="mfa_reauthenticate_webauthn"),
    path("account/app/new", SetUpAppView.as_view(), name="mfa_activate_totp"),
    path("account/app/remove", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("account/passkeys", RedirectView.as_view(pattern_name="mfa_index"), name="mfa_list_webauthn"),
    path("account/passkeys/new", SetUpPasskeyView.as_view(), name="mfa_add_webauthn"),
    path("account/passkeys/<int:pk>/remove", webauthn.remove_webauthn, name="mfa_remove_webauthn"),
    path("account/recovery-codes", recovery_codes.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new", recovery_codes.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/sessions", sessions.list_usersessions, name="usersessions_list"),
    path("single-sign-on/cancelled", single_sign_on.login_cancelled, name="socialaccount_login_cancelled"),
    path("single-sign-on/error", single_sign_on.login_error, name="socialaccount_login_error"),
    # Whom a provider vouches for and nobody has invited.
    path(
        "single-sign-on/unknown",
        TemplateView.as_view(template_name="account/signup_closed.html"),
        name="socialaccount_signup",
    ),
    # The callbacks of the providers that the configuration names.
    path("single-sign-on/", include(build_provider_urlpatterns())),
]
