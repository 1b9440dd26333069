"""A hook for coding agents: `provenanceguard-hook` is asked before each of their tool calls, on stdin.

It speaks the PreToolUse and PostToolUse events of Claude Code, and of what has taken over their shape. Whatever goes
wrong blocks the call (exit code 2): any other failure would be a message that nobody heeds.
"""

from .command_line import main

__all__ = ["main"]
