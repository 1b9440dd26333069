"""What a question shows the judge: labelled texts by placeholder."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Block:
    """A labelled text that a question shows the judge. Untrusted: a prompt fences it."""

    label: str
    text: str


Material: TypeAlias = Mapping[str, tuple[Block, ...]]
"""What fills a prompt: blocks by placeholder."""
