"""The pages to which the `type` of a problem leads."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

from django.test import Client
from rest_framework import exceptions

import reviews
from reviews import errors
from reviews.api import problems
from reviews.api.docs.problem_types import PROBLEM_TYPES
from tests.api.agent import ACTIONS, Agent, read

E = TypeVar("E", bound=Exception)
DESCRIBED = {each.slug: each for each in PROBLEM_TYPES}


def kinds_of(error: type[E]) -> Iterator[type[E]]:
    """The class and everything made of it."""
    yield error
    for kind in error.__subclasses__():
        yield from kinds_of(kind)


def refusals() -> set[type[errors.ReviewError]]:
    """Every refusal that some module of the product declares."""
    for module in pkgutil.walk_packages(reviews.__path__, "reviews."):
        # Commands and what agents install declare none, and some of the latter import what is not installed here.
        if not module.name.startswith(("reviews.agents", "reviews.management", "reviews.migrations")):
            importlib.import_module(module.name)
    return set(kinds_of(errors.ReviewError))


def statuses() -> set[HTTPStatus]:
    """Every status that is answered without a use case behind it: as the code names it, or the framework does."""
    framework = {HTTPStatus(kind.status_code) for kind in kinds_of(exceptions.APIException)}
    named = {
        HTTPStatus[node.attr]
        for path in (Path(reviews.__path__[0]) / "api").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "HTTPStatus"
    }
    return {status for status in framework | named if status >= HTTPStatus.BAD_REQUEST}


def test_every_refusal_that_the_code_can_raise_is_described() -> None:
    described = {(each.slug, each.status, each.title) for each in PROBLEM_TYPES}
    raised = {(error.problem, error.status_code, error.title) for error in refusals()}
    assert len(raised) > 30
    assert raised - described == set()


def test_every_status_that_is_answered_by_itself_is_described() -> None:
    described = {(each.slug, each.status) for each in PROBLEM_TYPES}
    assert {(problems.slug_of(status), status.value) for status in statuses()} - described == set()


def test_nothing_is_described_that_no_code_answers_with() -> None:
    answered = {error.problem for error in refusals()} | {problems.slug_of(status) for status in statuses()}
    assert set(DESCRIBED) - answered == set()


def test_the_type_of_a_problem_leads_to_its_page_without_a_key(agent: Agent) -> None:
    refusal = read(agent.post(ACTIONS, {}))
    answered = Client().get(refusal["type"])
    assert answered.status_code == 200
    page = answered.content.decode()
    shown = {slug for slug in DESCRIBED if f'id="{slug}"' in page}
    assert shown == {refusal["type"].removeprefix("/problems/")}


def test_every_type_has_its_place_on_the_page_that_the_reference_links_to() -> None:
    assert 'href="/problems/"' in Client().get("/api/v1/docs/").content.decode()
    page = Client().get("/problems/").content.decode()
    assert [each.slug for each in PROBLEM_TYPES if f'id="{each.slug}"' not in page] == []


def test_what_is_no_type_has_no_page() -> None:
    assert Client().get("/problems/nothing").status_code == 404
