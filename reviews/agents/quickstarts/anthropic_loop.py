from uuid import uuid4

from my_agent import client, pay, tools
from provenanceguard import Guard
from provenanceguard.adapters.anthropic import run_tool_uses

guard = Guard("https://guard.example", "pgr_YOUR_KEY")
trace_id, messages = str(uuid4()), [{"role": "user", "content": "Pay Daniel $30."}]
request = {"model": "claude-sonnet-4-5", "max_tokens": 1024, "messages": messages, "tools": tools}
while (response := client.messages.create(**request)).stop_reason == "tool_use":
    messages += run_tool_uses(guard, response, request, {"pay": pay}, trace_id=trace_id)
