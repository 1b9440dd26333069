"""A frozen version as W3C PROV in JSON: its entries, where each comes from, and who labelled it."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from reviews.datasets.export_rows import Done
from reviews.models import DatasetVersion
from reviews.retention.pii_redaction import Redactor

_Statements = Callable[[DatasetVersion, Redactor], Iterator[tuple[str, dict[str, Any]]]]


def write_prov(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """The version, its entries and where each comes from, as W3C PROV in JSON: sources, single answers, adjudications.

    People have pseudonyms. Of what they wrote it quotes only why a label was settled.
    """
    file.write(b'{"prefix": {"guard": "urn:provenanceguard:"}')
    redactor = Redactor(redact)
    # PROV-JSON lists by kind of statement, so the entries are read once for each kind rather than held.
    for kind, statements in _STATEMENTS.items():
        file.write(f', "{kind}": {{'.encode())
        for number, (name, statement) in enumerate(statements(version, redactor)):
            separator = ", " if number else ""
            file.write(f"{separator}{json.dumps(name)}: {json.dumps(statement)}".encode())  # one by one
        file.write(b"}")
        done(0)
    file.write(b"}")


def _iterate_entities(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    name = _name_version(version)
    hashes = {"guard:contentHash": version.content_hash, "guard:chainHash": version.chain_hash}
    yield name, {"prov:type": "prov:Collection", "prov:label": f"{version.dataset} {version}", **hashes}
    if version.parent is not None:
        yield _name_version(version.parent), {"prov:type": "prov:Collection"}
    for entry in _iterate_rows(version):
        settled = entry["adjudication"] or {}
        reason = {"guard:reason": redactor.redact_text(settled["reason"])} if settled else {}
        yield (
            f"guard:entry/{entry['digest']}",
            {
                "guard:method": entry["method"] or "unlabelled",
                "guard:origin": entry["origin"],
                "guard:erased": bool(entry["erased_at"]),
                **reason,
            },
        )
        for name, answer in _answers_of(entry):
            judged = {"guard:judgement": answer["judgement"], "guard:seconds": answer["seconds"]}
            yield name, {"prov:type": "guard:Answer", "prov:generatedAtTime": answer["at"], **judged}
    sources = version.entries.order_by().values_list("item__source", flat=True)
    for name in sorted({_name_collection(source, redactor) for source in sources.iterator()}):
        yield f"guard:source/{name}", {"prov:label": name}


def _answers_of(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each single answer that an entry's label rests on, with its name."""
    for number, answer in enumerate(entry["answers"] or (), start=1):
        yield f"guard:answer/{entry['digest']}/{number}", answer


def _iterate_people(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    people = set()
    for entry in _iterate_rows(version):
        people |= {answer["annotator"] for _, answer in _answers_of(entry)}
        people |= {entry["adjudication"]["adjudicator"]} if entry["adjudication"] else set()
    for person in sorted(people):
        yield f"guard:{person}", {"prov:type": "prov:Person"}


def _iterate_attributions(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    for entry in _iterate_rows(version):
        for number, (name, answer) in enumerate(_answers_of(entry), start=1):
            attributed = {"prov:entity": name, "prov:agent": f"guard:{answer['annotator']}"}
            yield f"_:a{entry['ordinal']}-{number}", attributed
        if entry["adjudication"]:
            settled = {"prov:entity": f"guard:entry/{entry['digest']}"}
            yield f"_:a{entry['ordinal']}", {**settled, "prov:agent": f"guard:{entry['adjudication']['adjudicator']}"}


def _iterate_members(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    for entry in _iterate_rows(version):
        member = {"prov:collection": _name_version(version), "prov:entity": f"guard:entry/{entry['digest']}"}
        yield f"_:m{entry['ordinal']}", member


def _iterate_origins(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    if version.parent is not None:
        derived = {"prov:generatedEntity": _name_version(version), "prov:usedEntity": _name_version(version.parent)}
        yield "_:d0", {**derived, "prov:type": "prov:Revision"}
    for entry in _iterate_rows(version):
        source = f"guard:source/{_name_collection(entry['source'], redactor)}"
        derived = {"prov:generatedEntity": f"guard:entry/{entry['digest']}", "prov:usedEntity": source}
        yield f"_:d{entry['ordinal']}", derived
        for number, (name, _) in enumerate(_answers_of(entry), start=1):
            rested = {"prov:generatedEntity": f"guard:entry/{entry['digest']}", "prov:usedEntity": name}
            yield f"_:d{entry['ordinal']}-{number}", rested


_STATEMENTS: Final[Mapping[str, _Statements]] = MappingProxyType(
    {
        "entity": _iterate_entities,
        "agent": _iterate_people,
        "hadMember": _iterate_members,
        "wasDerivedFrom": _iterate_origins,
        "wasAttributedTo": _iterate_attributions,
    }
)


def _name_version(version: DatasetVersion) -> str:
    return f"guard:version/{version.pk}"


def _iterate_rows(version: DatasetVersion) -> Iterator[dict[str, Any]]:
    """What PROV says of each entry, without its conversation."""
    rows = version.entries.order_by("ordinal").values_list(
        "ordinal", "digest", "erased_at", "label__method", "item__origin", "item__source", "label__answers",
        "label__adjudication",
    )  # fmt: skip
    names = ("ordinal", "digest", "erased_at", "method", "origin", "source", "answers", "adjudication")
    for row in rows.iterator():
        yield dict(zip(names, row, strict=True))


def _name_collection(source: str, redactor: Redactor) -> str:
    """The collection's name without the place of the record in it, fit for the name of an entity."""
    return "-".join(redactor.redact_text(source.partition(": ")[0]).split()) or "this-workspace"
