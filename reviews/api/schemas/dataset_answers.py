"""What the API answers about datasets of ground truth, and what it is asked for."""

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from reviews.api.schemas.answers import Payload
from reviews.datasets.curation import MAX_ADDED
from reviews.models import ExportFormat, JobStatus

# A page of text.
_MAX_DESCRIPTION_LENGTH = 4_000


# White space around a name is no part of it, so there has to be something else.
NOT_BLANK: Final[dict[str, JsonValue]] = {"minLength": 1, "pattern": r"^[^\u0000]*[^\s\u0000][^\u0000]*$"}


# As `datasets.splits` checks them; that they add up to 1 has no keyword.
_SHARES: Final[dict[str, JsonValue]] = {
    "propertyNames": {"pattern": "^[A-Za-z0-9-]*[A-Za-z0-9][A-Za-z0-9-]*$", "maxLength": 40},
    "additionalProperties": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
}


def not_blank(name: str) -> str:
    """Raises ValueError for a name of white space."""
    if not name.strip():
        raise ValueError("May not be blank.")
    return name


class ExportRequest(BaseModel):
    """How a version is to be written."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: ExportFormat
    redact: list[Literal["email", "iban", "card", "ssn", "ip", "phone"]] = Field(
        default_factory=list, max_length=6, description="Kinds of personal data that are replaced."
    )


class DatasetRequest(BaseModel):
    """A dataset, by its name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(max_length=120), AfterValidator(not_blank)] = Field(json_schema_extra=NOT_BLANK)
    description: str = Field("", max_length=_MAX_DESCRIPTION_LENGTH, description="What it is for, as its card says.")


class ItemsRequest(BaseModel):
    """Calls of the workspace's own record."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    origin: Literal["decided", "audit"] = Field(
        description="`decided`: by a person. `audit`: passed without one and drawn at random, with that probability."
    )
    most: int = Field(MAX_ADDED, ge=1, le=MAX_ADDED, description="The latest so many.")
    tool: str = Field("", max_length=200, description="Of this tool alone.")


class VersionRequest(BaseModel):
    """How a version is to be frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    splits: dict[str, float] = Field(
        default_factory=dict,
        max_length=10,
        description="Share of each split by its name of letters, digits and hyphens; together 1. Empty for none.",
        json_schema_extra=_SHARES,
    )
    seed: int = Field(0, ge=0, le=2**31 - 1)


class ItemsAdded(Payload):
    """What became of it."""

    added: int = Field(description="Calls that the dataset did not hold.")


class ImportLinks(Payload):
    """Where an import and its dataset are read."""

    self: str
    dataset: str


class ImportProblem(Payload):
    """A record that was not loaded."""

    line: int = Field(description="Line or record of the file, from 1; 0 for the file as a whole.")
    reason: str


class Import(Payload):
    """A file on its way into a dataset."""

    id: UUID
    status: JobStatus
    reader: str
    done: int = Field(description="Records read so far.")
    total: int | None
    loaded: int = Field(description="Calls that became items.")
    repeated: int = Field(description="Calls that the dataset held already.")
    rejected: int = Field(description="Records that were not loaded.")
    failure: str
    problems: list[ImportProblem] = Field(description="Why records or their labels were not taken: the first thousand.")
    links: ImportLinks


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
