"""What the API answers about experiments, and what it is asked for."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from reviews.api.schemas.answers import Payload
from reviews.api.schemas.dataset_answers import NOT_BLANK, not_blank
from reviews.evaluation.runs.trials import MAX_VARIANTS
from reviews.lab.experiments import MAX_ARMS, MAX_RUNS, MAX_USD
from reviews.lab.recorded_calls import DEFAULT_CALLS, DEFAULT_DAYS, MAX_CALLS
from reviews.lab.trial_choices import MAX_SEED
from reviews.models import ExperimentKind, JobStatus, JudgeKind
from reviews.profiles.validation import MAX_WINDOW
from reviews.provenance.detectors.base import Aggregate

# As the columns have.
_Name = Annotated[str, Field(max_length=120, json_schema_extra=NOT_BLANK), AfterValidator(not_blank)]
_MAX_DETECTOR_LENGTH = 64
# Far longer than any; what is refused is told by its name.
_TrialName = Annotated[str, Field(max_length=64)]
_MAX_MODEL_LENGTH = 120
# More than there are kinds of changes or families of attacks.
_MAX_NAMES = 40


def _of_this_century(moment: datetime) -> datetime:
    if not datetime(2000, 1, 1, tzinfo=UTC) <= moment < datetime(2100, 1, 1, tzinfo=UTC):
        raise ValueError("a time from 2000 to 2099")
    return moment


_Moment = Annotated[AwareDatetime, AfterValidator(_of_this_century)]


class RecordedRequest(BaseModel):
    """The workspace's own calls of a period, drawn over agents and tools, the latest of each first."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    since: _Moment | None = Field(None, description=f"Left out: {DEFAULT_DAYS} days before `until`.")
    until: _Moment | None = Field(None, description="Left out: now.")
    calls: int = Field(DEFAULT_CALLS, ge=1, le=MAX_CALLS, description="At most so many; only calls that are over.")


class ArmOptions(BaseModel):
    """What an arm sets for its detector whatever the profile says. One that its detector does not have is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    threshold: float | None = Field(None, ge=0, le=1, description="The least score with which a call passes.")
    order: Literal["parallel", "paper"] | None = Field(
        None, description="`paper`: as published, of provenance-guard, intent-guard and argus."
    )
    unknown: Literal["review", "pass"] | None = Field(None, description="What nobody can tell.")
    without_plan: Literal["review", "steps"] | None = Field(
        None, description="Of intent-guard: `steps` takes the calls so far for the plan."
    )
    window: int | None = Field(None, ge=1, le=MAX_WINDOW, description="h of intent-guard.")
    aggregate: Aggregate | None = Field(None, description="Of multi-step: what the steps' probabilities are made into.")
    reconstruct_subtasks: bool | None = Field(
        None, description="Of provenance-guard: infer the step where none is named."
    )
    contribute_to: bool | None = Field(None, description="Of provenance-guard: test ContributeTo.")

    @property
    def chosen(self) -> dict[str, Any]:
        """Those that are set."""
        return self.model_dump(exclude_none=True)


class ArmRequest(BaseModel):
    """One detector, who answers what its rules cannot, and what it sets for itself."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    detector: str = Field(min_length=1, max_length=_MAX_DETECTOR_LENGTH)
    judge: JudgeKind = JudgeKind.RULES
    model: str = Field("", max_length=_MAX_MODEL_LENGTH, description="Of the judge `openai`; left out: the profile's.")
    options: ArmOptions = Field(default_factory=ArmOptions, description="Left out: the profile's.")


class ExperimentRequest(BaseModel):
    """An experiment on a frozen version, or on recorded calls."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: _Name
    dataset: UUID | None = Field(None, description="With `version`; one of this and `recorded`.")
    version: int | None = Field(None, ge=1, le=2**31 - 1)
    recorded: RecordedRequest | None = None
    arms: list[ArmRequest] = Field(min_length=1, max_length=MAX_ARMS)
    runs: int = Field(1, ge=1, le=MAX_RUNS, description="How often a detector that asks a model judges each call.")
    max_usd: float | None = Field(None, ge=0.01, le=MAX_USD, description="At which it pauses; to the cent.")
    fresh: bool = Field(False, description="Ask models even where an answer to the same question is kept.")
    kind: ExperimentKind = Field(ExperimentKind.VERDICTS, description="What is tried on calls besides judging them.")
    names: list[_TrialName] = Field(
        default_factory=list, max_length=_MAX_NAMES, description="Kinds of changes, or families of attacks; none: all."
    )
    variants: int = Field(1, ge=1, le=MAX_VARIANTS, description="Attacks of each family on each call.")
    seed: int = Field(0, ge=0, le=MAX_SEED, description="Another one draws other values of attacks.")


class ExperimentState(StrEnum):
    """What somebody may have an experiment be. It ends by itself as done or failed."""

    RUNNING = "running"
    PAUSED = "paused"
    CANCELLED = "cancelled"


# Said in the document too, so that what it calls valid is accepted.
_LIMIT_OF_WHAT_GOES_ON: Final[dict[str, JsonValue]] = {
    "if": {"properties": {"state": {"not": {"const": ExperimentState.RUNNING.value}}}},
    "then": {"properties": {"max_usd": {"type": "null"}}},
}


class ExperimentChange(BaseModel):
    """What an experiment is to become."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_LIMIT_OF_WHAT_GOES_ON)

    state: ExperimentState
    max_usd: float | None = Field(
        None, ge=0.01, le=MAX_USD, description="With `running`: the new limit of a paused one; left out: as it is."
    )


class Recorded(Payload):
    """How recorded calls were drawn."""

    since: datetime
    until: datetime
    calls: int = Field(description="At most so many.")
    digest: str = Field(description="SHA-256 of the drawn calls with their labels.")


class Experiment(Payload):
    """An experiment and how far it is."""

    id: UUID
    name: str
    kind: ExperimentKind
    dataset: UUID | None
    version: int | None
    recorded: Recorded | None
    runs: int
    fresh: bool
    status: JobStatus
    paused: bool
    failure: str
    done: int
    total: int | None
    max_usd: float | None
    created_at: datetime
    finished_at: datetime | None


class BegunExperiment(Experiment):
    """An experiment as it was begun."""

    estimate_usd: float | None = Field(
        description="What all its verdicts may cost, by the latest of the same models; null where nothing tells it."
    )


class Experiments(Payload):
    """The latest experiments."""

    experiments: list[Experiment]


class ExperimentResults(Payload):
    """What an experiment found so far, as its JSON download has it."""

    experiment: Experiment
    arms: list[dict[str, JsonValue]] = Field(
        description="Each detector's measures; rates with Wilson's 95 % interval. Once it is over, `bootstrap` has the"
        " intervals of other measures by conversation, and risk, first steps and types are counted."
    )
    differences: list[dict[str, JsonValue]] = Field(
        description="Each pair both ways: how much more often the other errs (`delta`), p of the one-sided paired"
        " permutation test, and after Holm."
    )
    tallies: list[dict[str, JsonValue]] = Field(
        description="Of changes or attacks: what came of each with each detector, and how often the guard failed."
    )
