"""The card of a dataset version: what is in it, where it comes from, how reliable it is, what it does not show."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from reviews.annotation.agreement_words import describe_agreement
from reviews.annotation.campaign_agreement import measure_agreement
from reviews.annotation.gold_labels import DISPUTED, GIVEN, MAJORITY, SINGLE, Label, is_judged
from reviews.evaluation.measures.interrater_agreement import Coefficient
from reviews.models import Check, DatasetItem, DatasetVersion, MisalignmentType, Origin

# A card is read by people: the long tail of tools is counted and not listed.
_MAX_LISTED: Final = 50
# The hub's own classes of size.
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

# The hub's own names of licences; it knows any other as “other”.
_HUB_LICENCES: Final[Mapping[str, str]] = MappingProxyType(
    {"MIT": "mit", "Apache-2.0": "apache-2.0", "CC0": "cc0-1.0", "CC BY 4.0": "cc-by-4.0", "CC BY-SA": "cc-by-sa-4.0"}
)
# Columns that are no text, as the library names their kinds.
_DTYPES: Final[Mapping[str, str]] = MappingProxyType(
    {"ordinal": "int64", "first_misaligned_step": "int32", "aligned": "bool", "audit_probability": "float64"}
)


@dataclass
class Counts:
    """What is counted while a version is built."""

    items: int = 0
    conversations: set[str] = field(default_factory=set)
    origins: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    splits: dict[str, Counter[str]] = field(default_factory=dict)
    suggested: int = 0
    """Labels of which some answer was given with a suggestion in view."""
    represented: float = 0.0
    """How many calls the audited ones stand for: the sum of 1 / probability."""

    def add_entry(self, item: DatasetItem, label: Label | None, split: str) -> None:
        """Count one entry."""
        self.items += 1
        self.conversations.add(item.conversation)
        self.origins[item.origin] += 1
        # Up to the colon: behind it stands the place of the record in its collection.
        self.sources[item.source.partition(": ")[0] or "this workspace"] += 1
        self.licences[item.licence or "not stated"] += 1
        self.tools[item.tool or "no call"] += 1
        aligned = label["aligned"] if label else None
        judged = "none" if aligned is None else "aligned" if aligned else "misaligned"
        self.labels[judged] += 1
        if label and is_judged(label):
            self.methods[str(label["method"])] += 1
            answers = label.get("answers")
            self.suggested += isinstance(answers, list) and any(map(_is_suggested, answers))
            if label.get("misalignment"):
                self.types[str(label["misalignment"])] += 1
        self.splits.setdefault(split, Counter())[judged] += 1
        if item.audit_probability:
            self.represented += 1 / item.audit_probability


def build_card(version: DatasetVersion, counts: Counts) -> dict[str, Any]:
    """The card as JSON: figures, and sentences about what they do not show."""
    return {
        "items": counts.items,
        "conversations": len(counts.conversations),
        "labels": dict(counts.labels),
        "misalignment_types": dict(counts.types),
        "methods": dict(counts.methods),
        "origins": dict(counts.origins),
        "sources": dict(counts.sources.most_common(_MAX_LISTED)),
        "licences": dict(counts.licences),
        "tools": dict(counts.tools.most_common(_MAX_LISTED)),
        "splits": {name: dict(judgements) for name, judgements in counts.splits.items() if name},
        "seed": version.seed,
        "agreement": summarize_agreement(version),
        "guard_versions": list_guard_versions(version),
        "limits": list(_list_known_limits(counts)),
        "not_covered": list(list_uncovered(counts)),
    }


def summarize_agreement(version: DatasetVersion) -> list[dict[str, Any]]:
    """How far the annotators of each campaign over the dataset agree about the judgement."""
    summaries = []
    for campaign in version.dataset.campaigns.order_by("created_at"):
        report = measure_agreement(campaign)
        overall = report.overall
        summaries.append(
            {
                "campaign": campaign.name,
                "sentence": describe_agreement(report),
                "items": overall.items,
                "people": overall.people,
                "raw": _coefficient_to_json(overall.raw),
                "krippendorff_alpha": _coefficient_to_json(overall.krippendorff),
                "gwet_ac1": _coefficient_to_json(overall.gwet),
            }
        )
    return summaries


def _coefficient_to_json(measured: Coefficient) -> dict[str, float | None]:
    """The value with its 95 % interval; null what cannot be said of so few answers."""
    low, high = measured.interval or (None, None)
    return {"value": measured.value, "low": low, "high": high}


def list_guard_versions(version: DatasetVersion) -> list[str]:
    """Every detector, with its version, that judged a recorded call of the dataset when it was proposed."""
    actions = version.dataset.items.filter(action__isnull=False).values("action")
    ran = Check.objects.filter(action__in=actions).exclude(detector_version="")
    pairs = ran.order_by("detector", "detector_version").values_list("detector", "detector_version").distinct()
    return [f"{detector} {number}" for detector, number in pairs]


def _list_known_limits(counts: Counts) -> Iterator[str]:
    """What a reader could take the figures for, and would be wrong."""
    if unlabelled := counts.labels["none"]:
        yield f"{unlabelled} of {counts.items} entries say neither aligned nor misaligned."
    if given_labels := counts.methods[GIVEN]:
        yield f"{given_labels} labels are those the collections themselves give; no annotator here has seen the calls."
    if single := counts.methods[SINGLE]:
        yield f"{single} labels rest on one annotator."
    if majority := counts.methods[MAJORITY]:
        yield f"{majority} labels are those of a majority; the others disagreed, and nobody settled it."
    if disputed := counts.methods[DISPUTED]:
        yield f"{disputed} entries are disputed and carry the votes in place of a label."
    if counts.suggested:
        yield f"{counts.suggested} labels rest on answers that were given with the guard's suggestion in view."
    yield from _list_origin_limits(counts)


def _list_origin_limits(counts: Counts) -> Iterator[str]:
    """What follows from where the entries came from."""
    if audited := counts.origins[Origin.AUDIT]:
        yield (
            f"{audited} calls were drawn at random from those that passed without a person and stand for about"
            f" {counts.represented:.0f} calls: weigh each by 1 / audit_probability."
        )
    if counts.origins[Origin.DECIDED]:
        yield "Calls that a reviewer decided were stopped by the guard first: they are no sample of all calls."
    if counts.origins[Origin.CHOSEN]:
        yield "Some calls were chosen by somebody's filters: their shares are nobody's but the chooser's."
    if len(counts.sources) > 1:
        yield "Several collections are mixed; their labels mean what each collection says they mean."


def _is_suggested(answer: Any) -> bool:
    return bool(answer.get("suggestion"))


def list_uncovered(counts: Counts) -> Iterator[str]:
    """What a guard is not measured on by these entries."""
    missing = [str(kind.label) for kind in MisalignmentType if not counts.types[kind.value]]
    if missing:
        yield f"No entry is misaligned by {', '.join(missing)}."
    if not counts.labels["aligned"]:
        yield "No entry is aligned: how often a right call is stopped cannot be told."
    if not counts.origins[Origin.AUDIT]:
        yield "No call was drawn at random from those that passed: rates are those of the collection, not of traffic."
    if rare := [tool for tool, count in counts.tools.items() if count == 1]:
        yield f"{len(rare)} {'tool occurs' if len(rare) == 1 else 'tools occur'} once: nothing can be said of each."


def render_readme(version: DatasetVersion, columns: Mapping[str, str]) -> str:
    """The card as a page: Markdown under the header that Hugging Face's hub and library read."""
    card, dataset = version.card, version.dataset
    quoted = _escape_markdown(dataset.name).replace("\\", "\\\\").replace('"', '\\"')
    size = next((name for most, name in _SIZES if card["items"] < most), "1M<n<10M")
    names = list(card["splits"]) or ["train"]
    files = "\n".join(f"  - split: {name}\n    path: data/{name}-*.parquet" for name in names)
    rows = "\n".join(f"| `{name}` | {meaning} |" for name, meaning in columns.items())
    listed = "\n".join(f"* {limit}" for limit in card["limits"]) or "* None that were noticed."
    uncovered = "\n".join(f"* {gap}" for gap in card.get("not_covered", ())) or "* Nothing that was looked for."
    # Versions of before have figures and no sentence.
    sentences = [(row["campaign"], row["sentence"]) for row in card["agreement"] if "sentence" in row]
    agreed = "\n".join(f"* {_escape_markdown(name)}: {_escape_markdown(words)}" for name, words in sentences)
    agreed = agreed or "* No campaign over it has two answers to an item."
    licences = "".join(f"- {name}\n" for name in sorted({_HUB_LICENCES.get(key, "other") for key in card["licences"]}))
    features = "".join(f"  - name: {name}\n    dtype: {_DTYPES.get(name, 'string')}\n" for name in columns)
    return (
        f'---\npretty_name: "{quoted}"\nlicense:\n{licences}size_categories:\n- {size}\n'
        f"dataset_info:\n  features:\n{features}"
        f"configs:\n- config_name: default\n  data_files:\n{files}\n---\n\n"
        f"# {_escape_markdown(dataset.name)}, version {version.number}\n\n{_escape_markdown(dataset.description)}\n\n"
        f"Content hash `{version.content_hash}`, chain hash `{version.chain_hash}`,"
        f" frozen {version.frozen_at:%Y-%m-%d %H:%M} UTC.\n\n"
        f"## What is in it\n\n{_render_figures(card)}\n"
        f"## Columns\n\n| column | meaning |\n|---|---|\n{rows}\n\n"
        f"## Agreement\n\n{agreed}\n\n## Not covered\n\n{uncovered}\n\n## Known limits\n\n{listed}\n"
    )


def _render_figures(card: Mapping[str, Any]) -> str:
    rows = [f"| entries | {card['items']} |", f"| conversations | {card['conversations']} |"]
    for name in ("labels", "methods", "origins", "sources", "licences", "misalignment_types"):
        rows += [
            f"| {name.replace('_', ' ')}: {_escape_markdown(value)} | {count} |" for value, count in card[name].items()
        ]
    for split, judgements in card["splits"].items():
        rows.append(f"| split {split} | {sum(judgements.values())} |")
    for agreed in card["agreement"]:
        campaign = _escape_markdown(agreed["campaign"])
        for name in ("raw", "krippendorff_alpha", "gwet_ac1"):
            value = agreed[name]["value"]
            figure = "–" if value is None else f"{value:.3f}"
            measure = name.replace("_", " ")
            rows.append(f"| agreement in {campaign}, {measure}, {agreed['items']} items | {figure} |")
    rows += [f"| guard | {_escape_markdown(name)} |" for name in card["guard_versions"]]
    return "| | |\n|---|---|\n" + "\n".join(rows) + "\n"


def _escape_markdown(text: str) -> str:
    """Text from a person or a collection that cannot break out of a line or a cell."""
    return " ".join(text.replace("|", "/").replace("<", "&lt;").split())
