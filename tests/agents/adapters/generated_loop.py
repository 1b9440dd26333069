"""One call from its proposal to its outcome with the client that openapi-python-client made, and what it understood."""

import json
import sys
from uuid import uuid4

from generated import AuthenticatedClient
from generated.api.actions import actions_list, actions_read, actions_submit, execution_report, execution_start
from generated.models import Action, Execution, NativeSubmission, Outcome, Problem, Report

SUBMISSION = {
    "query": "Pay Daniel $30.",
    "tools": [{"name": "pay", "description": "Sends money."}],
    "action": {"tool": "pay", "arguments": {"to": "Daniel", "amount": 30}},
    "metadata": {"test_decision": {"outcome": "edit", "arguments": {"to": "Daniel", "amount": 3}}},
}


def run_loop(url: str, key: str) -> dict[str, object]:
    """Propose, wait, take the permission twice, report, and propose what is wrong."""
    client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True)
    body, name = NativeSubmission.from_dict(SUBMISSION), str(uuid4())
    submitted = [actions_submit.sync_detailed(client=client, body=body, idempotency_key=name) for _ in range(2)]
    proposed = submitted[0].parsed
    assert isinstance(proposed, Action)
    action = actions_read.sync(proposed.id, client=client, wait=30)
    assert isinstance(action, Action)
    assert action.decision
    started = [execution_start.sync_detailed(action.id, client=client, idempotency_key=name) for _ in range(2)]
    execution = started[0].parsed
    assert isinstance(execution, Execution)
    report = Report.from_dict({"status": "succeeded", "outcome": {"paid": execution.arguments["amount"]}})
    reported = execution_report.sync(action.id, client=client, body=report)
    assert isinstance(reported, Execution)
    page = actions_list.sync(client=client, status=action.status)
    refused = execution_start.sync(action.id, client=client)
    assert isinstance(refused, Problem)
    return {
        "replayed": [answer.headers.get("Idempotency-Replayed") for answer in (*submitted, *started)],
        "runnable": action.decision.outcome in (Outcome.APPROVE, Outcome.EDIT),
        "arguments": execution.arguments.to_dict(),
        "status": str(reported.status),
        "listed": [str(listed.id) == str(action.id) for listed in page.items],
        "refused": refused.type_,
    }


if __name__ == "__main__":
    json.dump(run_loop(*sys.argv[1:]), sys.stdout)
