"""What stands in a text for a part that is none: an image, a recording, a file. Nobody has read what it says."""

import re
from typing import Final

# As `formats.content.placeholder_of` writes it: a line of its own, with the part's type, and the names it goes by.
_PLACEHOLDER: Final = re.compile(r"^\[[A-Za-z][\w/.+-]*(?:: [^\]\n]*)?\]$", re.MULTILINE)


def holds_unread_part(text: str) -> bool:
    """Whether something stands in the text that is not text."""
    return _PLACEHOLDER.search(text) is not None
