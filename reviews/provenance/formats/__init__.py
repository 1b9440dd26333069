"""From the shapes agents hold to the engine's values."""

from reviews.provenance.formats import native, openai
from reviews.provenance.formats.reading import FormatError, Parsed

__all__ = ["FormatError", "Parsed", "native", "openai"]
