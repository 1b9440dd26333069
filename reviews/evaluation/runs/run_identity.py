"""What a verdict depends on besides its case: results under anything else are no results of this run."""

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType

from reviews import provenance
from reviews.evaluation.scripted.choosing import JudgeByCase
from reviews.provenance.detectors import Detector, Options
from reviews.provenance.judges import Judge
from reviews.provenance.prompts.prompt import prompt_versions


def identify_run(detector: Detector, judge: Judge | JudgeByCase, *, variant: str = "") -> str:
    """Names detector and judge in results, with a digest of everything else that a verdict depends on.

    `variant`: how the judge's model is asked. Options of the detector, wordings of the questions and the engine's code
    are found out here.
    """
    options = [repr(value) for value in vars(detector).values() if isinstance(value, Options)]
    parts = [options, dict(prompt_versions()), variant, engine_digest()]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
    return f"{detector.name} {detector.version}, {judge.name}, {digest}"


def engine_digest() -> str:
    """SHA-256, in hexadecimal, over the engine's code and data. Comments and layout make no difference."""
    return code_digest(provenance)


# Parsing takes a second, and the code does not change while it runs.
@cache
def code_digest(*packages: ModuleType) -> str:
    """The same over all that lies in these packages."""
    digest = hashlib.sha256()
    for package in packages:
        for file in sorted(_files_below(files(package)), key=str):
            text = file.read_text(encoding="utf-8")
            digest.update((ast.dump(ast.parse(text)) if file.name.endswith(".py") else text).encode())
    return digest.hexdigest()


def _files_below(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files_below(entry)
        elif entry.name.endswith((".py", ".md", ".toml")):
            yield entry
