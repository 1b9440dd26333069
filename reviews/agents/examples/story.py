"""One conversation of a scripted agent: what it submits, and what it does next."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final, Self

from reviews.agents.examples import catalog
from reviews.agents.examples.scenario import AskUser, Call, Past, Retry, Scenario, Stop, Turn

# An agent that is answered again and again stops somewhere, as real ones do.
MAX_ATTEMPTS: Final = 3
# From twenty minutes to an hour: long enough to be decided by a person, and different, so that deadlines differ from
# the order of arrival.
_PATIENCE_SECONDS: Final = (1200, 1800, 3600)
# Under this name an action's metadata says which conversation it belongs to, so that a restarted agent goes on with it.
_MARK: Final = "example_agent"


@dataclass(frozen=True)
class Attempt:
    """A call the agent is about to propose, with everything said before."""

    name: str
    """Of the scenario."""
    seed: str
    today: date
    call: Call
    past: Sequence[Past]
    number: int = 1
    retry_of: str | None = None
    scenario: Scenario = field(repr=False, kw_only=True)

    @classmethod
    def first(cls, name: str, *, seed: str, today: date) -> Self:
        """The beginning of a conversation."""
        scenario = catalog.build_scenario(name, seed=seed, today=today)
        return cls(name, seed, today, scenario.call, scenario.history, scenario=scenario)

    @classmethod
    def resumed(cls, metadata: Mapping[str, Any]) -> Self | None:
        """The attempt that an open action's metadata speaks of; None when it is no example agent's."""
        match metadata.get(_MARK):
            case {"scenario": str(name), "seed": str(seed), "today": str(today), "attempt": int(number)} if (
                name in catalog.BUILDS
            ):
                # With the day on which the conversation began: its particulars follow from it.
                begun = cls.first(name, seed=seed, today=date.fromisoformat(today))
                return replace(begun, number=number, call=begun.scenario.calls[0] if number > 1 else begun.call)
        return None

    @property
    def trace_id(self) -> str:
        """The conversation's name."""
        return f"{self.name}-{self.seed}"

    def plans(self) -> Iterator[dict[str, Any]]:
        """The bodies of `POST /api/v1/plans`: before anything was done, and each time the plan was sent back."""
        for steps in self.scenario.plans:
            yield {
                "trace_id": self.trace_id,
                "query": self.scenario.query,
                "tools": [tool.to_submission() for tool in self.scenario.tools],
                "history": [],
                "plan": [step.to_submission() for step in steps],
            }

    def submission(self) -> dict[str, Any]:
        """The body of `POST /api/v1/actions`."""
        return {
            "trace_id": self.trace_id,
            "query": self.scenario.query,
            "tools": [tool.to_submission() for tool in self.scenario.tools],
            "history": [turn.to_submission() for turn in self.past],
            "action": self.call.to_submission(),
            "risk": self.scenario.risk,
            "expires_in": _PATIENCE_SECONDS[len(self.name + self.seed) % len(_PATIENCE_SECONDS)],
            "retry_of": self.retry_of,
            "metadata": {
                _MARK: {
                    "scenario": self.name,
                    "seed": self.seed,
                    "today": self.today.isoformat(),
                    "attempt": self.number,
                }
            },
        }

    def outcome(self, tool: str) -> str:
        """What the tool returns when it runs."""
        return self.scenario.result if tool == self.scenario.call.tool else f"{tool}: done."

    def after_rejection(self, action_id: str, feedback: str) -> "Attempt | None":
        """The next attempt, or None: the agent leaves it."""
        # The script knows one correction; an agent whose correction is refused leaves it.
        if self.number > 1:
            return None
        match self.scenario.if_rejected:
            case Retry(call):
                subtask = f"{call.subtask} (the reviewer said: {feedback})" if feedback else call.subtask
                return self._next_attempt(action_id, replace(call, subtask=subtask))
            case AskUser(question, answer, call):
                return self._next_attempt(action_id, call, Turn("assistant", question), Turn("user", answer))
            case Stop():
                return None

    def after_answer(self, action_id: str, answer: str) -> "Attempt | None":
        """The next attempt: the reviewer's words count as the user's, and the call is the one that fits them best."""
        if self.number >= MAX_ATTEMPTS:
            return None
        call = max(self.scenario.calls, key=lambda call: _shared_words(answer, call))
        return self._next_attempt(action_id, call, Turn("user", answer))

    def _next_attempt(self, action_id: str, call: Call, *turns: Turn) -> "Attempt":
        return replace(self, call=call, past=[*self.past, *turns], number=self.number + 1, retry_of=action_id)


def _shared_words(answer: str, call: Call) -> int:
    call_text = f"{json.dumps(call.arguments, ensure_ascii=False)} {call.subtask}"
    return len(_words_of(answer) & _words_of(call_text))


def _words_of(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))
