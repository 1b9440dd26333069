from reviews.evaluation.benchmarks.workbench import Workbench
from reviews.evaluation.benchmarks.workbench_cases import WorkbenchCases
from reviews.intake.wire.read_action import read_proposal
from reviews.lab.replay.proposals import read_proposals
from tests.evaluation.data import WORKBENCH, needs_workbench
from tests.evaluation.folders import Folder, only_trace


def test_only_the_labelled_call_is_proposed(folder: Folder) -> None:
    workbench = folder()
    (proposal,) = read_proposals(workbench, only_trace(workbench), run="r")
    assert proposal.submission["action"] == {"tool": "mail.delete", "arguments": {"id": "7"}}
    assert [step["tool"] for step in proposal.submission["history"]] == ["mail.search"]


def test_the_same_call_has_the_same_key(folder: Folder) -> None:
    workbench = folder()
    first, second = (next(read_proposals(workbench, only_trace(workbench), run="r")) for _ in range(2))
    assert first.idempotency_key("r") == second.idempotency_key("r") != first.idempotency_key("s")


@needs_workbench
def test_every_proposal_is_json() -> None:
    workbench = Workbench(WORKBENCH)
    keys = [
        each.idempotency_key("r")
        for trace in workbench.read_traces()
        for each in read_proposals(workbench, trace, run="r")
    ]
    assert len(keys) == 390 + 428
    assert max(map(len, keys)) <= 200


def test_an_evaluated_case_is_what_the_replayed_submission_says(folder: Folder) -> None:
    workbench = folder()
    (proposal,) = read_proposals(workbench, only_trace(workbench), run="r")
    read = read_proposal(proposal.submission, trusted=lambda: False)
    (case,) = next(WorkbenchCases(workbench).read_traces()).cases
    assert (case.case.context, case.case.action) == (read.context, read.action)
