"""The questions in words: one file a question, versioned by its content.

A prompt is a `string.Template` whose placeholders are filled once; what is filled in is never read as a template.
Untrusted text stands in fences that carry a nonce nobody outside this call has seen.
"""

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from reviews.provenance.material import Block, Material

NAMES = ("candidates", "contribution", "derivability", "relevance", "support")
"""Every question that has a prompt."""

MAX_CHARS = 48_000
"""How much untrusted text one prompt shows, about 12,000 tokens."""

_NONCE_BYTES = 8


@dataclass(frozen=True)
class Prompt:
    """One question's wording."""

    name: str
    system: str
    question: str

    @property
    def version(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 over everything that is said around the material."""
        return hashlib.sha256(f"{self.system}\0{self.question}".encode()).hexdigest()[:12]

    def filled(self, material: Material, *, max_chars: int = MAX_CHARS) -> tuple[str, str]:
        """The system message and the user message. Raises KeyError when the material leaves a placeholder open."""
        nonce = secrets.token_hex(_NONCE_BYTES)
        limit = _fair_share((len(block.text) for blocks in material.values() for block in blocks), max_chars)
        fenced = {name: _fenced(blocks, nonce, limit) for name, blocks in material.items()}
        return Template(self.system).substitute(nonce=nonce), Template(self.question).substitute(fenced)


@cache
def prompt(name: str) -> Prompt:
    """The prompt of a question. Raises FileNotFoundError for a name that has none."""
    return Prompt(name, _read("system"), _read(name))


def versions() -> Mapping[str, str]:
    """The version of every prompt by name."""
    return {name: prompt(name).version for name in NAMES}


def _read(name: str) -> str:
    return files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")


def _fenced(blocks: Iterable[Block], nonce: str, limit: int) -> str:
    parts = (f"[[{nonce} {_label(block.label)}]]\n{_shortened(block.text, limit)}\n[[/{nonce}]]" for block in blocks)
    return "\n".join(parts) or "(none)"


def _label(label: str) -> str:
    """A label may hold a tool's or a source's name, so it cannot be trusted to stay on its line."""
    return " ".join(label.split())[:200]


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
