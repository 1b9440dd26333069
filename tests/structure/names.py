"""How the product's names name: `python -m tests.structure.names [FOLDER ...]` prints the figures and the places.

A vague word is a participle or pronoun that says nothing of what it holds. A binding is any place that gives a name to
a value: a parameter, an assignment, an attribute's too, a loop, a `with`, a `match`, an import's alias.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.structure.package_graph import ROOT, sources

VAGUE = frozenset(
    "found each other others named one ones taken own held said told seen shown given kept left those known asked made "
    "written which what whole".split()
)
# A limit is a `MAX_` or a `MIN_`.
LIMIT = re.compile(r"_?(MOST|LONGEST|LARGEST|FEWEST|SHORTEST|LEAST|DEEPEST)_")


def bound(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Each name that the code binds, with its line."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
                | ast.arg(arg=name)
                | ast.alias(asname=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name, node.lineno


def functions(tree: ast.AST) -> Iterator[str]:
    """The name of each function, without those that Python itself calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("__"):
            yield node.name.strip("_")


def main(folders: Sequence[str]) -> None:
    """Print every vague binding and every badly named limit of these folders, then the figures."""
    trees = {
        path: ast.parse(path.read_text())
        for path in sources()
        if not folders or any(path.is_relative_to(ROOT / folder) for folder in folders)
    }
    count: Counter[str] = Counter()
    for path, tree in trees.items():
        for name, line in bound(tree):
            if name.strip("_") in VAGUE or LIMIT.match(name):
                count[name] += 1
                print(f"{path.relative_to(ROOT)}:{line} {name}")  # noqa: T201
    names = [name for tree in trees.values() for name in functions(tree)]
    words = sum(name.count("_") + 1 for name in names) / len(names)
    print(f"{sum(count.values())} vague bindings and limits: {dict(count.most_common())}")  # noqa: T201
    print(f"{len(names)} functions, {words:.2f} words a name")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
