"""Whether a scripted judge answers what a detector asks."""

import asyncio
from collections.abc import Iterable

from django.core.management.base import CommandError

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.runs.runner import judge_case
from reviews.evaluation.scripted.choosing import JUDGES
from reviews.provenance.detectors import Detector


def check_judge_answers(judge: str, detector: Detector, cases: Iterable[LabelledCase]) -> None:
    """Try the judge of this name on the first call that may change something. Raises `CommandError`.

    Judges that follow a script know the questions of some detectors only, and would fail on every call.
    """
    first = next((case for case in cases if not case.look_up), None)
    if first is None:
        return
    tried = asyncio.run(judge_case(first, detector, JUDGES[judge]()))
    if tried.error:
        raise CommandError(f"{judge} cannot judge for {detector.name}: {tried.error} Choose another judge.")
