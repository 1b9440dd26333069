"""A folder of results that several processes fill at the same time, each with an endpoint of its own."""

import fcntl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.measures.judged_case import Judged
from reviews.evaluation.runs.contestants import Contestant
from reviews.evaluation.runs.results import append_result, read_results

_CLAIMS: Final = ".claims"
# Hexadecimal digits of a case's key that name its byte in the file of claims. Twelve are 48 bits: a lock's offset has
# 63, and two of a few thousand cases hardly ever share a byte; if they do, one of them waits for the next run.
_DIGITS: Final = 12


@dataclass(frozen=True)
class ResultsFolder:
    """One file of results for each detector."""

    path: Path

    def read_results(self, name: str) -> Mapping[str, Judged]:
        """What this detector has made of the cases so far, whoever asked it. Raises `ResultsError`."""
        return read_results(self.path / f"{name}.jsonl")

    def append_result(self, name: str, judged: Judged) -> None:
        """Append one result of this detector."""
        append_result(self.path / f"{name}.jsonl", judged)

    @contextmanager
    def claim_case(self, case: LabelledCase) -> Iterator[bool]:
        """Whether the case is ours until the end; False while another process has it."""
        with (self.path / _CLAIMS).open("wb") as claims:
            try:
                # A lock on one byte, which the system takes back from a process that dies.
                fcntl.lockf(claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(case.key[:_DIGITS], 16))
            except BlockingIOError:
                yield False
            else:
                yield True


@dataclass(frozen=True)
class SharedRun:
    """Contestants that keep their results in one folder."""

    folder: ResultsFolder
    contestants: Sequence[Contestant]

    def load_results(self) -> None:
        """Take over what the folder holds. Raises `ResultsError`."""
        for contestant in self.contestants:
            for number, run in enumerate(contestant.runs, start=1):
                stored = self.folder.read_results(_name_of_run(contestant.name, number))
                run.results.update({key: judged for key, judged in stored.items() if judged.by == run.by})

    def count_stale(self) -> int:
        """How many stored results are of another version, wording or setting, and so count nowhere."""
        return sum(
            judged.by != run.by
            for contestant in self.contestants
            for number, run in enumerate(contestant.runs, start=1)
            for judged in self.folder.read_results(_name_of_run(contestant.name, number)).values()
        )

    def store_result(self, contestant: Contestant, judged: Judged) -> None:
        """Store one result."""
        base = next(entered for entered in self.contestants if any(run is contestant for run in entered.runs))
        number = next(n for n, run in enumerate(base.runs, start=1) if run is contestant)
        self.folder.append_result(_name_of_run(base.name, number), judged)

    @contextmanager
    def claim_case(self, case: LabelledCase) -> Iterator[bool]:
        """Whether the case is ours; if so, with what another process has made of it in the meantime."""
        with self.folder.claim_case(case) as ours:
            if ours:
                self.load_results()
            yield ours

    def judged_cases(self, cases: Iterable[LabelledCase]) -> list[LabelledCase]:
        """The cases that some contestant has judged. Raises `ResultsError`."""
        self.load_results()
        judged = {key for contestant in self.contestants for key in contestant.results}
        return [case for case in cases if case.key in judged]


def _name_of_run(name: str, number: int) -> str:
    """Each run of a contestant has a file of its own."""
    return name if number == 1 else f"{name}.run-{number}"
