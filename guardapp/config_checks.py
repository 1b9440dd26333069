"""What an operator's values must be like, beside their types: what is refused at start fails nobody later.

Each check raises `ValueError` with what is expected instead, and without the value where a secret may stand in it.
"""

import re
from collections.abc import Collection, Mapping
from email.utils import getaddresses
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

# A name, one with all its subdomains, or each: as Django compares them with what a request names.
_HOST: Final = re.compile(r"\*|\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", re.IGNORECASE)
_WEB: Final = ("http", "https")


def check_address(address: str, schemes: Collection[str]) -> SplitResult:
    """The parts of an address by one of these schemes; it names a host, and a port that there is."""
    parts = urlsplit(address)
    if parts.scheme not in schemes or not parts.hostname:
        raise ValueError(f"is no address that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}")
    if re.search(r"\s", parts.hostname):
        raise ValueError("has a space in its host")
    try:
        _ = parts.port
    except ValueError:
        # Without its words, which may quote a password.
        raise ValueError("has no port behind its host, which is a number up to 65535") from None
    return parts


def check_web_address(address: Any) -> None:
    """An address of the web, such as an endpoint's."""
    check_address(address if isinstance(address, str) else "", _WEB)


def check_site_address(address: str) -> None:
    """An address of the web with nothing behind its host: paths are appended to it."""
    parts = check_address(address, _WEB)
    if address != f"{parts.scheme}://{parts.netloc}":
        raise ValueError("is followed by paths: it ends behind the host, without a slash, as https://guard.example")


def check_hosts(hosts: Collection[str]) -> None:
    """Names or addresses as they stand in a request's `Host`, without scheme, port and path; at least one."""
    if not hosts:
        raise ValueError("names no host: every page would be refused")
    for host in hosts:
        if not (_HOST.fullmatch(host) or _is_ip_address(host.strip("[]"))):
            raise ValueError(f"{host!r} is no name of a host, such as guard.example.org; without scheme, port and path")


def check_mailbox(sender: str) -> None:
    """`Name <name@host>`, or the address alone; one of them."""
    addresses = [address for _, address in getaddresses([sender])]
    local, _, host = addresses[0].rpartition("@")
    if len(addresses) > 1 or not local or not host:
        raise ValueError("is no sender, such as Guard <guard@example.org>")


def check_openid_connect(settings: Mapping[str, Any], client_id: str) -> None:
    """Where the provider is, and what it calls this site: without them its button ends in a server error."""
    try:
        check_web_address(settings.get("server_url"))
    except ValueError as error:
        raise ValueError(f"settings.server_url {error}") from None
    if not client_id:
        raise ValueError("client_id is missing: the provider's name for this site")


def check_saml(settings: Mapping[str, Any]) -> None:
    """Who the identity provider is, and how it signs: told by itself at `metadata_url`, or here."""
    idp = settings.get("idp")
    if not isinstance(idp, Mapping) or not idp.get("entity_id"):
        raise ValueError("settings.idp.entity_id is missing: the provider's own name")
    key = "metadata_url" if idp.get("metadata_url") else "sso_url"
    try:
        check_web_address(idp.get(key))
    except ValueError as error:
        raise ValueError(f"settings.idp.{key} {error}; name a metadata_url, or sso_url and x509cert") from None
    if key == "sso_url" and not idp.get("x509cert"):
        raise ValueError("settings.idp.x509cert is missing: the certificate of whoever signs in at sso_url")


def _is_ip_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
