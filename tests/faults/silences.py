"""How long clients of the site go without an answer, and calls without a decision, after each kind of kill."""

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import httpx

# So many that each process of the server has some of their connections, whatever the kernel gives to which.
CLIENTS: Final = 6
# Between two requests of one of them: far below the silences that matter, and no load to speak of.
PAUSE_SECONDS: Final = 0.05


@dataclass
class Silences:
    """Answers to clients that ask all the time, over connections they keep, and what passed without one."""

    kills: list[tuple[str, float]] = field(default_factory=list)
    """Each with its kind, and when on the monotonic clock."""
    answered: list[list[float]] = field(default_factory=lambda: [[] for _ in range(CLIENTS)])
    """When each client was answered."""
    decided: list[tuple[float, float]] = field(default_factory=list)
    """When calls were first sent, and when the agent had their decision."""

    @contextmanager
    def listening(self, ask: Callable[[httpx.Client], httpx.Response], site: str) -> Iterator[None]:
        """Have the clients ask meanwhile."""
        over = threading.Event()
        clients = [threading.Thread(target=self._listen, args=(ask, site, times, over)) for times in self.answered]
        for client in clients:
            client.start()
        try:
            yield
        finally:
            over.set()
            for client in clients:
                client.join()

    def _listen(
        self, ask: Callable[[httpx.Client], httpx.Response], site: str, times: list[float], over: threading.Event
    ) -> None:
        # As the product's own client has it: a connection is kept, and an answer may take its time.
        with httpx.Client(base_url=site, timeout=15) as client:
            while not over.wait(PAUSE_SECONDS):
                try:
                    answer = ask(client)
                except httpx.TransportError:
                    continue
                if answer.is_success:
                    times.append(time.monotonic())

    def ended(self) -> bool:
        """Whether everybody has been answered since the last kill, and a call that was sent behind it is decided."""
        since = self.kills[-1][1]
        return all(times and times[-1] > since for times in self.answered) and self._decision_after(since) is not None

    def _decision_after(self, moment: float) -> float | None:
        """Until the first decision of a call that was sent then or later."""
        return min((decided - moment for sent, decided in list(self.decided) if sent >= moment), default=None)

    def table(self) -> str:
        """For each kind of kill: how long a client was left without an answer at most, and until the next decision."""
        silent, waited = defaultdict(list), defaultdict(list)
        ends = [moment for _, moment in self.kills[1:]] + [float("inf")]
        for (kind, moment), end in zip(self.kills, ends, strict=True):
            silent[kind].append(max(longest_silence(times, moment, end) for times in self.answered))
            waited[kind].append(self._decision_after(moment) or float("nan"))
        lines = [
            "| killed | times | no answer: p50 | p95 | longest | no decision: p50 | p95 | longest |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for kind, lengths in silent.items():
            figures = [f"{seconds:.1f} s" for seconds in (*spread(lengths), *spread(waited[kind]))]
            lines.append(f"| {' | '.join([kind, str(len(lengths)), *figures])} |")
        return "\n".join(lines)


def longest_silence(times: list[float], since: float, until: float) -> float:
    """The longest stretch between two answers to one client that reaches into this time, from its begin on."""
    # The answer before the kill counts as given at the kill: what it was silent before is not the kill's.
    behind = [since, *(answered for answered in times if since < answered < until)]
    return max((later - earlier for earlier, later in pairwise(behind)), default=0.0)


def spread(lengths: list[float]) -> tuple[float, float, float]:
    """Median, 95th percentile and longest."""
    ordered = sorted(lengths)
    return statistics.median(ordered), ordered[round(0.95 * (len(ordered) - 1))], ordered[-1]
