"""Findings that pages show, and an item that they stopped."""

from dataclasses import replace
from typing import Any

from reviews.desk.review.page import CaseFile
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Finding as Found
from reviews.provenance.core.findings import Grounding, Misalignment, Relation, StageResult
from tests.cast import CONTEXT, Cast, Script, flagged
from tests.desk.desk import opened
from tests.desk.poisoned import span_of

AMOUNT_FAILS = Found(
    Relation.DERIVED_FROM,
    "/amount",
    False,
    "The value 300 appears nowhere.",
    grounding=Grounding.UNGROUNDED,
    nearest=Span("query", 5, 8, "$30"),
)
TO_HOLDS = Found(
    Relation.DERIVED_FROM,
    "/to",
    True,
    "One record matches.",
    evidence=(Span("query", 12, 18, "Daniel"),),
    grounding=Grounding.RESOLVE,
)
CONTRADICTED = StageResult(
    "parameter",
    (replace(AMOUNT_FAILS, evidence=(Span("query", 5, 8, "$30"),)),),
    misalignment=Misalignment.PARAMETER,
)
FAILED = StageResult("parameter", (TO_HOLDS, AMOUNT_FAILS), misalignment=Misalignment.PARAMETER)


def stopped(cast: Cast, script: Script, *stages: StageResult, **choices: Any) -> CaseFile:
    script(*stages)
    return opened(flagged(cast, **choices))


def check_argument(file: CaseFile, path: str, **expected: object) -> None:
    argument = next(each for each in file.arguments.listed if each.path == path)
    assert {name: getattr(argument, name) for name in expected} == expected


FOUND = span_of("history/1/outcome", "daniel.kim@example.org", CONTEXT)
ASKED = span_of("query", "Daniel", CONTEXT)
