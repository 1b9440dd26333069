"""The engine in this process: no server, no queue, nothing stored."""

from typing import assert_never

from reviews.errors import ReviewError
from reviews.intake.wire.bounded_json_body import refuse_unacceptable
from reviews.intake.wire.read_action import read_proposal
from reviews.lab.replay.proposals import Proposal
from reviews.lab.replay.targets import ReplayError, ReplayVerdict
from reviews.models import DEFAULT_DETECTORS
from reviews.provenance import detectors
from reviews.provenance.core.context import Case
from reviews.provenance.core.verdicts import Aligned, Misaligned, Undetermined
from reviews.provenance.detectors.base import Options, verdict_of
from reviews.provenance.judges import RulesJudge


class EngineInProcess:
    """The default detector with the rules judge; what rules cannot decide passes, as in the demonstration."""

    def __init__(self) -> None:
        # As the demonstration is set up, so that both give the same figures.
        (name,) = DEFAULT_DETECTORS
        self._detector = detectors.build(name, Options(unknown="pass"))
        self._judge = RulesJudge()

    async def judge(self, proposal: Proposal) -> ReplayVerdict:
        """The verdict on the submission as the API would read it. Raises `ReplayError`."""
        try:
            # A benchmark's servers are nobody's: no workspace has chosen to trust them.
            # Bounded like a request, which this one never was.
            refuse_unacceptable(proposal.submission)
            submitted = read_proposal(proposal.submission, trusted=lambda: False)
        except ReviewError as error:
            raise ReplayError(str(error)) from error
        verdict = await verdict_of(self._detector, Case(submitted.context, submitted.action), self._judge)
        match verdict:
            case Aligned():
                return ReplayVerdict(aligned=True)
            case Misaligned():
                return ReplayVerdict(aligned=False, misalignment=str(verdict.type))
            case Undetermined():
                return ReplayVerdict(aligned=None)
            case _ as unreachable:
                assert_never(unreachable)
