"""Whether a shell command only reads, by the tree that tree-sitter makes of it (the package's extra `bash`)."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

# None of them writes, runs something else or reaches another machine, whatever its options are.
READ_ONLY_COMMANDS = frozenset(
    "basename cat cut dirname echo false grep head ls nl pwd realpath stat tail tr true wc which whoami".split()
)
# Plain words, and ways to run one command behind another. Everything else may hide a command or a file: substitutions,
# variables, redirections, assignments, loops, functions, and whatever the grammar learns later.
_PLAIN_NODES = frozenset(
    {
        "program",
        "list",
        "pipeline",
        "command",
        "command_name",
        "word",
        "number",
        "string",
        "string_content",
        "raw_string",
    }
)
_PLAIN_TOKENS = frozenset({"&&", "||", ";", "|", '"', "\n"})
# Characters that the shell and the grammar are known to read alike. Of a backslash beside the end of a line, of a
# carriage return or of other white space the one makes a new command where the other sees a blank.
_READ_ALIKE = re.compile(r"[ -\[\]-~\n]*")
# To read `//host/share` is to ask another machine for it, where the system is Windows; a name can carry away what the
# agent has read. Wherever it stands, for an option may be written together with its value; but for addresses of pages.
_OTHER_MACHINE = re.compile(r"(?<!:)[\\/]{2}")
# A person would not write a longer one to look something up; the tree of a huge one takes its time.
MAX_COMMAND_LENGTH = 4000


def leads_elsewhere(text: str) -> bool:
    """Whether a path, or a word of a command, names another machine."""
    return _OTHER_MACHINE.search(text) is not None


def is_read_only_command(command: str) -> bool:
    """Whether every part of the command is one of the listed ones; False where the shell may read it differently."""
    parser = _bash_parser()
    if parser is None or len(command) > MAX_COMMAND_LENGTH or not _READ_ALIKE.fullmatch(command):
        return False
    if leads_elsewhere(command):
        return False
    root = parser.parse(command.encode("utf-8", "replace")).root_node
    if root.has_error:
        return False
    names, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node.type not in (_PLAIN_NODES if node.is_named else _PLAIN_TOKENS):
            return False
        if node.type == "command_name":
            names.append(node.text.decode())
        waiting.extend(node.children)
    return bool(names) and set(names) <= READ_ONLY_COMMANDS


@cache
def _bash_parser() -> Any:
    """The parser; None where the extra is not installed."""
    try:
        import tree_sitter  # noqa: PLC0415 - optional
        import tree_sitter_bash  # noqa: PLC0415
    except ImportError:
        return None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
