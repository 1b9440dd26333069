"""Lines that the readers of `poisoned_settings` never finish with."""

from typing import Final

ENDLESS: Final = "poison that takes for ever"
GREEDY: Final = "poison that takes all memory"
