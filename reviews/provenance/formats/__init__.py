"""From the shapes agents hold to the engine's values."""

from reviews.provenance.formats import anthropic, mcp, native, openai, responses
from reviews.provenance.formats.choosing import Format, detect, parse
from reviews.provenance.formats.reading import FormatError, Parsed

__all__ = [
    "Format",
    "FormatError",
    "Parsed",
    "anthropic",
    "detect",
    "mcp",
    "native",
    "openai",
    "parse",
    "responses",
]
