"""A SAML identity provider: it reads a sign-in request and signs what it says of the person."""

import zlib
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from lxml import etree
from onelogin.saml2.utils import OneLogin_Saml2_Utils

ENTITY: Final = "https://id.example.org/saml"
SIGN_ON: Final = "https://id.example.org/saml/sign-on"
_EMAIL: Final = "urn:oid:0.9.2342.19200300.100.1.3"
_RESPONSE: Final = """<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"
 xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response" Version="2.0" IssueInstant="{now}"
 Destination="{recipient}" InResponseTo="{request}">
<saml:Issuer>{entity}</saml:Issuer>
<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>
<saml:Assertion ID="_assertion" Version="2.0" IssueInstant="{now}">
<saml:Issuer>{entity}</saml:Issuer>
<saml:Subject>
<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">person-17</saml:NameID>
<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
<saml:SubjectConfirmationData NotOnOrAfter="{soon}" Recipient="{recipient}" InResponseTo="{request}"/>
</saml:SubjectConfirmation>
</saml:Subject>
<saml:Conditions NotBefore="{before}" NotOnOrAfter="{soon}">
<saml:AudienceRestriction><saml:Audience>{audience}</saml:Audience></saml:AudienceRestriction>
</saml:Conditions>
<saml:AuthnStatement AuthnInstant="{now}">
<saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>
</saml:AuthnContext>
</saml:AuthnStatement>
<saml:AttributeStatement>
<saml:Attribute Name="{attribute}"><saml:AttributeValue>{email}</saml:AttributeValue></saml:Attribute>
</saml:AttributeStatement>
</saml:Assertion>
</samlp:Response>"""


class IdentityProvider:
    """What it says of whoever comes, and to whom, can be changed."""

    def __init__(self, email: str) -> None:
        self.email = email
        self.age = timedelta()
        """How long ago the answer was given."""
        self.audience = ""
        """For whom; empty for the one that asked."""
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @cached_property
    def certificate(self) -> str:
        """In PEM, with which its answers are verified."""
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "id.example.org")])
        now = datetime.now(UTC)
        built = x509.CertificateBuilder(name, name, self._key.public_key(), x509.random_serial_number())
        built = built.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        return built.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()

    def answer(self, asked: str, *, signed: bool = True) -> dict[str, str]:
        """The form that the browser sends on to the site, for the address that the site sent it to."""
        query = parse_qs(urlsplit(asked).query)
        request = etree.fromstring(zlib.decompress(b64decode(query["SAMLRequest"][0]), -15))
        given = datetime.now(UTC) - self.age
        moments = {"before": given - timedelta(minutes=1), "now": given, "soon": given + timedelta(minutes=5)}
        issuer = request.findtext("{urn:oasis:names:tc:SAML:2.0:assertion}Issuer")
        response: Any = _RESPONSE.format(
            entity=ENTITY,
            request=request.get("ID"),
            recipient=request.get("AssertionConsumerServiceURL"),
            audience=self.audience or issuer,
            attribute=_EMAIL,
            email=self.email,
            **{name: f"{moment:%Y-%m-%dT%H:%M:%SZ}" for name, moment in moments.items()},
        )
        if signed:
            response = OneLogin_Saml2_Utils.add_sign(response, self._private(), self.certificate)
        encoded = b64encode(response if isinstance(response, bytes) else response.encode()).decode()
        return {"SAMLResponse": encoded, "RelayState": query.get("RelayState", [""])[0]}

    def _private(self) -> str:
        pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
        return self._key.private_bytes(pem, form, serialization.NoEncryption()).decode()
