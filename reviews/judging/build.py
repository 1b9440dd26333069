"""The judge a guard profile asks for, and the one event loop its questions run on.

A question passes these on its way to a model, and stops at the first that can answer:

1. rules, which cost nothing;
2. the routing: key, price and breaker are the model's, so everything behind belongs to one model;
3. the cache, before the budget and the breaker: a kept answer needs neither money nor a reachable model;
4. the budget, before the breaker: a question that is not paid for is never asked, so it must not pass for a probe that
   was answered;
5. the breaker, right before the endpoint: what it counts is what the endpoint does;
6. the endpoint, with its time-outs and retries.
"""

from functools import cache, lru_cache
from typing import Final
from uuid import UUID

from django.conf import settings

from reviews.judging import redis_stores
from reviews.judging.prices import prices_of
from reviews.judging.spending import Book, WorkspaceAccount
from reviews.models import GuardProfile, JudgeKind
from reviews.provenance.judges import (
    Breaker,
    Budget,
    Caching,
    Judge,
    Limits,
    OpenAIJudge,
    Patience,
    Routing,
    RulesFirst,
    RulesJudge,
)

ANSWER_TOKENS: Final = 2048
"""Most tokens of one answer: what is asked for, and what a call in flight is charged."""
RETRIES: Final = 2
"""By the endpoint's client, within one question."""
_PROBE_SLACK: Final = 30.0
"""Seconds that a probe's worker may be behind before it counts as dead."""


def judge_for(profile: GuardProfile) -> Judge:
    """Rules alone, or rules first and the profile's models for the rest."""
    match JudgeKind(profile.judge):
        case JudgeKind.RULES:
            return RulesJudge()
        case JudgeKind.OPENAI:
            return RulesFirst(_routed(profile))


def _routed(profile: GuardProfile) -> Judge:
    usd = None if profile.daily_usd is None else float(profile.daily_usd)
    limits = Limits(profile.daily_tokens, usd)
    default = _guarded(profile.workspace_id, profile.model or settings.GUARD.guard_model, limits)
    others = profile.question_models.items()
    return Routing(default, {question: _guarded(profile.workspace_id, model, limits) for question, model in others})


# Kept, so that identical questions of checks that run side by side find each other.
@lru_cache(maxsize=1024)
def _guarded(workspace_id: UUID, model: str, limits: Limits) -> Judge:
    account = WorkspaceAccount(workspace_id, _book())
    paid = Budget(_model(model), account, limits, prices=prices_of(model), answer_tokens=ANSWER_TOKENS)
    lifetime = settings.GUARD.judge_cache_seconds
    if not lifetime:
        return paid
    answers = redis_stores.RedisAnswers(redis_stores.client(), lifetime=lifetime)
    return Caching(paid, answers, scope=str(workspace_id))


@cache
def _book() -> Book:
    return Book()


@cache
def _model(name: str) -> Judge:
    guard = settings.GUARD
    endpoint = OpenAIJudge(
        model=name,
        api_key=guard.openai_api_key.get_secret_value() if guard.openai_api_key else None,
        base_url=guard.openai_base_url,
        timeout=guard.judge_timeout_seconds,
        max_retries=RETRIES,
        max_tokens=ANSWER_TOKENS,
        prices=prices_of(name),
    )
    state = redis_stores.RedisState(redis_stores.client(), endpoint=guard.openai_base_url or "", model=name)
    return Breaker(endpoint, state, _patience())


def _patience() -> Patience:
    guard = settings.GUARD
    longest_call = guard.judge_timeout_seconds * (RETRIES + 1)
    return Patience(
        failures=guard.judge_breaker_failures, rest=guard.judge_breaker_seconds, probe=longest_call + _PROBE_SLACK
    )
