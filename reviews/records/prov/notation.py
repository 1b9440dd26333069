"""The document being written: its namespaces, and statements in the words of PROV-DM.

Identifiers are ordinals or row keys. Whatever an agent, a tool or a person wrote is an attribute's value.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final, TypeAlias
from uuid import UUID

from prov.model import ProvDocument

Name: TypeAlias = str
"""`prefix:local`; the prefix is `action`, `house` or `guard`."""
Value: TypeAlias = str | int | float | bool | None
"""An attribute's value; None leaves the attribute out."""

VOCABULARY: Final = "urn:uuid:ccee387a-fba9-52ad-aa92-2d3aab23b621#"
"""Namespace of our own types and attributes. Never changes: stored documents are read by it."""
GUARD: Final = "guard:software"
"""The agent that is this product."""
# Attributes that PROV-DM has names for; all others are of our vocabulary.
_PROV_ATTRIBUTES: Final = MappingProxyType({"label": "prov:label", "value": "prov:value"})


class Notation:
    """A PROV document with statements of our vocabulary."""

    def __init__(self, action: UUID, workspace: UUID) -> None:
        self.document = ProvDocument()
        self.document.add_namespace("guard", VOCABULARY)
        self.document.add_namespace("action", f"urn:uuid:{action}#")
        # The same person or agent has the same name in every document of a workspace, and another one in another.
        self.document.add_namespace("house", f"urn:uuid:{workspace}#")
        self._agents: set[Name] = set()

    def add_entity(self, name: Name, *types: Name, **attributes: Value) -> Name:
        """A thing. Keywords are attributes of our vocabulary; `label` and `value` are PROV's own."""
        self.document.entity(name, self._library_attributes(types, attributes))
        return name

    def add_activity(
        self, name: Name, kind: Name, *, start: datetime | None = None, end: datetime | None = None, **attributes: Value
    ) -> Name:
        """Something that happened, between two times where they are known."""
        self.document.activity(name, start, end, self._library_attributes((kind,), attributes))
        return name

    def add_agent(self, name: Name, kind: Name, **attributes: Value) -> Name:
        """Somebody who acts; described once, however often named."""
        if name not in self._agents:
            self._agents.add(name)
            self.document.agent(name, self._library_attributes((kind,), attributes))
        return name

    def add_guard(self) -> Name:
        """The agent that is this product."""
        return self.add_agent(GUARD, "prov:SoftwareAgent", label="ProvenanceGuard Review")

    def add_generation(self, thing: Name, activity: Name, by: Name | None = None, at: datetime | None = None) -> Name:
        """The thing wasGeneratedBy the activity, and wasAttributedTo an agent where one answers for it."""
        self.document.generation(thing, activity, at)
        if by:
            self.document.attribution(thing, by)
        return thing

    def add_derivation(
        self, thing: Name, origin: Name, *types: Name, finding: Name | None = None, **attributes: Value
    ) -> None:
        """The thing wasDerivedFrom the origin, because of a finding where one says so."""
        pairs = self._library_attributes(types, attributes)
        if finding:
            # A reference to another element is a qualified name; as text it would be a mere label.
            pairs.append(("guard:finding", self.document.mandatory_valid_qname(finding)))
        self.document.derivation(thing, origin, other_attributes=pairs)

    def _library_attributes(self, types: tuple[Name, ...], attributes: Mapping[str, Value]) -> list[tuple[str, object]]:
        """Types and attributes as the library takes them, those that are None left out."""
        kinds = [("prov:type", self.document.mandatory_valid_qname(name)) for name in types]
        present = ((key, value) for key, value in attributes.items() if value is not None)
        return [*kinds, *((_PROV_ATTRIBUTES.get(key, f"guard:{key}"), value) for key, value in present)]
