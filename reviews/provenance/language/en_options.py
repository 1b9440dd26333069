"""Everyday words for the options that tool schemas offer most: levels, states, rhythms, orders, charts, currencies."""

# Words that mean the same option, one group a line: people say "urgent" where a tool lists "high".
_ALIKE = """
high urgent critical important asap
low minor trivial
completed complete done finished closed resolved
in_progress ongoing started active doing underway
todo pending open backlog
cancelled canceled cancel dropped
daily day everyday
weekly week
monthly month
yearly annually annual year
public everyone anyone
private confidential personal
ascending asc lowest oldest smallest alphabetical
descending desc highest newest largest latest
histogram distribution frequency
line trend
pie share proportion
scatter correlation
usd dollar dollars
eur euro euros
gbp pound pounds sterling
celsius centigrade metric
fahrenheit imperial
male man
female woman
"""
_GROUPS = [frozenset(line.split()) for line in _ALIKE.strip().splitlines()]
# Signs that people write for an option.
_SIGNS = {"$": "usd", "€": "eur", "£": "gbp"}


def synonyms_of(option: str) -> frozenset[str]:
    """Other folded words a user may say for an option; `option` is folded, words joined by underscores."""
    return frozenset().union(*(group for group in _GROUPS if option in group)) - {option}


def sign_of(option: str) -> str:
    """The currency sign for a currency code, or nothing."""
    return next((sign for sign, code in _SIGNS.items() if code == option), "")
