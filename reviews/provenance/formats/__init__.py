"""From the shapes agents hold to the engine's values."""

from reviews.provenance.formats import anthropic, mcp, native, openai, responses
from reviews.provenance.formats.detection import Format, detect, detect_context, parse, parse_context
from reviews.provenance.formats.submission import FormatError, Parsed, ParsedContext

__all__ = [
    "Format",
    "FormatError",
    "Parsed",
    "ParsedContext",
    "anthropic",
    "detect",
    "detect_context",
    "mcp",
    "native",
    "openai",
    "parse",
    "parse_context",
    "responses",
]
