"""Who reaches what: every address of the site with what each kind of visitor gets there.

A row has one sign for each visitor, in the order of `VISITORS`:

    +  the view does its work, or says what is wrong with the input
    s  led to the sign-in
    u  401: no key in force
    f  403: the role does not include it
    a  404: there is no such thing, or it belongs to another workspace or agent
    m  405: no such method
"""

from types import MappingProxyType
from typing import Final

VISITORS: Final = ("nobody", "reviewer", "annotator", "admin", "outsider", "agent", "other_agent")
"""Of one workspace but for the outsider, an administrator of another, and the other agent, which is of another, too."""

MATRIX: Final = MappingProxyType(
    {
        "api:actions": ("uuuuu++", "uuuuu++"),
        "api:action": ("uuuuu++", "uuuuumm"),
        "api:execution": ("uuuuumm", "uuuuu+a"),
        "api:outcome": ("uuuuumm", "uuuuumm"),
        "api:provenance": ("uuuuu++", "uuuuumm"),
        "api:cancel": ("uuuuumm", "uuuuu+a"),
        "api:plans": ("uuuuumm", "uuuuu++"),
        "api:plan": ("uuuuu++", "uuuuumm"),
        "api:labels": ("uuuuu++", "uuuuumm"),
        "api:schema": ("+++++++", "mmmmmmm"),
        "api:docs": ("+++++++", "mmmmmmm"),
        "healthz": ("+++++++", "mmmmmmm"),
        "readyz": ("+++++++", "mmmmmmm"),
        "metrics": ("aaaaaaa", "mmmmmmm"),
        "home": ("s++++ss", "mmmmmmm"),
        "sign-in": ("+++++++", "+++++++"),
        "account_login": ("+++++++", "+++++++"),
        "mfa_authenticate": ("s++++ss", "s++++ss"),
        "sign-out": ("mmmmmmm", "sssssss"),
        "account_logout": ("mmmmmmm", "sssssss"),
        "account_inactive": ("+++++++", "mmmmmmm"),
        "invitation": ("+++++++", "+ffff++"),
        "account_reset_password": ("+++++++", "+++++++"),
        "account_reset_password_done": ("+++++++", "mmmmmmm"),
        "account_reset_password_from_key": ("+++++++", "+++++++"),
        "account_reset_password_from_key_done": ("+++++++", "mmmmmmm"),
        "mfa_index": ("s++++ss", "smmmmss"),
        "account_change_password": ("s++++ss", "s++++ss"),
        "account_set_password": ("s++++ss", "s++++ss"),
        "account_reauthenticate": ("s++++ss", "s++++ss"),
        "mfa_reauthenticate": ("s++++ss", "s++++ss"),
        "mfa_reauthenticate_webauthn": ("s++++ss", "s++++ss"),
        "mfa_activate_totp": ("s++++ss", "s++++ss"),
        "mfa_deactivate_totp": ("saaaass", "saaaass"),
        "mfa_list_webauthn": ("+++++++", "+++++++"),
        "mfa_add_webauthn": ("s++++ss", "s++++ss"),
        "mfa_remove_webauthn": ("s++++ss", "s++++ss"),
        "mfa_view_recovery_codes": ("saaaass", "smmmmss"),
        "mfa_generate_recovery_codes": ("s++++ss", "s++++ss"),
        "usersessions_list": ("s++++ss", "s++++ss"),
        "socialaccount_login_cancelled": ("+++++++", "mmmmmmm"),
        "socialaccount_signup": ("+++++++", "mmmmmmm"),
        "socialaccount_login_error": ("uuuuuuu", "mmmmmmm"),
        "saml_acs": ("+++++++", "+++++++"),
        "saml_finish_acs": ("aaaaaaa", "aaaaaaa"),
        "saml_sls": ("aaaaaaa", "aaaaaaa"),
        "saml_metadata": ("aaaaaaa", "aaaaaaa"),
        "saml_login": ("aaaaaaa", "aaaaaaa"),
        "openid_connect_login": ("aaaaaaa", "aaaaaaa"),
        "openid_connect_callback": ("aaaaaaa", "aaaaaaa"),
        "workspace": ("mmmmmmm", "saaaass"),
        "queue": ("s++++ss", "mmmmmmm"),
        "recent": ("s+f++ss", "mmmmmmm"),
        "review": ("s+a+ass", "mmmmmmm"),
        "decide": ("mmmmmmm", "s+a+ass"),
        "preview-edit": ("mmmmmmm", "s+a+ass"),
        "claim": ("mmmmmmm", "s+a+ass"),
        "release": ("mmmmmmm", "s+a+ass"),
        "snooze": ("mmmmmmm", "s+a+ass"),
        "escalate": ("mmmmmmm", "s+a+ass"),
        "source": ("s+a+ass", "mmmmmmm"),
        "provenance": ("s+a+ass", "mmmmmmm"),
        "campaigns": ("sf+++ss", "mmmmmmm"),
        "campaign-new": ("sff++ss", "sff++ss"),
        "campaign": ("sff+ass", "mmmmmmm"),
        "campaign-move": ("mmmmmmm", "sff+ass"),
        "campaign-reserve": ("mmmmmmm", "sff+ass"),
        "adjudicate": ("sff+ass", "sff+ass"),
        "adjudicate-source": ("sff+ass", "mmmmmmm"),
        "work": ("mmmmmmm", "sf+aass"),
        "annotate-undo": ("mmmmmmm", "sf+aass"),
        "annotate": ("sf+aass", "sf+aass"),
        "annotate-draft": ("mmmmmmm", "sf+aass"),
        "annotate-skip": ("mmmmmmm", "sf+aass"),
        "annotate-source": ("sf+aass", "mmmmmmm"),
        "settings": ("sff++ss", "mmmmmmm"),
        "settings-keys": ("mmmmmmm", "sff++ss"),
        "settings-revoke": ("mmmmmmm", "sff+ass"),
        "members": ("sff++ss", "mmmmmmm"),
        "members-invite": ("mmmmmmm", "sff++ss"),
        "members-second-factor": ("mmmmmmm", "sff++ss"),
        "members-role": ("mmmmmmm", "sff+ass"),
        "members-remove": ("mmmmmmm", "sff+ass"),
        "members-withdraw": ("mmmmmmm", "sff+ass"),
        "tools": ("sff++ss", "mmmmmmm"),
        "audit-log": ("sff++ss", "mmmmmmm"),
        "audit-verify": ("mmmmmmm", "sff++ss"),
        "audit-export": ("sff++ss", "mmmmmmm"),
        "settings-profile": ("sff++ss", "sff++ss"),
        "settings-preview": ("mmmmmmm", "sff++ss"),
        "settings-version": ("sff++ss", "mmmmmmm"),
        "styleguide": ("aaaaaaa", "aaaaaaa"),
    }
)
"""Name of an address -> what visitors get by GET and by POST."""
