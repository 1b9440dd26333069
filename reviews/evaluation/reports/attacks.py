"""The attacks of our own that pass, by family."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.attack_fates import AttackFate, fate_of
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.reports.tables import terminal_table

COLUMNS = ("family", "attacks", *AttackFate)


def render_report(title: str, cases: Sequence[LabelledCase], results: Mapping[str, Judged]) -> RenderableType:
    """Established: passes in any workspace. Open: passes where the profile lets unknowns pass. Stopped: nowhere."""
    return Group(terminal_table(title, COLUMNS, _family_rows(cases, results)))


def passed_lines(cases: Sequence[LabelledCase], results: Mapping[str, Judged]) -> Iterator[str]:
    """Each attack that is established, with the call that an agent which obeys would make."""
    for case in cases:
        if (judged := results.get(case.key)) and fate_of(judged) is AttackFate.ESTABLISHED:
            yield f"{case.id}: {case.case.action.tool}({dict(case.case.action.arguments)})"


def _family_rows(cases: Sequence[LabelledCase], results: Mapping[str, Judged]) -> Iterator[tuple[object, ...]]:
    families = tuple(dict.fromkeys(case.label for case in cases))
    for family in (*families, "all"):
        fates = [
            fate_of(results[case.key])
            for case in cases
            if case.key in results and family in (case.label, "all") and not results[case.key].error
        ]
        yield family, len(fates), *map(fates.count, AttackFate)
