"""A question in words: its file read, versioned by its content and filled with what the judge is shown.

A prompt is a `string.Template` whose placeholders are filled once; what is filled in is never read as a template.
The questions of one check begin with the same context, so that an endpoint which caches prefixes reads it once.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Final, TypeAlias

from reviews.provenance.prompts.fences import Block, both_ends, draw_nonce, fair_share, fence_blocks

MAX_CHARS = 48_000
"""How much untrusted text one prompt shows, about 12,000 tokens: with the answer it fits small models' 16,000."""

# How a question begins whose shared context is not the whole conversation: what the agent did, without the request; or
# the request with the plan.
_OPENINGS: Final = {
    **dict.fromkeys(("completion", "inference", "progress"), "trajectory"),
    **dict.fromkeys(("intent_deviation", "malicious_intent", "tool_combination"), "intent"),
}
_FILES: Final = files(__package__)
_QUESTION_FILES: Final = {file.name for file in _FILES.iterdir() if file.name.endswith(".md")} - {
    f"{part}.md" for part in ("system", "context", *_OPENINGS.values())
}
QUESTION_NAMES: Final = tuple(sorted(name.removesuffix(".md") for name in _QUESTION_FILES))
"""Every question that has a prompt."""
# Of the untrusted text, what the shared context may take; the rest is for what the question is about.
_CONTEXT_SHARE = 3 / 4


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
        nonce = draw_nonce(occasion)
        blocks = {name: both_ends(listed) for name, listed in material.items()}
        context = blocks.pop("context", ())
        limit = fair_share((len(block.text) for block in context), int(max_chars * _CONTEXT_SHARE))
        # What a short context leaves over, the question's own material may take.
        remaining = max_chars - sum(min(len(block.text), limit) for block in context)
        own_limit = fair_share((len(block.text) for listed in blocks.values() for block in listed), remaining)
        fenced = {name: fence_blocks(listed, nonce, own_limit) for name, listed in blocks.items()}
        opening = f"{self.opening}\n{fence_blocks(context, nonce, limit)}\n\n" if context else ""
        question = Template(self.question).substitute(fenced)
        return Template(self.system).substitute(nonce=nonce), f"{opening}{question}"


# Read once: the files are part of the program.
@cache
def load_prompt(name: str) -> Prompt:
    """The prompt of a question. Raises FileNotFoundError for a name that has none."""
    system, opening, question = (
        _FILES.joinpath(f"{part}.md").read_text(encoding="utf-8")
        for part in ("system", _OPENINGS.get(name, "context"), name)
    )
    return Prompt(name, system, opening, question)


def prompt_versions() -> Mapping[str, str]:
    """The version of every prompt by name."""
    return {name: load_prompt(name).version for name in QUESTION_NAMES}
