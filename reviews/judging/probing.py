"""Try a model of the installation's endpoint with questions whose answers are known."""

import asyncio
from typing import TYPE_CHECKING, Final

from reviews.judging.build import limits_of
from reviews.judging.daily_budget import Budget
from reviews.judging.model_endpoint import build_endpoint
from reviews.judging.prices import prices_of
from reviews.judging.probe import ProbeReport, probe_model
from reviews.judging.spending import Book, WorkspaceAccount
from reviews.models import GuardProfile
from reviews.provenance.judges import Judge

if TYPE_CHECKING:
    from reviews.provenance.judges.openai import OpenAIJudge

# A person waits for three answers, and a model that reasons takes its time. Longer than that no proxy keeps a request.
MAX_SECONDS: Final = 50.0
"""Of a probe that a person waits for on a page."""


def probe_for_workspace(profile: GuardProfile, model: str) -> ProbeReport:
    """What the model can do, asked at the expense of the workspace's daily budget."""

    async def ask() -> ProbeReport:
        book = Book()

        def within_budget(endpoint: "OpenAIJudge") -> Judge:
            account = WorkspaceAccount(profile.workspace_id, book)
            tokens = endpoint.options.answer_tokens
            return Budget(endpoint, account, limits_of(profile), prices=prices_of(model), answer_tokens=tokens)

        async with build_endpoint(model, timeout=MAX_SECONDS, max_retries=0) as endpoint:
            return await probe_model(endpoint, asking=within_budget, seconds=MAX_SECONDS)

    return asyncio.run(ask())
