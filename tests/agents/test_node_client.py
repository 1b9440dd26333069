"""The package for the AI SDK, tried by Node's own test runner against a small server: no registry is asked."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.stack import ROOT

PACKAGE: Final = ROOT / "reviews/agents/client-js"


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_the_package_passes_its_own_tests(tmp_path: Path) -> None:
    # A home without settings and no way to a proxy: nothing but the package itself is tried.
    ran = subprocess.run(
        ["node", "--test"],
        cwd=PACKAGE,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert ran.returncode == 0, ran.stdout[-5000:]
    assert "# skipped 0" in ran.stdout


def test_the_package_needs_no_other_one() -> None:
    described = json.loads((PACKAGE / "package.json").read_text())
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & described.keys()
    imported = {
        line.rpartition(" from ")[2].strip(' ";')
        for source in (PACKAGE / "src").glob("*.js")
        for line in source.read_text().splitlines()
        if " from " in line and line.lstrip().startswith(("import", "export", "}"))
    }
    assert all(name.startswith(("./", "node:")) for name in imported)
