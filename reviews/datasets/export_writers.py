"""A frozen version as a file: JSON lines, CSV, Parquet, a folder for Hugging Face's library, PROV-JSON.

Each writer writes batch by batch and calls `done` with the rows written so far; memory does not grow with their number.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from reviews.datasets import spreadsheets
from reviews.datasets.export_rows import (
    COLUMNS,
    Done,
    columns_of,
    copy_csv_rows,
    copy_jsonl_lines,
    iterate_batches,
    needs_python,
)
from reviews.models import DatasetVersion, ExportFormat
from reviews.retention.redaction import Redactor

Writer = Callable[[DatasetVersion, Collection[str], BinaryIO, Done], None]
_ProvStatements = Callable[[DatasetVersion, Redactor], Iterator[tuple[str, dict[str, Any]]]]


def write_jsonl(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """One object a line, as `evaluation.benchmarks.items` reads it."""
    _write_pieces(iterate_jsonl(version, redact), file, done)


def iterate_jsonl(version: DatasetVersion, redact: Collection[str] = ()) -> Iterator[bytes]:
    """The same as pieces of any length, for an answer that is streamed."""
    if not needs_python(version, redact):
        yield from copy_jsonl_lines(version)
        return
    for lines in iterate_batches(version, redact=redact):
        yield "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def write_csv(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A header and one row an entry."""
    spreadsheets.write_rows([tuple(COLUMNS)], file)
    if not needs_python(version, redact):
        _write_pieces(copy_csv_rows(version), file, done)
        return
    lines = (line for lines in iterate_batches(version, redact=redact) for line in lines)
    spreadsheets.write_rows((tuple(columns_of(line).values()) for line in lines), file, done)


def write_parquet(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """All splits in one file, in row groups."""
    # Imported here, and below: it needs pyarrow, 24 MB of a process, and only a worker ever writes such a file.
    from reviews.datasets import export_parquet  # noqa: PLC0415

    export_parquet.write_file(version, redact, file, done)


def write_folder(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """A zip archive with README.md and a Parquet file or more for each split."""
    from reviews.datasets import export_parquet  # noqa: PLC0415

    export_parquet.write_folder(version, redact, file, done)


def write_prov(version: DatasetVersion, redact: Collection[str], file: BinaryIO, done: Done) -> None:
    """The version, its entries and where each comes from, as W3C PROV in JSON: sources, single answers, adjudications.

    People have pseudonyms. Of what they wrote it quotes only why a label was settled.
    """
    file.write(b'{"prefix": {"guard": "urn:provenanceguard:"}')
    redactor = Redactor(redact)
    # PROV-JSON lists by kind of statement, so the entries are read once for each kind rather than held.
    for kind, statements in _PROV.items():
        file.write(f', "{kind}": {{'.encode())
        for number, (name, statement) in enumerate(statements(version, redactor)):
            separator = ", " if number else ""
            file.write(f"{separator}{json.dumps(name)}: {json.dumps(statement)}".encode())  # one by one
        file.write(b"}")
        done(0)
    file.write(b"}")


def _prov_entities(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    name = _prov_name(version)
    hashes = {"guard:contentHash": version.content_hash, "guard:chainHash": version.chain_hash}
    yield name, {"prov:type": "prov:Collection", "prov:label": f"{version.dataset} {version}", **hashes}
    if version.parent is not None:
        yield _prov_name(version.parent), {"prov:type": "prov:Collection"}
    for entry in _prov_rows(version):
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
        for name, answer in _prov_answers(entry):
            judged = {"guard:judgement": answer["judgement"], "guard:seconds": answer["seconds"]}
            yield name, {"prov:type": "guard:Answer", "prov:generatedAtTime": answer["at"], **judged}
    sources = version.entries.order_by().values_list("item__source", flat=True)
    for name in {_name_collection(source) for source in sources.iterator()}:
        yield f"guard:source/{name}", {"prov:label": name}


def _prov_answers(entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each single answer that an entry's label rests on, with its name."""
    for number, answer in enumerate(entry["answers"] or (), start=1):
        yield f"guard:answer/{entry['digest']}/{number}", answer


def _prov_people(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    people = set()
    for entry in _prov_rows(version):
        people |= {answer["annotator"] for _, answer in _prov_answers(entry)}
        people |= {entry["adjudication"]["adjudicator"]} if entry["adjudication"] else set()
    for person in sorted(people):
        yield f"guard:{person}", {"prov:type": "prov:Person"}


def _prov_attributions(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    for entry in _prov_rows(version):
        for number, (name, answer) in enumerate(_prov_answers(entry), start=1):
            attributed = {"prov:entity": name, "prov:agent": f"guard:{answer['annotator']}"}
            yield f"_:a{entry['ordinal']}-{number}", attributed
        if entry["adjudication"]:
            settled = {"prov:entity": f"guard:entry/{entry['digest']}"}
            yield f"_:a{entry['ordinal']}", {**settled, "prov:agent": f"guard:{entry['adjudication']['adjudicator']}"}


def _prov_members(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    for entry in _prov_rows(version):
        member = {"prov:collection": _prov_name(version), "prov:entity": f"guard:entry/{entry['digest']}"}
        yield f"_:m{entry['ordinal']}", member


def _prov_origins(version: DatasetVersion, redactor: Redactor) -> Iterator[tuple[str, dict[str, Any]]]:
    del redactor
    if version.parent is not None:
        derived = {"prov:generatedEntity": _prov_name(version), "prov:usedEntity": _prov_name(version.parent)}
        yield "_:d0", {**derived, "prov:type": "prov:Revision"}
    for entry in _prov_rows(version):
        source = f"guard:source/{_name_collection(entry['source'])}"
        derived = {"prov:generatedEntity": f"guard:entry/{entry['digest']}", "prov:usedEntity": source}
        yield f"_:d{entry['ordinal']}", derived
        for number, (name, _) in enumerate(_prov_answers(entry), start=1):
            rested = {"prov:generatedEntity": f"guard:entry/{entry['digest']}", "prov:usedEntity": name}
            yield f"_:d{entry['ordinal']}-{number}", rested


_PROV: Final[Mapping[str, _ProvStatements]] = MappingProxyType(
    {
        "entity": _prov_entities,
        "agent": _prov_people,
        "hadMember": _prov_members,
        "wasDerivedFrom": _prov_origins,
        "wasAttributedTo": _prov_attributions,
    }
)


def _prov_name(version: DatasetVersion) -> str:
    return f"guard:version/{version.pk}"


def _prov_rows(version: DatasetVersion) -> Iterator[dict[str, Any]]:
    """What PROV says of each entry, without its conversation."""
    rows = version.entries.order_by("ordinal").values_list(
        "ordinal", "digest", "erased_at", "label__method", "item__origin", "item__source", "label__answers",
        "label__adjudication",
    )  # fmt: skip
    names = ("ordinal", "digest", "erased_at", "method", "origin", "source", "answers", "adjudication")
    for row in rows.iterator():
        yield dict(zip(names, row, strict=True))


def _name_collection(source: str) -> str:
    """The collection's name without the place of the record in it, fit for the name of an entity."""
    return "-".join(source.partition(": ")[0].split()) or "this-workspace"


def _write_pieces(pieces: Iterable[bytes], file: BinaryIO, done: Done) -> None:
    rows = 0
    for piece in pieces:
        file.write(piece)
        # Rows hold no line end of their own in JSON lines; in CSV the figure is the progress shown, and no more.
        rows += piece.count(b"\n")
        done(rows)


WRITERS: Final[Mapping[str, tuple[Writer, str]]] = MappingProxyType(
    {
        ExportFormat.JSONL: (write_jsonl, "jsonl"),
        ExportFormat.CSV: (write_csv, "csv"),
        ExportFormat.PARQUET: (write_parquet, "parquet"),
        ExportFormat.FOLDER: (write_folder, "zip"),
        ExportFormat.PROV: (write_prov, "prov.json"),
    }
)
"""Each format's writer and the ending of its file."""
