"""Where the real traces are, if they are here."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKBENCH = Path(os.environ.get("GUARD_DATA", ROOT.parent / "shared" / "data")) / "workbench"

needs_workbench = pytest.mark.skipif(
    not (WORKBENCH / "derived_labels.jsonl").exists(),
    reason=f"The WorkBench traces are not at {WORKBENCH}; set GUARD_DATA to the folder that holds workbench/.",
)
