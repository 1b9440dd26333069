import pytest

from reviews import access
from reviews.errors import InvalidCursorError
from reviews.models import Review
from reviews.pagination import Page, keyset
from reviews.queue.ordering import QUEUE_ORDER
from tests.cast import Cast, flagged


def page(cast: Cast, cursor: str | None = None, limit: int = 2) -> Page[Review]:
    return keyset(access.reviews_for(cast.reviewer), order=QUEUE_ORDER, cursor=cursor, limit=limit)


def test_pages_walk_every_row_once(cast: Cast) -> None:
    made = [flagged(cast, trace_id=str(number), risk=risk) for number, risk in enumerate(("low", "high", "low"))]
    first = page(cast)
    second = page(cast, first.next_cursor)
    assert [*first.items, *second.items] == [made[1], made[0], made[2]]
    assert second.next_cursor is None


def test_rows_that_arrive_meanwhile_shift_nothing(cast: Cast) -> None:
    made = [flagged(cast, trace_id=str(number)) for number in range(3)]
    first = page(cast)
    flagged(cast, trace_id="urgent", risk="high")
    assert page(cast, first.next_cursor).items == made[2:]


@pytest.mark.parametrize("cursor", ["nonsense", "WzFd", "WyJ4IiwgIngiLCAieCJd", "é", "e30", "=" * 9])
def test_a_foreign_cursor_is_refused(cast: Cast, cursor: str) -> None:
    with pytest.raises(InvalidCursorError):
        page(cast, cursor)
