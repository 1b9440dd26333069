"""Long texts cut for a line that a person reads."""


def shorten_text(text: str, most: int) -> str:
    """The text, at most so many characters of it; the last one is an ellipsis where something is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
