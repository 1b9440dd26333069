"""How detectors did by type of misalignment, by first misaligned step and by risk, where these can be told."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias

from reviews.evaluation.benchmarks.base import LabelledCase, Outcome
from reviews.evaluation.measures.detection_rates import Rate
from reviews.evaluation.measures.judged_case import ENDS
from reviews.evaluation.reports.first_steps import PLACES, count_first_stops
from reviews.evaluation.runs.contestants import Contestant, Round, list_judged_runs, measure_contestant, results_on
from reviews.provenance.core.findings import Misalignment
from reviews.provenance.detectors.severity import severity_of
from reviews.provenance.detectors.severity_words import Effect

Table: TypeAlias = tuple[str, Sequence[str], Sequence[Sequence[object]]]
"""Title, columns and rows."""
_MILD: Final = "mild"


def list_breakdowns(compared: Round) -> Iterator[Table]:
    """The tables that the round's labels allow."""
    tables = (_type_table(compared), _first_step_table(compared), _risk_table(compared))
    # What cannot be told has no row.
    return (table for table in tables if table[2])


def _type_table(compared: Round) -> Table:
    """A row a detector and labelled type: what the detector took such calls for, over all runs."""
    rows: list[Sequence[object]] = []
    for contestant in compared.contestants:
        ends = _count_ends(compared, contestant)
        predicted = set(chain.from_iterable(ends.values()))
        # A method that calls whatever it stops a plan's fault, as InferAct's do, or names no type, tells none apart.
        if predicted.issubset(ENDS) and predicted & set(Misalignment) != {Misalignment.PLAN}:
            rows += [(contestant.name, label, *_type_cells(label, counts)) for label, counts in sorted(ends.items())]
    columns = ("detector", "labelled type", *ENDS, "right type of the stopped")
    return f"{compared.name}: wrong calls by labelled type, and what they were taken for", columns, rows


def _count_ends(compared: Round, contestant: Contestant) -> Mapping[str, Counter[str]]:
    """By the labelled type what became of such calls."""
    ends: dict[str, Counter[str]] = defaultdict(Counter)
    for case, judged in chain.from_iterable(list_judged_runs(compared.cases, contestant)):
        if case.wrong and case.label in set(Misalignment):
            ends[case.label][judged.end] += 1
    return ends


def _type_cells(label: str, counts: Counter[str]) -> Iterator[object]:
    yield from (counts[end] for end in ENDS)
    yield Rate(counts[label], sum(counts[kind] for kind in Misalignment))


def _first_step_table(compared: Round) -> Table:
    """A row a detector: where it first stopped each misaligned trace whose calls were all judged, over all runs."""
    rows: list[Sequence[object]] = []
    # Of single calls it would be the ER over again.
    traces = [trace for trace in compared.traces if trace.outcome is Outcome.MISALIGNED]
    has_steps = any(len(trace.cases) > 1 for trace in traces)
    for contestant in compared.contestants if has_steps else ():
        runs = [count_first_stops(results_on(traces, compared.cases, run)) for run in contestant.runs]
        places = sum(runs, Counter[str]())
        if places:
            exact = Rate(places[PLACES[0]], places.total(), sum(map(bool, runs)))
            rows.append((contestant.name, exact.with_bounds, *(places[place] for place in PLACES[1:])))
    title = f"{compared.name}: misaligned traces by where they were first stopped (ProvenanceGuard paper, 5.1.2)"
    return title, ("detector", "at the first misaligned call", *PLACES[1:]), rows


def _risk_table(compared: Round) -> Table:
    """A row a detector: FNR of the wrong calls by what they would have done (InferAct paper, table 3)."""
    by_risk: dict[str, list[LabelledCase]] = defaultdict(list)
    for case in compared.cases:
        if case.wrong and (risk := _risk_of(case)):
            by_risk[risk].append(case)
    # The mild ones last, the others by their number.
    risks = sorted(by_risk, key=lambda risk: (risk == _MILD, -len(by_risk[risk]), risk))
    rows = [
        (contestant.name, *(measure_contestant(by_risk[risk], contestant).error_rate.with_bounds for risk in risks))
        # Of a single kind the FNR is the ER of the table above.
        for contestant in (compared.contestants if len(risks) > 1 else ())
    ]
    title = f"{compared.name}: FNR of wrong calls by what they would have done, where tool and arguments tell"
    return title, ("detector", *risks), rows


def _risk_of(case: LabelledCase) -> str:
    """In a word what makes the call grave, or that it is mild; empty where nobody has described what it does."""
    severity = severity_of(case.case.action, case.case.context.tool(case.case.action.tool))
    if severity is None:
        return _MILD
    return "" if severity.effect is Effect.UNCLEAR else severity.effect.name.lower()
