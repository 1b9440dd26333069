"""Fences around untrusted text in a prompt: each carries a nonce that nobody outside this process can know."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_BLOCKS = 256
"""How many texts it shows in one place: each costs a fence, however short it is."""
# 48 bits: nobody guesses them within the life of a process, and a model repeats so few digits without a mistake.
_NONCE_BYTES = 6
# As long as the digest it keys, drawn anew by each process. Two processes give one occasion two nonces, which costs
# an endpoint's cache of prefixes.
_SECRET = secrets.token_bytes(32)
# What opens, closes or divides a fence.
_BRACKETS = str.maketrans("[]|", "()/")
# As long as a tool's name may be.
_MAX_LABEL_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Block:
    """A labelled text that a question shows the judge. Untrusted: a prompt fences it."""

    label: str
    text: str


def draw_nonce(occasion: str) -> str:
    """The nonce that all questions of an occasion share; without an occasion a new one."""
    if not occasion:
        return secrets.token_hex(_NONCE_BYTES)
    return hmac.new(_SECRET, occasion.encode(), hashlib.sha256).hexdigest()[: 2 * _NONCE_BYTES]


def fence_blocks(blocks: Iterable[Block], nonce: str, limit: int) -> str:
    """The blocks one after another, each between two marks that carry the nonce; at most `limit` characters of each."""
    parts: list[str] = []
    for block in blocks:
        # A label may hold a tool's or a source's name, so it cannot be trusted to stay within its brackets.
        label = " ".join(block.label.translate(_BRACKETS).split())[:_MAX_LABEL_LENGTH]
        # Whoever reads a model's answers may have learnt a nonce from one: where the text says it, it is left out.
        label, text = label.replace(nonce, "…"), _cut_in_the_middle(block.text, limit).replace(nonce, "…")
        # The name stands first: small models give as the source of a quote whatever follows the brackets.
        parts.append(f"[[{label} | {nonce}]]\n{text}\n[[end | {nonce}]]")
    return "\n".join(parts) or "(none)"


def both_ends(blocks: Sequence[Block]) -> Sequence[Block]:
    """The first and the last of too many texts: what the user asked for, and what has just happened."""
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    half = MAX_BLOCKS // 2
    gap = Block("left out", f"{len(blocks) - 2 * half} texts")
    return (*blocks[:half], gap, *blocks[-half:])


def _cut_in_the_middle(text: str, limit: int) -> str:
    """Both ends of a text that is too long: requests begin with what matters, logs end with it."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"


def fair_share(lengths: Iterable[int], total: int) -> int:
    """The greatest length a text may have so that all fit: short ones stay whole, long ones share the rest."""
    waiting = sorted(lengths)
    for position, length in enumerate(waiting):
        share = total // (len(waiting) - position)
        if length > share:
            return share
        total -= length
    return waiting[-1] if waiting else 0
