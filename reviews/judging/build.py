"""Build the judge that a guard profile asks for.

A question passes these on its way to a model, and stops at the first that can answer:

1. rules, which cost nothing;
2. the routing: key, price and breaker are the model's, so everything behind belongs to one model;
3. the cache, before the budget and the breaker: a kept answer needs neither money nor a reachable model;
4. the budget, before the breaker: a question that is not paid for is never asked, so it must not pass for a probe that
   was answered;
5. the breaker, right before the endpoint: what it counts is what the endpoint does;
6. the endpoint, with its time-outs and retries, under the first key that it takes.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings

from reviews.judging import redis_stores
from reviews.judging.breaker import Breaker, Patience
from reviews.judging.daily_budget import Budget, Limits
from reviews.judging.endpoint_fallback import Counted, EitherKey
from reviews.judging.model_endpoint import READINGS, RETRIES, build_endpoint, options_of
from reviews.judging.prices import prices_of
from reviews.judging.routing import Routing
from reviews.judging.spending import Book, WorkspaceAccount
from reviews.models import GuardProfile, JudgeKind
from reviews.provenance.judges import Caching, Judge, ModelOptions, RulesFirst, RulesJudge

# A worker that waits for the database or for a core is not dead; half a minute is more than either takes.
_PROBE_SLACK: Final = 30.0
"""Seconds that a probe's worker may be behind before it counts as dead."""


def judge_for(
    profile: GuardProfile,
    wrap_models: Callable[[Judge], Judge] | None = None,
    *,
    draw: str = "",
    is_sampled: bool = False,
    as_published: bool = False,
) -> Judge:
    """Rules alone, or rules first and the profile's models, wrapped as the caller says, for the rest.

    `draw` names one of several samples: it shares no stored answers with others. With `is_sampled` the models answer
    at the endpoint's default temperature, so that samples differ. `as_published`: as papers have it, the models alone,
    whose output is not asked for again where it cannot be read.
    """
    # Raises for a kind that is no judge, instead of taking it for a paid one.
    if JudgeKind(profile.judge) == JudgeKind.RULES:
        return RulesJudge()
    limits = limits_of(profile)
    sample = _Sample(draw, is_sampled, as_published)
    default = _model_for_workspace(profile.workspace_id, profile.model or settings.GUARD.guard_model, limits, sample)
    by_question = {
        question: _model_for_workspace(profile.workspace_id, model, limits, sample)
        for question, model in profile.question_models.items()
    }
    models = Routing(default, by_question)
    wrapped = wrap_models(models) if wrap_models else models
    return wrapped if as_published else RulesFirst(wrapped)


class _Sample(NamedTuple):
    """Which of several answers to one question is meant, and how it is had."""

    draw: str
    is_sampled: bool
    """Whether it is drawn at the endpoint's default temperature."""
    is_only_read_once: bool = False
    """Whether one that cannot be read is not asked for again."""


def limits_of(profile: GuardProfile) -> Limits:
    """What the profile allows its judge a day."""
    return Limits(profile.daily_tokens, None if profile.daily_usd is None else float(profile.daily_usd))


# One object for each workspace, model and limits, so that identical questions of checks that run side by side find each
# other in its cache. 1024 is above what a worker meets; one that is dropped only costs that sharing.
@lru_cache(maxsize=1024)
def _model_for_workspace(workspace_id: UUID, model: str, limits: Limits, sample: _Sample) -> Judge:
    account = WorkspaceAccount(workspace_id, _book())
    options = options_of(model, is_sampled=sample.is_sampled)
    endpoint = _build_model(model, options, readings=1 if sample.is_only_read_once else READINGS)
    paid = Budget(endpoint, account, limits, prices=prices_of(model), answer_tokens=options.answer_tokens)
    # 0 keeps no answers, and then nothing is shared in flight either: every question is really asked.
    lifetime = settings.GUARD.judge_cache_seconds
    if not lifetime:
        return paid
    answers = redis_stores.RedisAnswers(redis_stores.redis_client(), lifetime=lifetime)
    # An answer under other options is another model's, and one of another draw a sample of its own.
    return Caching(paid, answers, scope=f"{workspace_id} {options.fingerprint} {sample.draw}".rstrip())


def forget_models() -> None:
    """In a child that was just forked: make new judges, because connections and threads stay with the parent."""
    for cached in (_model_for_workspace, _book, _build_model, redis_stores.redis_client):
        cached.cache_clear()


# One for the process: it gathers the charges of all workspaces into few statements.
_book = cache(Book)


# One for each model and way to ask it, so that all workspaces share its connections and its breaker.
@cache
def _build_model(name: str, options: ModelOptions, *, readings: int) -> Judge:
    guard = settings.GUARD
    endpoint: Judge = build_endpoint(name, options=options, readings=readings)
    if guard.openai_api_key_second is not None:
        second = build_endpoint(name, key=guard.openai_api_key_second, options=options, readings=readings)
        endpoint = EitherKey(endpoint, second)
    state = redis_stores.RedisState(redis_stores.redis_client(), endpoint=guard.openai_base_url or "", model=name)
    # A probe that is only slow must not be taken for dead: as long as one call with all its retries, and some more.
    probe = guard.judge_timeout_seconds * (RETRIES + 1) + _PROBE_SLACK
    patience = Patience(failures=guard.judge_breaker_failures, rest=guard.judge_breaker_seconds, probe=probe)
    return Breaker(Counted(endpoint), state, patience)
