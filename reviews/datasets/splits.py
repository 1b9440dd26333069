"""Divide conversations between splits: whole ones, in the same proportion within each stratum, by a seed."""

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from reviews.errors import FieldProblem, InvalidError

# Shares are typed by people: a third given as 0.333 is meant, and a sum of 0.9 is a mistake.
_TOLERANCE: Final = 0.005
_MAX_NAME_LENGTH: Final = 40
# More splits than folds of the usual cross-validation have a name for nobody.
_MAX_SPLITS: Final = 10


def check_shares(shares: Mapping[str, float]) -> None:
    """Raises `InvalidError` unless each split has a name and a share above 0 and the shares add up to 1."""
    if not shares:
        return
    if len(shares) > _MAX_SPLITS:
        raise InvalidError(FieldProblem("/splits", f"There are at most {_MAX_SPLITS} splits."))
    for name, share in shares.items():
        # The name becomes part of a file's name.
        if not (name.isascii() and name.replace("-", "").isalnum() and len(name) <= _MAX_NAME_LENGTH):
            problem = f"“{name[:_MAX_NAME_LENGTH]}” is no name of a split: letters, digits and hyphens, at most 40."
            raise InvalidError(FieldProblem("/splits", problem))
        if not 0 < share <= 1:
            raise InvalidError(FieldProblem("/splits", f"The share of “{name}” must be above 0, and at most 1."))
    if abs(math.fsum(shares.values()) - 1) > _TOLERANCE:
        raise InvalidError(FieldProblem("/splits", "The shares must add up to 1."))


def assign_splits(strata: Iterable[tuple[str, str]], shares: Mapping[str, float], *, seed: int) -> dict[str, str]:
    """The split of each conversation, given with its stratum; the order in which they are given does not count.

    Within a stratum each split has its share, to less than one conversation. What a split lacks in one stratum it is
    given in the next, so that many small strata add up to its share as well. A conversation given several times has the
    stratum given first. Without shares every conversation is in no split, "".
    """
    of_conversation: dict[str, str] = {}
    for conversation, stratum in strata:
        of_conversation.setdefault(conversation, stratum)
    if not shares:
        return dict.fromkeys(of_conversation, "")
    members: dict[str, list[str]] = defaultdict(list)
    for conversation, stratum in of_conversation.items():
        members[stratum].append(conversation)
    split_of: dict[str, str] = {}
    owed = dict.fromkeys(shares, 0.0)

    # An order that looks like chance, and is the same on every machine.
    def place_of(name: str) -> bytes:
        return hashlib.sha256(f"{seed}:{name}".encode()).digest()

    for stratum in sorted(members, key=place_of):
        conversations, start = sorted(members[stratum], key=place_of), 0
        for split, count in _count_per_split(len(conversations), shares, owed).items():
            split_of |= dict.fromkeys(conversations[start : start + count], split)
            start += count
    return split_of


def _count_per_split(total: int, shares: Mapping[str, float], owed: dict[str, float]) -> dict[str, int]:
    """How many of `total` each split gets: its share rounded down, or up for those that are owed the most.

    `owed`: of a conversation, what each split lacks so far; afterwards with these.
    """
    share_sum = math.fsum(shares.values())
    exact = {split: total * share / share_sum for split, share in shares.items()}
    counts = {split: math.floor(share) for split, share in exact.items()}
    # Only to those whose share is no whole number: each stays within one conversation of it. There are always enough,
    # as what is left is the sum of their fractions.
    fractional = [split for split in exact if exact[split] > counts[split]]
    in_order = sorted(fractional, key=lambda split: counts[split] - exact[split] - owed[split])
    for split in in_order[: total - sum(counts.values())]:
        counts[split] += 1
    for split, share in exact.items():
        owed[split] += share - counts[split]
    return counts
