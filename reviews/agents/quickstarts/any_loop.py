from my_agent import conversation_id, message, messages, pay, tools
from provenanceguard import Guard, NotRunnableError

guard = Guard("https://guard.example", "pgr_YOUR_KEY")
for call in message.tool_calls:
    try:
        result = guard.run(call, {"messages": messages, "tools": tools, "trace_id": conversation_id}, pay)
    except NotRunnableError as refusal:
        result = refusal.model_message
    messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
