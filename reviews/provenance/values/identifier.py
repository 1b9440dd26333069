"""Values that name one thing: an order's number, an account, a booking code."""

import re
from typing import Final

# Characters: what is shorter is a count, or stands in words by chance.
_SHORTEST: Final = 4
# Amounts, counts, years, days and times: up to seven figures a bare number is one of these.
_PLAIN: Final = re.compile(r"[-+]?[\d.,]{1,7}|[-+]?\d+[.,]\d+|\d{4}-\d\d-\d\d\S*|\d\d?:\d\d\S*")


def is_identifier(text: str) -> bool:
    """Whether a value is one token that names a thing: it has figures or capitals only, and is no date or amount."""
    plain = _PLAIN.fullmatch(text) is not None
    telling = any(map(str.isdigit, text)) or (text.isupper() and text.isalpha() and len(text) > _SHORTEST)
    return len(text) >= _SHORTEST and " " not in text and telling and not plain
