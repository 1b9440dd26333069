"""An MCP server that answers each call with this text, in which ID stands for the number of the request."""

import json
import sys

TOOLS = {"tools": [{"name": "pay", "inputSchema": {"type": "object"}}]}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "careless", "version": "1"},
}
RESULTS = {"initialize": HELLO, "tools/list": TOOLS}
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    answer = {"result": RESULTS.get(method)} if method in RESULTS else {"error": {"code": -32601, "message": "unknown"}}
    text = json.dumps({"jsonrpc": "2.0", "id": request.get("id"), **answer})
    if method == "tools/call":
        text = "No message at all.\n" + sys.argv[1].replace("ID", json.dumps(request["id"]))
    if "id" in request:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
