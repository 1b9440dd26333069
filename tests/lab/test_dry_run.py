"""What a preview has run anew, by rules, because it stands on no record."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from reviews import access
from reviews.lab import dry_run
from reviews.lab.profile_preview import Route
from reviews.messaging import signals
from reviews.models import Action, Finding, JudgeKind, OnUnknown
from reviews.provenance.core.context import Case
from reviews.provenance.core.verdicts import Aligned, Verdict
from reviews.provenance.detectors import Options
from reviews.provenance.doubts.suspended_rule import NOTE
from reviews.scheduling import killable_checks
from tests.cast import WRONG, Cast, flagged
from tests.lab.previews import READING, REVIEWED, check_routes, llm, preview, recorded


def test_rules_find_what_is_not_on_record(cast: Cast) -> None:
    llm(cast, "direct-prompt")
    recorded(cast, "misaligned", READING)
    recorded(cast, "aligned", WRONG)
    found = check_routes(cast, Route.PASSED, REVIEWED, judge=JudgeKind.RULES, detectors=["provenance-guard"])
    assert (found.done, found.remaining) == (2, 0)
    assert "daniel.kin" in found.calls[0].verdicts[0].reason


def test_nothing_is_run_for_a_call_that_is_settled_without_it(cast: Cast, script: Any) -> None:
    flagged(cast)
    runs = script()
    preview(cast, tool_policies={"money_transfer": "deny"})
    assert runs.resumed_behind == []


def test_a_run_that_breaks_counts_as_an_objection(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    flagged(cast)
    monkeypatch.setattr("reviews.records.load.load_case", lambda action: None)
    found = check_routes(cast, REVIEWED, detectors=["argus"])
    assert found.calls[0].verdicts[0].reason == "The check failed: AttributeError."


@pytest.mark.usefixtures("endless_work")
def test_a_run_that_takes_too_long_counts_as_an_objection(cast: Cast) -> None:
    flagged(cast)
    found = check_routes(cast, REVIEWED, detectors=["argus"])
    assert found.calls[0].verdicts[0].reason == "The call could not be checked in 0.1 seconds."


@pytest.fixture
def one_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """In each request."""
    monkeypatch.setattr(dry_run, "MAX_RUNS", 1)
    yield
    signals.redis_client().flushdb()


@pytest.mark.usefixtures("one_run")
def test_what_was_found_is_kept_for_the_next_request(cast: Cast) -> None:
    for number in range(3):
        flagged(cast, trace_id=f"t{number}")
    steps = [preview(cast, detectors=["argus"]) for _ in range(3)]
    assert [(step.done, step.remaining) for step in steps] == [(1, 2), (2, 1), (3, 0)]


@pytest.mark.usefixtures("one_run")
def test_what_was_found_with_other_options_is_not_taken_for_it(cast: Cast) -> None:
    flagged(cast)
    preview(cast, detectors=["argus"])
    draft = copy.copy(access.current_profile(cast.workspace))
    assert dry_run.load_results(draft, ["argus"], actions(cast))
    draft.on_unknown = OnUnknown.REVIEW
    assert not dry_run.load_results(draft, ["argus"], actions(cast))


def test_a_draft_that_suspends_a_rule_runs_without_its_word(cast: Cast) -> None:
    flagged(cast)
    rules = sorted(set(Finding.objects.filter(holds=False).values_list("rule", flat=True)))
    found = check_routes(cast, REVIEWED, suspended_rules=rules)
    assert found.done == 1
    assert any(NOTE in verdict.reason for verdict in found.calls[0].verdicts)


def test_a_draft_is_run_under_its_own_ratings(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    flagged(cast)
    read: list[Any] = []

    def verdict_by_rules(name: str, options: Options, case: Case) -> Verdict:
        read.append(case)
        return Aligned(())

    monkeypatch.setattr(killable_checks, "verdict_by_rules", verdict_by_rules)
    monkeypatch.setattr(dry_run, "shared_pool", lambda megabytes: InPlace())
    preview(cast, source_trust={"search_contacts": "open_web"})
    assert [case.context.ratings for case in read] == [{"search_contacts": "open_web"}]


class InPlace:
    """Runs a function where it is called."""

    def run_within(self, seconds: float, function: Any, *arguments: Any) -> Any:
        return function(*arguments)


@pytest.mark.parametrize(
    "changes", [{"source_trust": {"search_contacts": "open_web"}}, {"suspended_rules": ["proofs.near_copy"]}]
)
def test_what_was_found_under_other_ratings_or_suspensions_is_not_taken_for_it(
    cast: Cast, changes: dict[str, Any]
) -> None:
    flagged(cast)
    preview(cast, detectors=["argus"])
    draft = copy.copy(access.current_profile(cast.workspace))
    assert dry_run.load_results(draft, ["argus"], actions(cast))
    for name, value in changes.items():
        setattr(draft, name, value)
    assert not dry_run.load_results(draft, ["argus"], actions(cast))


def actions(cast: Cast) -> list[Action]:
    return list(access.actions_for(cast.admin))


def test_without_redis_a_preview_goes_as_far_as_one_request(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    flagged(cast)
    away = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    monkeypatch.setattr(signals, "redis_client", lambda: away)
    found = preview(cast, detectors=["argus"])
    assert (found.done, found.remaining) == (1, 0)
