"""What is to be judged anew: datasets, their items, and versions that never change again."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from reviews.models.actions import Action
from reviews.models.base import Record
from reviews.models.workspaces import Workspace

_SHA256 = r"^[0-9a-f]{64}$"


class Dataset(Record):
    """A named collection of proposed calls. It grows; what is cited is a version of it."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    """What it is for, as its card says."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["name"]
        constraints = [
            # Exports and the shell name a dataset by it.
            models.UniqueConstraint(fields=["workspace", "name"], name="a_dataset_has_its_own_name_in_a_workspace"),
            models.CheckConstraint(condition=~Q(name=""), name="a_dataset_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Origin(models.TextChoices):
    """How an item came into its dataset."""

    DECIDED = "decided", "decided action"
    AUDIT = "audit", "random audit"
    IMPORTED = "imported"
    CHOSEN = "chosen", "chosen by filters"
    """By somebody, which is no sample of anything."""


class DatasetItem(Record):
    """One proposed call in its conversation. Its content never changes; erased on request, its hash remains."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="items")
    origin = models.CharField(max_length=16, choices=Origin.choices)
    # Restricted: an action that is pruned would leave its labels without what they speak of. Erasing the item comes
    # first (`erased_at`); only a whole workspace goes with everything in it.
    action = models.ForeignKey(Action, models.RESTRICT, null=True, related_name="dataset_items")
    """The recorded call; null for one that was imported."""
    case = models.JSONField(null=True)
    """An imported call in its context, as `records.cases` writes it; null for a recorded one."""
    # Import again, or from two files at once: the same content is the same item.
    content_key = models.CharField(max_length=64)
    """SHA-256 of what is judged: the call and all it could see; for a recorded call, of its action's key."""
    conversation = models.CharField(max_length=300)
    """Names the conversation: items of one are never put into different splits."""
    tool = models.CharField(max_length=200)
    # Known only when an item was drawn; without it a sample says nothing about all calls.
    audit_probability = models.FloatField(null=True)
    """How likely the call was to be drawn, above 0 to 1."""
    source = models.CharField(max_length=300, blank=True)
    """For an imported item: the collection and record it comes from, by that collection's own names."""
    licence = models.CharField(max_length=200, blank=True)
    source_line = models.PositiveIntegerField(null=True)
    """Line or record of the imported file, from 1."""
    given_label = models.JSONField(null=True)
    """What the imported collection itself says of the call. Never shown to annotators."""
    metadata = models.JSONField(default=dict)
    import_job = models.ForeignKey("reviews.ImportJob", models.SET_NULL, null=True, related_name="items")
    erased_at = models.DateTimeField(null=True)
    """When its content was removed on request."""

    class Meta:
        constraints = [
            # Also the index by which an import finds what is loaded already.
            models.UniqueConstraint(fields=["dataset", "content_key"], name="a_dataset_holds_a_call_once"),
            models.CheckConstraint(condition=Q(origin__in=Origin.values), name="a_dataset_item_has_a_known_origin"),
            models.CheckConstraint(condition=Q(content_key__regex=_SHA256), name="a_dataset_item_carries_a_sha256"),
            # A page that opens an item must find its conversation, and find it in one place.
            models.CheckConstraint(
                condition=Q(erased_at__isnull=False, action__isnull=True, case__isnull=True)
                | Q(erased_at__isnull=True, origin="imported", action__isnull=True, case__isnull=False)
                | (Q(erased_at__isnull=True, action__isnull=False, case__isnull=True) & ~Q(origin="imported")),
                name="a_dataset_item_has_its_call_in_one_place_until_it_is_erased",
            ),
            # Each item of an audit counts for 1 / probability; any other must not look as if it were a sample.
            models.CheckConstraint(
                condition=Q(origin="audit", audit_probability__gt=0, audit_probability__lte=1)
                | (~Q(origin="audit") & Q(audit_probability__isnull=True)),
                name="a_dataset_item_has_a_probability_exactly_when_it_was_drawn",
            ),
            # Whoever publishes a version has to know what it may contain.
            models.CheckConstraint(
                condition=~Q(origin="imported") | ~Q(source=""), name="an_imported_dataset_item_names_its_source"
            ),
        ]
        indexes = [
            # Versions and exports read a dataset in the order in which it grew; the key is ordered by time.
            models.Index(fields=["dataset", "id"], name="dataset_item_order"),
            # A list of one tool's items.
            models.Index(fields=["dataset", "tool", "id"], name="dataset_item_tool"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} in {self.conversation}"


class DatasetVersion(Record):
    """A dataset as it was cited: frozen, with the hash of its content and of the version before it."""

    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    parent = models.ForeignKey("self", models.RESTRICT, null=True, related_name="children")
    content_hash = models.CharField(max_length=64, blank=True)
    """SHA-256 over the digests of the entries in their order; empty while it is being built."""
    chain_hash = models.CharField(max_length=64, blank=True)
    """SHA-256 over the parent's `chain_hash` and the own `content_hash`; empty while it is being built."""
    seed = models.BigIntegerField(default=0)
    """Of the splits: the same seed and the same items give the same splits."""
    splits = models.JSONField(default=dict)
    """Share of each split, such as `{"train": 0.8, "test": 0.2}`; empty without splits."""
    card = models.JSONField(default=dict)
    """Counts, sources, licences, agreement, guard versions, known limits, at the time of freezing."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    frozen_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            # Two people who freeze at once get two numbers, in one chain.
            models.UniqueConstraint(fields=["dataset", "number"], name="a_dataset_numbers_its_versions"),
            models.UniqueConstraint(fields=["parent"], name="a_dataset_version_has_one_successor"),
            models.CheckConstraint(
                condition=Q(number=1, parent__isnull=True) | Q(number__gt=1, parent__isnull=False),
                name="a_dataset_version_after_the_first_has_a_parent",
            ),
            models.CheckConstraint(
                condition=Q(frozen_at__isnull=True, content_hash="", chain_hash="")
                | Q(frozen_at__isnull=False, content_hash__regex=_SHA256, chain_hash__regex=_SHA256),
                name="a_dataset_version_is_frozen_exactly_when_it_has_its_hashes",
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number}"


class VersionEntry(Record):
    """One item of a version with the label it had then. Erased on request, its digest remains."""

    version = models.ForeignKey(DatasetVersion, models.CASCADE, related_name="entries")
    ordinal = models.PositiveIntegerField()
    """Its place in the version, from 1."""
    # Restricted for the same reason as an item's action.
    item = models.ForeignKey(DatasetItem, models.RESTRICT, related_name="entries")
    digest = models.CharField(max_length=64)
    """SHA-256 over the item's content, its label and its split."""
    label = models.JSONField(null=True)
    """The label with where it comes from; null for an item without one, and once erased."""
    split = models.CharField(max_length=40, blank=True)
    erased_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            # Also the index by which a version is read.
            models.UniqueConstraint(fields=["version", "ordinal"], name="a_dataset_version_numbers_its_entries"),
            models.UniqueConstraint(fields=["version", "item"], name="a_dataset_version_holds_an_item_once"),
            models.CheckConstraint(condition=Q(digest__regex=_SHA256), name="a_version_entry_carries_a_sha256"),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=True) | Q(label__isnull=True), name="an_erased_entry_keeps_no_label"
            ),
        ]

    @property
    def tool(self) -> str:
        """The called tool."""
        return self.item.tool


class Tombstone(Record):
    """Says in a frozen version that an entry was erased, when and why, in a chain that shows when one is removed."""

    version = models.ForeignKey(DatasetVersion, models.CASCADE, related_name="tombstones")
    # Counted by version without gaps, as in the audit log.
    sequence = models.PositiveIntegerField()
    entry = models.OneToOneField(VersionEntry, models.CASCADE, related_name="tombstone")
    reason = models.TextField()
    # Set before saving: it is part of what `chain_hash` covers.
    at = models.DateTimeField()
    chain_hash = models.CharField(max_length=64)
    """SHA-256 over the hash before it (the version's own for the first), the entry's digest, reason and time."""

    class Meta:
        ordering = ["sequence"]
        constraints = [
            models.UniqueConstraint(fields=["version", "sequence"], name="a_chain_of_tombstones_has_no_fork"),
            models.CheckConstraint(condition=~Q(reason=""), name="a_tombstone_says_why"),
            models.CheckConstraint(condition=Q(chain_hash__regex=_SHA256), name="a_tombstone_carries_a_sha256"),
        ]
