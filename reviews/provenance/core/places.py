"""Where a source of evidence stands, and what it is called in a sentence for a person."""


def describe_source(source: str) -> str:
    """A source id in words."""
    kind, _, rest = source.partition("/")
    match kind:
        case "query":
            return "the request"
        case "history":
            position, _, part = rest.partition("/")
            return f"message {position}" if part == "message" else f"history {position}"
        case "tool":
            return f"the document of {rest}"
        case "feedback":
            return "the reviewer"
    return f"“{rest}”"


def history_position(source: str) -> int:
    """The history position of a source, from 1; 0 for what was there before or beside it."""
    kind, _, rest = source.partition("/")
    return int(rest.partition("/")[0]) if kind == "history" else 0
