"""From the shapes agents hold to the engine's values."""

from reviews.provenance.formats import anthropic, mcp, native, openai, responses
from reviews.provenance.formats.choosing import Format, detect, detect_context, parse, parse_context
from reviews.provenance.formats.reading import FormatError, Parsed, Told

__all__ = [
    "Format",
    "FormatError",
    "Parsed",
    "Told",
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
