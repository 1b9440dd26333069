"""IntentGuard against a real endpoint: it takes every form, and the calls are accounted for."""

from dataclasses import replace

import pytest

from reviews.provenance.core.context import PlanStep
from reviews.provenance.detectors import IntentGuard, verdict_of
from reviews.provenance.judges import ModelOptions
from reviews.provenance.judges.openai import OpenAIJudge
from tests.llm import MODEL
from tests.provenance.detectors.scripted import SEND, case

FEW_TOKENS = ModelOptions(answer_tokens=12)


@pytest.mark.timeout(300)
async def test_a_real_endpoint_takes_every_form_of_both_gates(llm: str) -> None:
    proposal = case(tools=(SEND,))
    planned = replace(proposal, context=replace(proposal.context, plan=(PlanStep("Pay Daniel", (SEND.name,)),)))
    # So few tokens end every answer within its reason: none rejects, and all four questions are asked.
    async with OpenAIJudge(model=MODEL, base_url=llm, options=FEW_TOKENS, timeout=60, readings=1) as judge:
        verdict = await verdict_of(IntentGuard(), planned, judge)
    assert [finding.subject for finding in verdict.findings].count("plan") == 2
    assert verdict.usage.calls == 4
    assert verdict.usage.completion_tokens == 4 * 12
    assert all("fit the form" in finding.rationale for finding in verdict.findings)
