"""The questions in words: one file a question, versioned by its content.

A prompt is a `string.Template` whose placeholders are filled once; what is filled in is never read as a template.
Untrusted text stands in fences that carry a nonce nobody outside this process can know. The questions of one check
share it and begin with the same context, so that an endpoint which caches prefixes reads the context once.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from types import MappingProxyType

from reviews.provenance.prompts.material import Block, Material

NAMES = (
    "alignment", "candidates", "completion", "contribution", "correctness", "counterfactual", "derivability",
    "entailment", "inference", "intent_deviation", "invariant_check", "invariants", "malicious_intent", "progress",
    "provenance", "relevance", "segmentation", "steps", "support", "tool_combination", "tool_risk",
)  # fmt: skip
"""Every question that has a prompt."""

MAX_CHARS = 48_000
"""How much untrusted text one prompt shows, about 12,000 tokens."""
MAX_BLOCKS = 256
"""How many texts it shows in one place: each costs a fence, however short it is."""

_OPENINGS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("completion", "inference", "progress"), "trajectory"),
        **dict.fromkeys(("intent_deviation", "malicious_intent", "tool_combination"), "intent"),
    }
)
"""How a question begins whose shared context is not the whole conversation: what the agent did, without the request;
or the request with the plan."""
_NONCE_BYTES = 6
_SECRET = secrets.token_bytes(32)
_BRACKETS = str.maketrans("[]|", "()/")
_LONGEST_LABEL = 200
_CONTEXT_SHARE = 3 / 4
"""Of the untrusted text, what the shared context may take."""


@dataclass(frozen=True)
class Prompt:
    """One question's wording."""

    name: str
    system: str
    opening: str
    """Stands before the shared context."""
    question: str

    @property
    def version(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 over everything that is said around the material."""
        return hashlib.sha256(f"{self.system}\0{self.opening}\0{self.question}".encode()).hexdigest()[:12]

    def filled(self, material: Material, *, occasion: str = "", max_chars: int = MAX_CHARS) -> tuple[str, str]:
        """The system message and the user message. Raises KeyError when the material leaves a placeholder open."""
        nonce = _nonce(occasion)
        shown = {name: _both_ends(blocks) for name, blocks in material.items()}
        context = shown.pop("context", ())
        limit = _fair_share((len(block.text) for block in context), int(max_chars * _CONTEXT_SHARE))
        left = max_chars - sum(min(len(block.text), limit) for block in context)
        own_limit = _fair_share((len(block.text) for blocks in shown.values() for block in blocks), left)
        fenced = {name: _fenced(blocks, nonce, own_limit) for name, blocks in shown.items()}
        opening = f"{self.opening}\n{_fenced(context, nonce, limit)}\n\n" if context else ""
        asked = Template(self.question).substitute(fenced)
        return Template(self.system).substitute(nonce=nonce), f"{opening}{asked}"


def _nonce(occasion: str) -> str:
    """Derived from the occasion by a secret of this process; without an occasion, drawn."""
    if not occasion:
        return secrets.token_hex(_NONCE_BYTES)
    return hmac.new(_SECRET, occasion.encode(), hashlib.sha256).hexdigest()[: 2 * _NONCE_BYTES]


@cache
def prompt(name: str) -> Prompt:
    """The prompt of a question. Raises FileNotFoundError for a name that has none."""
    return Prompt(name, _read("system"), _read(_OPENINGS.get(name, "context")), _read(name))


def versions() -> Mapping[str, str]:
    """The version of every prompt by name."""
    return {name: prompt(name).version for name in NAMES}


def _read(name: str) -> str:
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")


def _fenced(blocks: Iterable[Block], nonce: str, limit: int) -> str:
    # The name stands first: small models give as the source of a quote whatever follows the brackets.
    # Whoever reads a model's answers may have learnt a nonce from one: where the text says it, it is left out.
    parts = (
        f"[[{_label(block.label).replace(nonce, '…')} | {nonce}]]\n"
        f"{_shortened(block.text, limit).replace(nonce, '…')}\n[[end | {nonce}]]"
        for block in blocks
    )
    return "\n".join(parts) or "(none)"


def _label(label: str) -> str:
    """A label may hold a tool's or a source's name, so it cannot be trusted to stay within its brackets."""
    return " ".join(label.translate(_BRACKETS).split())[:_LONGEST_LABEL]


def _both_ends(blocks: Sequence[Block]) -> Sequence[Block]:
    """The first and the last of too many texts: what the user asked for, and what has just happened."""
    if len(blocks) <= MAX_BLOCKS:
        return blocks
    half = MAX_BLOCKS // 2
    gap = Block("left out", f"{len(blocks) - 2 * half} texts")
    return (*blocks[:half], gap, *blocks[-half:])


def _shortened(text: str, limit: int) -> str:
    """Both ends of a text that is too long: requests begin with what matters, logs end with it."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"


def _fair_share(lengths: Iterable[int], total: int) -> int:
    """The greatest length a text may have so that all fit: short ones stay whole, long ones share the rest."""
    waiting = sorted(lengths)
    for position, length in enumerate(waiting):
        share = total // (len(waiting) - position)
        if length > share:
            return share
        total -= length
    return waiting[-1] if waiting else 0
