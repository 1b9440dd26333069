"""Where the recorded benchmarks are, if they are here."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("GUARD_DATA", ROOT.parent / "shared" / "data"))
WORKBENCH, AGENTDOJO = DATA / "workbench", DATA / "agentdojo"
TAUBENCH, BFCL_RUNS = DATA / "taubench", DATA / "bfcl"
WEBSHOP, ASB_RUNS = DATA / "webshop_react", DATA / "asb"


def _needs(folder: Path, labels: str = "derived_labels.jsonl") -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not (folder / labels).exists(),
        reason=f"There are no traces at {folder}; set GUARD_DATA to the folder that holds {folder.name}/.",
    )


needs_workbench, needs_agentdojo = _needs(WORKBENCH), _needs(AGENTDOJO)
needs_webshop, needs_asb = _needs(WEBSHOP, "labels.jsonl"), _needs(ASB_RUNS)
needs_taubench, needs_bfcl = _needs(TAUBENCH, "NOTICE"), _needs(BFCL_RUNS, "NOTICE")
