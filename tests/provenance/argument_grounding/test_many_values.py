"""However many values a call has and however long the texts are that they are looked for in, the budget bounds both."""

import gc
import time
from collections.abc import Callable
from typing import Final

import pytest

from reviews.provenance.argument_grounding import ground_arguments
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Step
from reviews.provenance.core.work_budget import STEPS, Budget

pytestmark = pytest.mark.bench

_LENGTH: Final = 450_000
# Times as long as all steps of a budget by themselves: each stands for more than a subtraction.
_MOST: Final = 10
_VALUES: Final[dict[str, tuple[list[JsonValue], str]]] = {
    "times": ([f"{n % 24:02}:{n % 60:02}" for n in range(1440)], "2030-01-01 10:10 "),
    "days": ([f"20{n % 99:02}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(1000)], "2030-01-01 "),
    "numbers": ([n * 7 + 1.5 for n in range(1000)], "1111 "),
    "numbers in words": ([n * 7 + 1.5 for n in range(1000)], "one two "),
    "numbers within numbers": ([1], "11 "),
    "codes": ([f"ab{n:08}" for n in range(1000)], "ab0000 "),
    "phones": ([f"+49 30 {n:07}" for n in range(1000)], "+49 30 "),
    "words": ([f"word{n}" for n in range(3000)], "word "),
    "quotations": ([f"word{n}" for n in range(3000)], '"word" '),
}


@pytest.mark.parametrize("kind", _VALUES)
@pytest.mark.parametrize("by_the_user", [True, False])
def test_what_is_charged_to_the_budget_takes_as_long_as_its_steps(kind: str, by_the_user: bool) -> None:
    values, unit = _VALUES[kind]
    text = unit * (_LENGTH // len(unit))
    query, history = (text, ()) if by_the_user else ("Send it.", (Step("read", {}, text),))
    case = Case(Context(query, (), history), ProposedAction("send", {"to": values}))
    assert cpu_of(lambda: ground_arguments(case)) <= _MOST * cpu_of(spend_all)


def spend_all() -> None:
    budget = Budget()
    for _ in range(STEPS):
        budget.spend()


def cpu_of(work: Callable[[], object]) -> float:
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started
