"""What a model costs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prices:
    """US dollars for a million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    # Providers list prices for a million tokens.
    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of one call."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000
