"""A campaign with people in it, as most tests of ground truth need it."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from reviews.annotation import answers, assignment, campaigns
from reviews.annotation.schema import Answer
from reviews.datasets import curation
from reviews.models import Annotation, Assignment, Campaign, Dataset, DatasetItem, Membership, Origin, Role
from reviews.provenance.core.canonical import content_digest
from reviews.provenance.core.context import Case
from reviews.records.cases import case_to_json
from tests.cast import CONTEXT, WRONG, Cast

ALIGNED = Answer("aligned")
MISALIGNED = Answer("misaligned", misalignment="parameter", relation="DerivedFrom", first_misaligned_step=2)


@dataclass(frozen=True)
class Study:
    """A running campaign, who runs it and who answers."""

    campaign: Campaign
    admin: Membership
    people: tuple[Membership, ...]

    def next(self, person: int = 0) -> Assignment:
        """What this person is given next; there is something."""
        slot = assignment.next_item(campaign=self.campaign, membership=self.people[person])
        assert slot
        return slot

    def given(self, person: int, answer: Answer = ALIGNED, **values: Any) -> Annotation:
        """This person's answer to the next item."""
        return self.gives(person, self.next(person).item, answer, **values)

    def gives(self, person: int, item: DatasetItem, answer: Answer = ALIGNED, **values: Any) -> Annotation:
        """This person's answer to this item."""
        return answers.store_answer(
            campaign=self.campaign,
            item=item.pk,
            membership=self.people[person],
            answer=answer,
            **{"seconds": 1.0, **values},
        )


def annotators(cast: Cast, count: int) -> tuple[Membership, ...]:
    """Anna and as many others as it takes."""
    users = User.objects.bulk_create(User(username=f"annotator-{number}") for number in range(1, count))
    others = Membership.objects.bulk_create(
        Membership(workspace=cast.workspace, user=user, role=Role.ANNOTATOR) for user in users
    )
    return (cast.annotator, *others)


def dataset_of(cast: Cast, items: int, name: str = "Payments", *, known: int = 0) -> Dataset:
    """A dataset of imported calls, all alike but for their conversations; of the first few the label is known."""
    dataset = curation.create_dataset(by=cast.admin, name=name)
    case = case_to_json(Case(CONTEXT, WRONG))
    DatasetItem.objects.bulk_create(
        DatasetItem(
            dataset=dataset,
            origin=Origin.IMPORTED,
            case=case,
            content_key=content_digest([str(number), case]),
            conversation=f"conv-{number}",
            tool=WRONG.tool,
            source=f"made-up#{number}",
            source_line=number + 1,
            given_label={"aligned": False} if number < known else None,
        )
        for number in range(items)
    )
    return dataset


def study(
    cast: Cast, *, items: int = 3, people: int = 2, per_item: int = 2, dataset: Dataset | None = None, **choices: Any
) -> Study:
    """A campaign over such a dataset, or over this one."""
    everybody = annotators(cast, people)
    campaign = campaigns.open_campaign(
        by=cast.admin,
        dataset=dataset or dataset_of(cast, items),
        name="First round",
        annotators=everybody,
        annotators_per_item=per_item,
        **{"seed": 7, **choices},
    )
    return Study(campaign, cast.admin, everybody)
