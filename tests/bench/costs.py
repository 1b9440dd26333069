"""What it costs to work on a body, measured in a process that can be killed."""

import gc
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import django


def cost_of(target: str, body: bytes) -> tuple[float, float]:
    """Seconds of CPU and megabytes, beyond what the process had, that the work takes."""
    # Run in a process of a pool, which knows nothing of the product yet.
    django.setup()
    # As the web's processes have it.
    gc.collect()
    gc.freeze()
    gc.set_threshold(25_000, 20, 20)
    # Makes the kernel forget the highest size so far.
    Path("/proc/self/clear_refs").write_text("5")
    before, started = _kilobytes("VmRSS"), time.process_time()
    TARGETS[target](body)
    return time.process_time() - started, (_kilobytes("VmHWM") - before) / 1024


def _kilobytes(what: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:"))


def _read_body(body: bytes) -> None:
    from tests.bodies import read_body  # noqa: PLC0415 - only behind `django.setup`

    read_body(body)


def _read_line(body: bytes) -> None:
    """Import the body as a line of a chat log, and as one of our own format."""
    from uuid import uuid4  # noqa: PLC0415

    from reviews.datasets import imports  # noqa: PLC0415 - only behind `django.setup`
    from reviews.datasets.reader_registry import COLLECTIONS  # noqa: PLC0415
    from reviews.models import ImportJob  # noqa: PLC0415

    for reader, text in (("openai-chats", body), ("items", b'{"case":' + body.replace(b"\n", b" ") + b"}")):
        job = ImportJob(dataset_id=uuid4(), reader=reader)
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(text)
            file.flush()
            batch, counts = imports._Batch(), imports._Counts(0, 0, 0)
            for record in COLLECTIONS[reader].read(Path(file.name)).iter_records():
                imports._collect_record(job, record, 1, batch, counts)


def _check(body: bytes) -> None:
    """Read the body and check the call by rules alone, as far as the engine's own budget reaches."""
    import asyncio  # noqa: PLC0415

    from reviews.errors import ReviewError  # noqa: PLC0415 - only behind `django.setup`
    from reviews.intake.wire.bounded_json_body import decode_submission  # noqa: PLC0415
    from reviews.intake.wire.read_action import read_proposal  # noqa: PLC0415
    from reviews.provenance import detectors  # noqa: PLC0415
    from reviews.provenance.core.context import Case  # noqa: PLC0415
    from reviews.provenance.detectors import Options  # noqa: PLC0415
    from reviews.provenance.judges import RulesJudge  # noqa: PLC0415

    try:
        proposal = read_proposal(decode_submission(body), trusted=lambda: True)
    except ReviewError:
        return
    guard = detectors.build(detectors.ProvenanceGuard.name, Options())
    asyncio.run(detectors.verdict_of(guard, Case(proposal.context, proposal.action), RulesJudge()))


TARGETS: Final[Mapping[str, Callable[[bytes], Any]]] = MappingProxyType(
    {"body": _read_body, "line": _read_line, "engine": _check}
)
"""What can be searched for slow bodies, by the name that HOSTILE_TARGETS uses."""
