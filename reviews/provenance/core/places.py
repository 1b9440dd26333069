"""What a source of evidence is called in a sentence for a person."""


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
    return f"“{rest}”"
