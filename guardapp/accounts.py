"""Django's settings about people: how they sign in, what keeps guessers out, how mail reaches them.

`guardapp.settings` takes in every name in capitals.
"""

from typing import Any, Final
from urllib.parse import unquote, urlsplit

from guardapp.config import SingleSignOn, config

_config = config()

APPS: Final = (
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.socialaccount.providers.saml",
)

# Axes first: it refuses who is locked out before a password is looked at.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "reviews.desk.accounts.sessions.PeopleBackend"]
# In the database, which every request of a person asks anyway: a session that was ended is over at once, everywhere.
SESSION_ENGINE = "reviews.desk.accounts.sessions"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "queue"
LOGOUT_REDIRECT_URL = "sign-in"

# Ten tries in a quarter of an hour stop a guesser and let a person who mistypes go on. By name and address together:
# nobody can lock another person out from elsewhere.
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "registration/locked_out.html"
AXES_CLIENT_IP_CALLABLE = "reviews.desk.accounts.adapters.client_address"
# `guardapp.asgi` has put the client's address in place of a trusted proxy's; what headers say is nobody's word.
ALLAUTH_TRUSTED_PROXY_COUNT = 0

# allauth counts codes and mails here, and remembers used codes. In the database and not in Redis: who signs in needs
# the database anyway, and an outage of Redis must lock nobody out.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "site_cache",
        # Above what a day's sign-ins write; the default of 300 would forget counts while they are needed.
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}

MFA_ADAPTER = "reviews.workspaces.factor_secrets.SecondFactorAdapter"
ACCOUNT_ADAPTER = "reviews.desk.accounts.adapters.AccountAdapter"
SOCIALACCOUNT_ADAPTER = "reviews.desk.accounts.single_sign_on.SingleSignOnAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
# Addresses are set by invitations and nowhere else, so that there is none to verify.
ACCOUNT_EMAIL_VERIFICATION = "none"
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Who asks about an address that nobody has must not reach a stranger's mailbox.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if _config.https else "http"
# Five minutes: long enough to set up a second factor in one go, too short for a desk that somebody left.
ACCOUNT_REAUTHENTICATION_TIMEOUT = 300
ACCOUNT_FORMS = {
    "change_password": "reviews.desk.accounts.password_forms.WordedChangeForm",
    "set_password": "reviews.desk.accounts.password_forms.WordedSetForm",
    "reset_password": "reviews.desk.accounts.password_forms.WordedResetForm",
    "reset_password_from_key": "reviews.desk.accounts.password_forms.WordedResetKeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "authenticate": "reviews.desk.accounts.code_forms.SignInCodeForm",
    "reauthenticate": "reviews.desk.accounts.code_forms.ConfirmCodeForm",
    "add_webauthn": "reviews.desk.accounts.passkey_forms.AddPasskeyForm",
    "authenticate_webauthn": "reviews.desk.accounts.passkey_forms.SignInPasskeyForm",
    "reauthenticate_webauthn": "reviews.desk.accounts.passkey_forms.ConfirmPasskeyForm",
}
MFA_TOTP_ISSUER = "ProvenanceGuard Review"
# One step, 30 s, either way: clocks of phones are seconds off, and a code is typed some seconds later (RFC 6238, 5.2).
MFA_TOTP_TOLERANCE = 1
# Browsers allow passkeys over plain HTTP on localhost only; the library follows where the site does.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not _config.https

# A provider is the operator's own: what it calls a verified address signs in the account of that address.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
# By links: `form-action` of the content security policy holds for what a form is redirected to as well.
SOCIALACCOUNT_LOGIN_ON_GET = True


def _openid_connect(provider: SingleSignOn) -> dict[str, Any]:
    return {
        "provider_id": provider.id,
        "name": provider.name,
        "client_id": provider.client_id,
        "secret": provider.secret.get_secret_value(),
        "settings": provider.settings,
    }


def _saml_settings(provider: SingleSignOn) -> dict[str, Any]:
    return {
        "provider_id": provider.settings.get("idp", {}).get("entity_id", provider.id),
        "name": provider.name,
        # What allauth calls `client_id` is the part of the address that names the organisation.
        "client_id": provider.id,
        "settings": {
            **provider.settings,
            # A desk inside of a company may well be called https://desk, which would end in a server error otherwise.
            "advanced": {"allow_single_label_domains": True, **provider.settings.get("advanced", {})},
        },
    }


SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {"APPS": [_openid_connect(provider) for provider in _config.oidc_providers]},
    "saml": {"APPS": [_saml_settings(provider) for provider in _config.saml_providers]},
}
SINGLE_SIGN_ON = [
    *({"kind": "openid_connect", "id": provider.id, "name": provider.name} for provider in _config.oidc_providers),
    *({"kind": "saml", "id": provider.id, "name": provider.name} for provider in _config.saml_providers),
]
"""What the sign-in page offers."""

DEFAULT_FROM_EMAIL = SERVER_EMAIL = _config.mail_from
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _config.smtp_url else 'console'}.EmailBackend"
_mail = urlsplit(_config.smtp_url.get_secret_value() if _config.smtp_url else "")
EMAIL_HOST = _mail.hostname or "localhost"
EMAIL_USE_SSL = _mail.scheme == "smtps"
# Off only for a server on the same machine, which offers none.
EMAIL_USE_TLS = _mail.scheme == "smtp" and EMAIL_HOST not in ("localhost", "127.0.0.1")
EMAIL_PORT = _mail.port or (465 if EMAIL_USE_SSL else 587)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
# A person waits for the page.
EMAIL_TIMEOUT = 10
