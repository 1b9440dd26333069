from reviews.judging.routing import Routing
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.judges.questions.provenance_guard import Derivability, Relevance
from tests.provenance.judges.scripted import YES, Scripted

RELEVANCE = Relevance(ToolDoc("send"), "Send it", ("Send it to Daniel",))


async def check_asked(question: object, *, small: int, large: int) -> None:
    """Of a small default and a large model for relevance, these are asked so many times."""
    default, other = Scripted(YES, name="small"), Scripted(YES, name="large")
    await Routing(default, {"relevance": other}).ask(question)  # type: ignore[arg-type]
    assert (len(default.asked), len(other.asked)) == (small, large)


async def test_a_question_with_a_judge_of_its_own_goes_there() -> None:
    await check_asked(RELEVANCE, small=0, large=1)


async def test_every_other_question_goes_to_the_default() -> None:
    await check_asked(Derivability(ToolDoc("send"), ("/to",)), small=1, large=0)


def test_the_name_tells_who_answers_what() -> None:
    routing = Routing(Scripted(YES, name="small"), {"relevance": Scripted(YES, name="large")})
    assert routing.name == "small (relevance: large)"


def test_the_same_model_for_a_question_is_not_told() -> None:
    assert Routing(Scripted(YES, name="m"), {"relevance": Scripted(YES, name="m")}).name == "m"
