"""The packages and the imports between them: `python -m tests.structure.package_graph` prints the picture.

A package is what lies directly under `reviews/`, folder or module, and `guardapp`. An import is a pair of packages of
which one imports the other, however often.
"""

import ast
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def sources() -> list[Path]:
    """Every module of the product; migrations are generated and left out."""
    found = [*(ROOT / "guardapp").rglob("*.py"), *(ROOT / "reviews").rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def package_of(module: str) -> str | None:
    """The package a dotted module name belongs to; None for one that is not ours."""
    match module.split("."):
        case ["reviews", name, *_]:
            return name
        case ["guardapp", *_]:
            return "guardapp"
    return None


def imported(path: Path) -> Iterator[str]:
    """Dotted names a file imports, as far as they name packages of ours."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module="reviews"):
                yield from (f"reviews.{alias.name}" for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                yield module


def imports() -> Mapping[str, frozenset[str]]:
    """For each package, those it imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sources():
        own = package_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        # Django finds `reviews/__init__.py` and the like by themselves; they are no package of their own.
        if own is None or own == "__init__":
            continue
        found[own] |= {package for name in imported(path) if (package := package_of(name)) and package != own}
    return {name: frozenset(others) for name, others in sorted(found.items())}


def floors(graph: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """The packages from the bottom up, each above all that it imports. Raises `CycleError`."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    found = []
    while sorter.is_active():
        ready = sorter.get_ready()
        sorter.done(*ready)
        found.append(sorted(ready))
    return found


@dataclass(frozen=True)
class Grain:
    """How a body of code is cut."""

    median: float
    """Lines of a function."""
    ninetieth: int
    """Lines that nine functions of ten stay within."""
    comments: float
    """Comment lines in 100."""
    longest: str
    """The longest module, with its lines. One over 400 has to justify itself."""


def grain(paths: Sequence[Path]) -> Grain:
    """How these modules are cut."""
    lengths, comments, modules = [], 0, {}
    for path in paths:
        text = path.read_text()
        lines = text.splitlines()
        modules[path] = len(lines)
        comments += sum(line.lstrip().startswith("#") for line in lines)
        lengths += [
            (node.end_lineno or node.lineno) - node.lineno + 1
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
    longest = max(modules, key=modules.__getitem__)
    return Grain(
        statistics.median(lengths),
        sorted(lengths)[len(lengths) * 9 // 10],
        100 * comments / sum(modules.values()),
        f"{modules[longest]} {longest.relative_to(ROOT)}",
    )


def main() -> None:
    """Print the packages from the top down, and how the code is cut."""
    graph = imports()
    for number, floor in reversed(list(enumerate(floors(graph), start=1))):
        for name in floor:
            print(f"{number:>2}  {name:<12} {' '.join(sorted(graph.get(name, ())))}")  # noqa: T201
    print(f"{len(graph)} packages, {sum(map(len, graph.values()))} imports between them")  # noqa: T201
    cut = grain(sources())
    print(  # noqa: T201
        f"functions: median {cut.median:g} lines, nine of ten within {cut.ninetieth}; "
        f"{cut.comments:.1f} comment lines in 100; longest module {cut.longest}"
    )


if __name__ == "__main__":
    main()
