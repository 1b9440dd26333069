"""From the shapes agents hold to the engine's values."""

from reviews.provenance.formats.aliases import original_pointer, unify
from reviews.provenance.formats.format_reader import Parsed, ParsedContext
from reviews.provenance.formats.json_nodes import FormatError
from reviews.provenance.formats.parse import Format, detect_context, detect_format, parse, parse_context

__all__ = [
    "Format",
    "FormatError",
    "Parsed",
    "ParsedContext",
    "detect_context",
    "detect_format",
    "original_pointer",
    "parse",
    "parse_context",
    "unify",
]
