"""What any kind of examination may do when it ends, and what happens to it when the lease is gone by then."""

from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F

from reviews.checks import run
from reviews.models import Action, Check, CheckStatus, Trace
from reviews.provenance.core.verdicts import Verdict
from reviews.provenance.judges import JudgeMisconfiguredError
from reviews.scheduling import attempts
from tests.cast import PASSED, UNSURE, Cast, Script, propose
from tests.jobs import run_attempt


class Counting(run._Checks):
    """Counts on the trace when a check ends, and words the reason itself."""

    def answer_columns(self, examined: Check, verdict: Verdict) -> dict[str, Any]:
        Trace.objects.filter(pk=examined.action.trace_id).update(rewrites=F("rewrites") + 1)
        return {"reason": f"It is {verdict.label}."}


class Overtaken(Counting):
    """Loses its lease at the very end."""

    def answer_columns(self, examined: Check, verdict: Verdict) -> dict[str, Any]:
        counted = super().answer_columns(examined, verdict)
        self.all_rows().filter(pk=examined.pk).update(lease=uuid4())
        return counted


def check_ended(action: Action, work: attempts.JobKind[Check], status: CheckStatus, counted: int) -> Check:
    """After one attempt the check stands so, and its end was counted so often."""
    run_attempt(work, action.checks.get().pk)
    check = action.checks.select_related("action__trace").get()
    assert (check.status, check.action.trace.rewrites) == (status, counted)
    return check


def test_what_the_end_brings_about_is_stored_with_the_verdict(cast: Cast, script: Script) -> None:
    script(PASSED)
    assert check_ended(propose(cast), Counting(), CheckStatus.DONE, 1).reason == "It is aligned."


@pytest.mark.parametrize("trouble", [UNSURE, JudgeMisconfiguredError("wrong key")])
def test_an_end_without_an_answer_is_answered_too(cast: Cast, script: Script, trouble: Any) -> None:
    script(trouble)
    assert check_ended(propose(cast), Counting(), CheckStatus.DONE, 1).reason == "It is undetermined."


def test_it_is_brought_about_once(cast: Cast, script: Script) -> None:
    script(PASSED)
    action = propose(cast)
    check_ended(action, Counting(), CheckStatus.DONE, 1)
    check_ended(action, Counting(), CheckStatus.DONE, 1)


def test_without_the_lease_it_is_taken_back(cast: Cast, script: Script) -> None:
    script(PASSED)
    check = check_ended(propose(cast), Overtaken(), CheckStatus.RUNNING, 0)
    assert (check.verdict, check.findings.count()) == ("", 0)
