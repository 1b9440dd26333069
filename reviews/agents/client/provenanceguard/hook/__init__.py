"""A hook for coding agents: `provenanceguard-hook` is asked before each of their tool calls, on stdin.

It speaks the PreToolUse and PostToolUse events of Claude Code, and of what has taken over their shape. Whatever goes
wrong before a call blocks it (exit code 2): any other failure would be a message that nobody heeds. What goes wrong
behind a call blocks nothing.
"""

from .command_line import main

__all__ = ["main"]
