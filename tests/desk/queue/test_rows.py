from tests.cast import Cast
from tests.desk.desk import Desk, waiting


def test_a_row_tells_tool_amount_and_recipient(cast: Cast, desk: Desk) -> None:
    waiting(cast)
    desk.shows("/queue", "money_transfer", "30 to daniel.kim@example.org")
