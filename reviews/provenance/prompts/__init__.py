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
from typing import Final, TypeAlias

NAMES = (
    "admissibility", "alignment", "argument_grounding", "call_support", "candidates", "completion", "correctness",
    "counterfactual", "derivability", "entailment", "final_correctness", "final_trajectory_verdict", "inference",
    "intent_deviation", "invariant_check", "invariants", "malicious_intent", "progress", "provenance", "relevance",
    "segmentation", "steps", "subtask", "support", "tool_combination", "tool_risk", "trajectory_verdict",
)  # fmt: skip
"""Every question that has a prompt."""

MAX_CHARS = 48_000
"""How much untrusted text one prompt shows, about 12,000 tokens: with the answer it fits small models' 16,000."""
MAX_BLOCKS = 256
"""How many texts it shows in one place: each costs a fence, however short it is."""

# How a question begins whose shared context is not the whole conversation: what the agent did, without the request; or
# the request with the plan.
_OPENINGS: Final = {
    **dict.fromkeys(("completion", "inference", "progress"), "trajectory"),
    **dict.fromkeys(("intent_deviation", "malicious_intent", "tool_combination"), "intent"),
}
# 48 bits: nobody guesses them within the life of a process, and a model repeats so few digits without a mistake.
_NONCE_BYTES = 6
# As long as the digest it keys, drawn anew by each process. Two processes give one occasion two nonces, which costs
# an endpoint's cache of prefixes.
_SECRET = secrets.token_bytes(32)
# What opens, closes or divides a fence.
_BRACKETS = str.maketrans("[]|", "()/")
# As long as a tool's name may be.
_MAX_LABEL_LENGTH = 200
# Of the untrusted text, what the shared context may take; the rest is for what the question is about.
_CONTEXT_SHARE = 3 / 4


@dataclass(frozen=True, slots=True)
class Block:
    """A labelled text that a question shows the judge. Untrusted: a prompt fences it."""

    label: str
    text: str


Material: TypeAlias = Mapping[str, tuple[Block, ...]]
"""What fills a prompt: blocks by placeholder."""


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

    def fill_in(self, material: Material, *, occasion: str = "", max_chars: int = MAX_CHARS) -> tuple[str, str]:
        """The system message and the user message. Raises KeyError when the material leaves a placeholder open.

        The questions of one `occasion` share a nonce; without an occasion it is drawn. `max_chars` is how much
        untrusted text is shown in all.
        """
        nonce = secrets.token_hex(_NONCE_BYTES)
        if occasion:
            nonce = hmac.new(_SECRET, occasion.encode(), hashlib.sha256).hexdigest()[: 2 * _NONCE_BYTES]
        blocks = {name: _both_ends(listed) for name, listed in material.items()}
        context = blocks.pop("context", ())
        limit = _fair_share((len(block.text) for block in context), int(max_chars * _CONTEXT_SHARE))
        # What a short context leaves over, the question's own material may take.
        remaining = max_chars - sum(min(len(block.text), limit) for block in context)
        own_limit = _fair_share((len(block.text) for listed in blocks.values() for block in listed), remaining)
        fenced = {name: _fence_blocks(listed, nonce, own_limit) for name, listed in blocks.items()}
        opening = f"{self.opening}\n{_fence_blocks(context, nonce, limit)}\n\n" if context else ""
        question = Template(self.question).substitute(fenced)
        return Template(self.system).substitute(nonce=nonce), f"{opening}{question}"


# Read once: the files are part of the program.
@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of a question. Raises FileNotFoundError for a name that has none."""
    texts = files(__package__)
    system, opening, question = (
        texts.joinpath(f"{part}.md").read_text(encoding="utf-8")
        for part in ("system", _OPENINGS.get(name, "context"), name)
    )
    return Prompt(name, system, opening, question)


def prompt_versions() -> Mapping[str, str]:
    """The version of every prompt by name."""
    return {name: load_prompt(name).version for name in NAMES}


def _fence_blocks(blocks: Iterable[Block], nonce: str, limit: int) -> str:
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


def _both_ends(blocks: Sequence[Block]) -> Sequence[Block]:
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


def _fair_share(lengths: Iterable[int], total: int) -> int:
    """The greatest length a text may have so that all fit: short ones stay whole, long ones share the rest."""
    waiting = sorted(lengths)
    for position, length in enumerate(waiting):
        share = total // (len(waiting) - position)
        if length > share:
            return share
        total -= length
    return waiting[-1] if waiting else 0
