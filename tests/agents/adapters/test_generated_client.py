"""The client that openapi-python-client makes of the document: it is imported whole, and takes a call to its end."""

import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.api.docs.test_openapi import document

HERE: Final = Path(__file__).parent
FRAMEWORKS: Final = os.environ.get("FRAMEWORKS", "")
GENERATOR: Final = Path(FRAMEWORKS, "openapi-python-client/bin")
IMPORT_ALL: Final = """
import importlib, pkgutil, generated
names = [module.name for module in pkgutil.walk_packages(generated.__path__, "generated.")]
[importlib.import_module(name) for name in names]
print(len(names), "generated.api.actions.actions_submit" in names)
"""


pytestmark = pytest.mark.skipif(
    not FRAMEWORKS, reason="FRAMEWORKS names no folder with an environment of the generator"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the generated client is the module `generated`."""
    folder = tmp_path_factory.mktemp("client")
    schema = folder / "schema.json"
    schema.write_text(json.dumps(document(), default=str))
    generate: list[str | Path] = [GENERATOR / "openapi-python-client", "generate", "--path", schema]
    options: list[str | Path] = ["--output-path", folder / "generated", "--meta", "none"]
    subprocess.run([*generate, *options], check=True, capture_output=True, cwd=folder)
    return folder


def run_python(folder: Path, *arguments: str | Path) -> str:
    """What the generator's Python prints, beside the generated client."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [GENERATOR / "python", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_generated_client_can_be_imported_whole(folder: Path) -> None:
    modules, has_submit = run_python(folder, "-c", IMPORT_ALL).split()
    assert int(modules) > 100
    assert has_submit == "True"


def test_a_generated_client_takes_a_call_from_its_proposal_to_its_outcome(
    running: tuple[str, str], folder: Path
) -> None:
    assert json.loads(run_python(folder, HERE / "generated_loop.py", *running)) == {
        "replayed": [None, "true", None, "true"],
        "runnable": True,
        "arguments": {"to": "Daniel", "amount": 3},
        "status": "succeeded",
        "listed": [True],
        "refused": "/problems/already-executed",
    }
