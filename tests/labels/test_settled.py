from reviews.labels import adjudication
from reviews.labels.schema import Answer
from reviews.labels.settled import Basis, settled_labels
from tests.cast import Cast
from tests.labels.study import ALIGNED, MISALIGNED, study


def test_an_item_is_settled_by_all_by_most_by_a_manager_or_not_at_all(cast: Cast) -> None:
    running = study(cast, items=4, people=3, per_item=3)
    columns = (
        (ALIGNED, ALIGNED, ALIGNED),
        (MISALIGNED, ALIGNED, MISALIGNED),
        (ALIGNED, MISALIGNED, Answer("cannot_tell")),
        (ALIGNED, MISALIGNED, Answer("cannot_tell")),
    )
    items = []
    for answers in columns:
        given = [running.given(person, answer) for person, answer in enumerate(answers)]
        items.append(given[0].item_id)
    adjudication.adjudicate(
        campaign=running.campaign, item=given[0].item, membership=cast.admin, method="chosen", answer=ALIGNED,
        reason="As the request says.", sources=[given[1]],
    )  # fmt: skip
    found = {each.item: each for each in settled_labels(running.campaign)}
    assert {items.index(item): (each.basis, each.answer.judgement) for item, each in found.items()} == {
        0: (Basis.UNANIMOUS, "aligned"),
        1: (Basis.MAJORITY, "misaligned"),
        3: (Basis.ADJUDICATED, "misaligned"),
    }
    assert found[items[1]].asked == 3
    assert len(found[items[1]].sources) == 2
    assert found[items[3]].sources == (given[1].pk,)


def test_one_answer_is_unanimous_and_says_how_many_were_asked(cast: Cast) -> None:
    running = study(cast, items=1)
    running.given(0)
    (only,) = settled_labels(running.campaign)
    assert (only.basis, only.asked) == (Basis.UNANIMOUS, 1)
