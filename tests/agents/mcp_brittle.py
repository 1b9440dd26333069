"""An MCP server that ends with its first call and never comes back; or, `silent`, says nothing then."""

import json
import os
import sys
import time
from pathlib import Path

begun = Path(sys.argv[1])
if begun.exists():
    time.sleep(600 if "silent" in sys.argv else 0)
    sys.exit(1)
begun.touch()
PAY = {"name": "pay", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "tools/call":
        # As a crash does, without a word.
        os._exit(1)
    answers = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "brittle", "version": "1"},
        },
        "tools/list": {"tools": [PAY]},
    }
    answer = (
        {"result": answers[request["method"]]}
        if request["method"] in answers
        else {"error": {"code": -32601, "message": "unknown"}}
    )
    if "id" in request:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n")
        sys.stdout.flush()
