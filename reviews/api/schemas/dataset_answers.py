"""What the API answers about datasets of ground truth, and what it is asked for."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from reviews.api.schemas.answers import Payload
from reviews.models import ExportFormat, JobStatus


class ExportRequest(BaseModel):
    """How a version is to be written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: ExportFormat
    redact: list[Literal["email", "iban", "card", "ssn", "ip", "phone"]] = Field(
        default_factory=list, max_length=6, description="Kinds of personal data that are replaced."
    )


class VersionSummary(Payload):
    """A version in a listing."""

    number: int
    frozen_at: datetime | None = Field(description="Null while it is being frozen.")
    content_hash: str = Field(description="SHA-256 over the entries' digests: what a version is cited by.")
    chain_hash: str = Field(description="SHA-256 over the chain hash of the version before it and the content hash.")


class Dataset(Payload):
    """A named collection of proposed calls."""

    id: UUID
    name: str
    description: str
    items: int
    versions: list[VersionSummary]


class Datasets(Payload):
    """Every dataset that the key may see."""

    datasets: list[Dataset]


class Tombstone(Payload):
    """An entry that was erased on request."""

    ordinal: int
    digest: str
    reason: str
    at: datetime
    chain_hash: str


class Version(VersionSummary):
    """A dataset as it was frozen."""

    dataset_id: UUID
    parent: int | None
    seed: int
    splits: dict[str, float]
    card: dict[str, JsonValue] = Field(description="Counts, sources, licences, agreement, guard versions, limits.")
    tombstones: list[Tombstone]


class EntryName(Payload):
    """An entry of a version."""

    ordinal: int
    id: str
    digest: str


class Changes(Payload):
    """Entries that differ in one way."""

    count: int
    first: list[EntryName] = Field(description="The first hundred.")


class Difference(Payload):
    """What a version has that an earlier one has not."""

    added: Changes
    removed: Changes
    changed: Changes


class ExportLinks(Payload):
    """Where an export is found."""

    self: str
    file: str | None = Field(description="Once it is done.")


class Export(Payload):
    """A file being written."""

    id: UUID
    status: JobStatus
    format: ExportFormat
    redact: list[str]
    done: int = Field(description="Rows written so far.")
    total: int | None
    size: int = Field(description="Bytes.")
    sha256: str = Field(description="Of the file; empty before it is done.")
    failure: str
    links: ExportLinks
