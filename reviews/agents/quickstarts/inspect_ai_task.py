from inspect_ai import eval
from inspect_ai.approval import ApprovalPolicy
from my_agent import model, task
from provenanceguard import AsyncGuard
from provenanceguard.adapters.inspect_ai import guard_approver

guard = AsyncGuard("https://guard.example", "pgr_YOUR_KEY")
eval(task, model=model, approval=[ApprovalPolicy(guard_approver(guard), "*")])
