"""What the API answers about campaigns of annotation, and what it is asked for."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from reviews.annotation.campaigns import MAX_KNOWN_SHARE, MAX_PER_ITEM
from reviews.annotation.schema import ALL_QUESTIONS, MAX_NOTE_LENGTH, MAX_READINGS, MAX_SPANS, Question
from reviews.api.schemas.answers import Payload
from reviews.api.schemas.dataset_answers import NOT_BLANK, not_blank
from reviews.models import AdjudicationMethod, CampaignState, ItemChoice, Judgement, MisalignmentType

# As the page's own forms allow.
_MAX_PEOPLE = 1_000
_MAX_GUIDELINES_LENGTH = 20_000
_MAX_TOOL_NAME_LENGTH = 200
# As long as the path to a value of a call may be, which names its source.
_MAX_SOURCE_LENGTH = 2_000
# As the columns have.
_Name = Annotated[str, Field(max_length=120, json_schema_extra=NOT_BLANK), AfterValidator(not_blank)]
_UserName = Annotated[str, Field(min_length=1, max_length=150)]


class CampaignRequest(BaseModel):
    """A new campaign over what a dataset holds now."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: _Name
    dataset: UUID
    annotators: list[_UserName] = Field(
        min_length=1, max_length=_MAX_PEOPLE, description="User names of members with the role annotator."
    )
    annotators_per_item: int = Field(2, ge=1, le=MAX_PER_ITEM)
    guidelines: str = Field(
        "", max_length=_MAX_GUIDELINES_LENGTH, description="Plain text that stands beside each item."
    )
    questions: list[Question] = Field(default=list(ALL_QUESTIONS), max_length=len(Question))
    seed: int | None = Field(None, ge=0, le=2**31 - 1, description="Of the order of items; drawn when left out.")
    most: int | None = Field(None, ge=1, le=2**31 - 1, description="Items that are asked about, drawn by the seed.")
    choice: ItemChoice = Field(
        ItemChoice.RANDOM, description="`uncertain` draws more often what detectors disagree about or are unsure of."
    )
    known_share: float = Field(
        0, ge=0, le=MAX_KNOWN_SHARE, description="Share of items with a known answer, which measure the annotators."
    )
    shows_suggestions: bool = Field(
        default=False, description="Whether people see what the guard found of a recorded call: no blind answers then."
    )


class CampaignChange(BaseModel):
    """What a campaign is to become."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    state: CampaignState


class PersonProgress(Payload):
    """What one annotator has done."""

    annotator: str
    answered: int
    skipped: int
    flagged: int
    held: int = Field(description="Items that are lent to them now, or put aside for them.")
    seconds: float | None = Field(description="Median of an answer.")
    last_at: datetime | None


class Progress(Payload):
    """How far a campaign is, counted from its rows."""

    items: int
    finished: int = Field(description="Items with all their answers.")
    answers: int
    answers_wanted: int
    skipped: int
    flagged: int
    seconds: float | None = Field(description="Median of the latest answers.")
    seconds_left: float | None = Field(description="Working time of all people together at that pace.")
    disputed: int = Field(description="Items about whose judgement or type people differ.")
    settled: int = Field(description="Of these, those with an adjudication.")
    people: list[PersonProgress]


class Campaign(Payload):
    """The same questions about the same items, put to several people."""

    id: UUID
    name: str
    dataset: UUID
    state: CampaignState
    annotators_per_item: int
    choice: ItemChoice
    known_share: float
    shows_suggestions: bool
    questions: list[str]
    guidelines: str
    seed: int
    created_at: datetime
    closed_at: datetime | None


class CampaignWithProgress(Campaign):
    """A campaign and how far it is."""

    progress: Progress


class Campaigns(Payload):
    """Every campaign that the key may see."""

    campaigns: list[Campaign]


class Coefficient(Payload):
    """A measure of agreement with its bootstrap 95 % interval; null what so few answers do not define."""

    value: float | None
    low: float | None
    high: float | None


class Measures(Payload):
    """Every measure of one set of answers."""

    items: int = Field(description="Items with two answers or more.")
    answers: int
    raw: Coefficient
    cohen_kappa: Coefficient | None = Field(description="Null unless exactly two people answered.")
    fleiss_kappa: Coefficient = Field(description="Over the items that have as many answers as any.")
    krippendorff_alpha: Coefficient
    gwet_ac1: Coefficient


class NamedMeasures(Measures):
    """Of one question or tool."""

    name: str


class PairMeasures(Measures):
    """Of two people's judgements of the items they share."""

    first: str
    second: str


class AnswerContent(Payload):
    """What somebody said about an item."""

    judgement: Judgement
    aligned: bool | None
    misalignment: str | None
    relation: str | None
    first_misaligned_step: int | None
    evidence: list[dict[str, JsonValue]]
    right: dict[str, JsonValue] | None
    interpretations: list[str]
    note: str


class SingleAnswer(AnswerContent):
    """One person's answer."""

    id: UUID
    annotator: str = Field(description="A pseudonym, as exports have it.")
    at: datetime
    seconds: float
    flagged: bool
    suggestion: dict[str, JsonValue] | None = Field(description="What was shown with it; null for a blind answer.")
    custom: dict[str, JsonValue] = Field(description="Answers to the campaign's own questions, by their names.")


class SettledLabel(Payload):
    """How a label was settled, and why."""

    method: AdjudicationMethod
    reason: str
    adjudicator: str = Field(description="A pseudonym, as exports have it.")
    at: datetime


class Dispute(Payload):
    """An item about whose judgement or type people differ."""

    item: UUID
    tool: str
    answers: list[SingleAnswer]
    adjudication: SettledLabel | None = Field(description="Null while nobody has settled it.")


class Disputes(Payload):
    """What there is to settle, the unsettled first."""

    count: int
    left: int = Field(description="Of these, those that nobody has settled.")
    disputes: list[Dispute] = Field(description="The first so many.")


class EvidenceSpan(BaseModel):
    """A stretch of one text of the conversation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(max_length=_MAX_SOURCE_LENGTH, description="As in answers and exports, such as `query`.")
    start: int = Field(ge=0, le=2**31 - 1, description="In characters, from 0.")
    end: int = Field(ge=0, le=2**31 - 1)
    quote: str = Field(max_length=MAX_NOTE_LENGTH, description="What stands there: an export is verified by it.")


class AdjudicationRequest(BaseModel):
    """The label of an item on which people differ."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: AdjudicationMethod
    reason: str = Field(max_length=MAX_NOTE_LENGTH, description="Whoever disagrees later has to find what was thought.")
    sources: list[UUID] = Field(max_length=MAX_PER_ITEM, description="Keys of the answers that it rests on.")
    judgement: Judgement | None = Field(None, description="Left out where one answer is chosen as it is.")
    misalignment: MisalignmentType | None = None
    relation: str = Field("", max_length=16)
    first_misaligned_step: int | None = Field(None, ge=1, le=2**31 - 1)
    evidence: list[EvidenceSpan] = Field(
        default=[], max_length=MAX_SPANS, description="What it rests on, to the character; exported with the label."
    )
    corrected_tool: str = Field("", max_length=_MAX_TOOL_NAME_LENGTH, description="The right tool, with its arguments.")
    corrected_arguments: dict[str, JsonValue] | None = None
    interpretations: list[str] = Field(
        default=[], max_length=MAX_READINGS, description="Other readings of what the user asked."
    )
    note: str = Field("", max_length=MAX_NOTE_LENGTH)


class HardItem(Payload):
    """An item that people do not agree about, or found hard to tell."""

    item: UUID
    tool: str
    agreement: float | None = Field(description="Share of pairs of answers that are the same.")
    answers: dict[str, int]
    flags: int
    seconds: float


class Confusion(Payload):
    """How often two answers to one item were which; each pair counts in both orders."""

    categories: list[str]
    counts: list[list[int]]


class AgreementReport(Payload):
    """How far the answers in force agree."""

    summary: str = Field(description="In a sentence.")
    confusion: Confusion
    evidence_f1: float | None = Field(description="Mean F1 over the words that two people marked.")
    fields: list[NamedMeasures]
    pairs: list[PairMeasures]
    tools: list[NamedMeasures]
    hard: list[HardItem]
