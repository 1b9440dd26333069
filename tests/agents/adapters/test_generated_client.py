"""The client that openapi-python-client makes of the document: every module of it can be imported."""

import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.api.docs.test_openapi import document

FRAMEWORKS: Final = os.environ.get("FRAMEWORKS", "")
GENERATOR: Final = Path(FRAMEWORKS, "openapi-python-client/bin")
IMPORT_ALL: Final = """
import importlib, pkgutil, generated
names = [module.name for module in pkgutil.walk_packages(generated.__path__, "generated.")]
[importlib.import_module(name) for name in names]
print(len(names), "generated.api.actions.actions_submit" in names)
"""


@pytest.mark.skipif(not FRAMEWORKS, reason="FRAMEWORKS names no folder with an environment of the generator")
def test_a_generated_client_can_be_imported_whole(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(document(), default=str))
    generate: list[str | Path] = [GENERATOR / "openapi-python-client", "generate", "--path", schema]
    options: list[str | Path] = ["--output-path", tmp_path / "generated", "--meta", "none"]
    subprocess.run([*generate, *options], check=True, capture_output=True, cwd=tmp_path)
    ran = subprocess.run(
        [GENERATOR / "python", "-c", IMPORT_ALL], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    modules, has_submit = ran.stdout.split()
    assert int(modules) > 100
    assert has_submit == "True"
