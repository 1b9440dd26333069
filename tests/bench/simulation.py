"""Waiting lines of many agents on more cores than one machine has: `python -m tests.bench.simulation`.

Each call passes the web processes, then the checks' processes, each a line with as many servers as cores; times are
exponential around the CPU that `tests/bench` measures for one call. The database's share is in both.
"""

import argparse
import heapq
import random
from dataclasses import dataclass
from typing import Final

from tests.bench.load import percentile

CALLS: Final = 60_000
"""A minute at a thousand a second: long enough for a line that grows without end to show."""


@dataclass(frozen=True)
class Station:
    """A line with several servers."""

    name: str
    cores: int
    seconds: float
    """Of one core for one call."""

    def leave(self, arrivals: list[float], dice: random.Random) -> list[float]:
        """When each call is through, in the order of the arrivals."""
        free = [0.0] * self.cores
        left = []
        for arrival in arrivals:
            begun = max(arrival, heapq.heappop(free))
            left.append(begun + dice.expovariate(1 / self.seconds))
            heapq.heappush(free, left[-1])
        return left


def main() -> None:
    """Print the load of each station and how long a call takes through both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float, default=1000, help="calls a second, of all agents together")
    parser.add_argument("--web-cores", type=int, default=8)
    parser.add_argument("--check-cores", type=int, default=16)
    parser.add_argument("--submit-ms", type=float, default=5.0)
    parser.add_argument("--check-ms", type=float, default=12.0)
    options = parser.parse_args()
    dice = random.Random(1)  # the same arrivals for every choice of cores
    clock, arrivals = 0.0, []
    for _ in range(CALLS):
        clock += dice.expovariate(options.rate)
        arrivals.append(clock)
    web = Station("web", options.web_cores, options.submit_ms / 1000)
    checks = Station("checks", options.check_cores, options.check_ms / 1000)
    accepted = web.leave(arrivals, dice)
    settled = checks.leave(sorted(accepted), dice)
    for station in (web, checks):
        busy = 100 * options.rate * station.seconds / station.cores
        print(f"{station.name:<8}{station.cores:>4} cores, {busy:.0f} % busy")
    for name, ends in (("accepted", accepted), ("settled", settled)):
        delays = [1000 * (end - begun) for begun, end in zip(sorted(arrivals), ends, strict=True)]
        print(f"{name:<8} p50 {percentile(delays, 50):,.0f} ms, p95 {percentile(delays, 95):,.0f} ms")


if __name__ == "__main__":
    main()
