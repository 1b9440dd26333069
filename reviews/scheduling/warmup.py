"""A few checks before the first, in the process that forks the others.

The names of months, currencies and numbers in all locales are made when they are first needed, which costs fifty times
what an ordinary check does. Done before the fork, they are in every process, and in whichever replaces one that was
killed: otherwise the first agents that each of them serves would wait, and on a busy machine count as some that keep
processes.
"""

import asyncio
from functools import cache
from importlib import import_module
from typing import Final

from django.conf import settings

from reviews.provenance import detectors
from reviews.provenance.core.context import Case, Claim, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.detectors import Options
from reviews.provenance.judges.rules_judge import RulesJudge

# Each in its own language: numbers in words and names of days have tables that only their language needs.
REQUESTS: Final = (
    "Send twelve tins to Miller on 3 March 2031, at half past three in the afternoon.",
    "Schicke am 3. März 2031 zwölf Dosen an Miller.",
    "Envoie douze pots à Miller le 3 mars 2031.",
    "Envía doce latas a Miller el 3 de marzo de 2031.",
    "Envia doze latas a Miller em 3 de março de 2031.",
    "Manda dodici barattoli a Miller il 3 marzo 2031.",
    "Stuur op 3 maart 2031 twaalf blikken naar Miller.",
    "2031年3月3日にMillerへ12缶送って。",
    "2031年3月3日给Miller寄十二罐。",
)
_TOOLS: Final = (
    ToolDoc(
        "send_tins",
        "Sends tins to a customer. Cannot be undone.",
        {
            "type": "object",
            "properties": {
                "tins": {"type": "integer"},
                "customer": {"type": "string"},
                "day": {"type": "string"},
                "until": {"type": "string", "format": "date-time"},
            },
            "required": ["tins", "customer", "day"],
        },
    ),
    ToolDoc("list_customers", "Lists all customers.", {"type": "object"}, environment_changing=False),
)
_FOUND: Final = Step("list_customers", {}, '[{"id": "C-7", "name": "Miller"}, {"id": "C-8", "name": "Ortega"}]')
# A number, a value that comes from a record, a day and a moment: what most calls are of. That the agent says where it
# took some from has words read that are quoted, as of a judge.
_ACTION: Final = ProposedAction(
    "send_tins",
    {"tins": 12, "customer": "C-7", "day": "2031-03-03", "until": "2031-03-03T15:30:00"},
    claims=(Claim("/tins", quote="Send twelve tins"), Claim("/until", quote="at half past three in the afternoon")),
)


@cache  # once in a process, however many it forks
def warm_up_before_fork() -> tuple[Verdict, ...]:
    """Check a call that nobody makes, by rules alone. Touches nothing but what the engine keeps between checks."""
    if settings.GUARD.openai_api_key or settings.GUARD.openai_base_url:
        # As large as all the rest: once here, and not in each process at its first question.
        import_module("reviews.provenance.judges.openai")
    return tuple(map(verdict_on, REQUESTS))


def verdict_on(request: str) -> Verdict:
    """What the guard says of the call when this was asked for."""
    case = Case(Context(query=request, tools=_TOOLS, history=(_FOUND,)), _ACTION)
    guard = detectors.build(detectors.ProvenanceGuard.name, Options())
    return asyncio.run(detectors.verdict_of(guard, case, RulesJudge()))
