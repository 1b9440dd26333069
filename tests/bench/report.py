"""What benchmarks print and keep: our figure beside the floor of the same run, and the goal."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.stack import ROOT

FILE = ROOT / ".run" / "bench.json"
_rows: dict[str, Any] = {}


def report(name: str, *, ours: float, unit: str, goal: float, lower: bool = False, **more: Any) -> None:
    """Print one figure with its goal, and keep it for `.run/bench.json`. A missed goal says so and fails nothing."""
    met = ours <= goal if lower else ours >= goal
    extra = "  ".join(f"{key} {_short(value)}" for key, value in more.items())
    verdict = "met" if met else "MISSED"
    print(f"\n{name}: {_short(ours)} {unit}, goal {'<=' if lower else '>='} {_short(goal)}: {verdict}  {extra}")
    _rows[name] = {"ours": ours, "unit": unit, "goal": goal, "met": met, "cores": os.cpu_count(), **more}


def note(text: str) -> None:
    """Print a line of a table, and keep it for `.run/bench.json` under the file it comes from."""
    print(text)
    # As pytest names the test that runs: `tests/bench/test_x.py::test_y (call)`.
    file = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
    _rows.setdefault(f"lines of {file}", []).append(text)


def spent(file: str, seconds: float) -> None:
    """Add to what a file of benchmarks took."""
    taken = _rows.setdefault("seconds of each file", {})
    taken[file] = round(taken.get(file, 0) + seconds, 1)


def write() -> None:
    """Write everything at once, in place of what an earlier run measured of the same; the rest of that stays."""
    FILE.parent.mkdir(exist_ok=True)
    figures = json.loads(FILE.read_text()) if FILE.exists() else {}
    taken = {"seconds of each file": figures.get("seconds of each file", {}) | _rows.get("seconds of each file", {})}
    FILE.write_text(json.dumps(figures | _rows | taken, indent=2, default=str, sort_keys=True))


@contextmanager
def cpu_of(*roots: int) -> Iterator[dict[str, float]]:
    """Seconds of CPU that these processes and all below them use while the context lasts, as `seconds`."""
    used: dict[str, float] = {}
    before = _cpu(roots)
    yield used
    used["seconds"] = _cpu(roots) - before


def _cpu(roots: tuple[int, ...]) -> float:
    parents, ticks = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = entry.joinpath("stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            # Of children that have ended too: forked processes come and go.
            ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    return sum(ticks[pid] for pid in ticks if _below(pid, parents, roots)) / os.sysconf("SC_CLK_TCK")


def _below(pid: int, parents: dict[int, int], roots: tuple[int, ...]) -> bool:
    while pid not in roots and pid in parents:
        pid = parents[pid]
    return pid in roots


def _short(value: Any) -> str:
    return (
        f"{value:,.3g}"
        if isinstance(value, float) and abs(value) < 100
        else f"{value:,.0f}"
        if isinstance(value, float)
        else str(value)
    )


def megabytes_of_children(pid: int) -> list[float]:
    """What each process that this one has forked holds in memory, with what it shares with the others."""
    pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [int(Path(f"/proc/{child}/statm").read_text().split()[1]) for child in pids]
    return [number * os.sysconf("SC_PAGE_SIZE") / 2**20 for number in pages]
