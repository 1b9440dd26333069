"""What rules establish, refute and leave open, by kind of call and by label."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from rich.console import Group, RenderableType

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.detection_rates import Results
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.measures.proof import Proof, open_findings, proof_of, sources_established
from reviews.evaluation.mutants.making import MUTATORS
from reviews.evaluation.reports.tables import terminal_table
from reviews.provenance.core.findings import Relation

COLUMNS: Final = ("label", "calls", *Proof, "sources")
KINDS: Final = {False: "Writes", True: "Look-ups"}
# Right calls first, then those that count neither way, then wrong ones; mutants stand last.
_ORDER: Final = {False: 0, None: 1, True: 2}

Pairs = Sequence[tuple[LabelledCase, Judged]]


def render_report(results: Results) -> RenderableType:
    """The figures, and which relations stay open of right calls."""
    cases = results.cases
    parts = {title: [pair for pair in cases if pair[0].look_up is look_up] for look_up, title in KINDS.items()}
    tables = [
        terminal_table(f"{title}: what is proved", COLUMNS, _label_rows(part)) for title, part in parts.items() if part
    ]
    return Group(
        "",
        *tables,
        "Established: every relation tested holds by rule. Refuted: misaligned. Unknown: the rest. Sources: each"
        " argument that needs a source was traced to one.",
        *_open_relations(cases),
    )


def _label_rows(cases: Pairs) -> Iterator[tuple[object, ...]]:
    wrong = {case.label: case.wrong for case, _ in cases}
    labels = sorted(wrong.keys() - MUTATORS.keys(), key=lambda label: (_ORDER[wrong[label]], label))
    for label in (*labels, *(kind for kind in MUTATORS if kind in wrong)):
        part = [pair for pair in cases if pair[0].label == label]
        counts = Counter(proof_of(judged) for _, judged in part)
        sources = sum(sources_established(case, judged) for case, judged in part)
        figures = [*(counts[proof] for proof in Proof), sources]
        yield label, len(part), *(f"{count} {count / len(part):.1%}" for count in figures)


def _open_relations(cases: Pairs) -> Iterator[str]:
    """How many right calls each relation stays open in: what to prove next."""
    right = [judged for case, judged in cases if case.wrong is False]
    unknown = [judged for judged in right if proof_of(judged) is Proof.UNKNOWN]
    # A relation tested on several arguments counts once a call. CanAddress sums the others up, and is open beside them.
    relations = [frozenset(finding.relation for finding in open_findings(judged)) for judged in unknown]
    counts = Counter(chain.from_iterable(relations))
    parts = (names - {Relation.CAN_ADDRESS} or names for names in relations)
    alone = Counter(next(iter(part)) for part in parts if len(part) == 1)
    if counts:
        # Of equally many by name: sets have another order in every process.
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        listed = ", ".join(f"{relation} {count} ({alone[relation]} alone)" for relation, count in ordered)
        yield f"Open in the {len(unknown)} right calls that stay unknown: {listed}."
