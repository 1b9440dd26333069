from collections.abc import Mapping

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.core.findings import DecidedBy, Usage
from reviews.provenance.judges import Answered, Question, RulesFirst, Unknown
from reviews.provenance.judges.questions.provenance_guard import Derivability, ParameterClass, ParameterClasses

TOOL = ToolDoc("send")


class Model:
    """Classes parameters as told and remembers which it was asked for."""

    name = "model"

    def __init__(self, said: Mapping[str, bool | None]) -> None:
        self.said = said
        self.asked: list[tuple[str, ...]] = []

    async def ask(self, question: Question[ParameterClasses]) -> Answered[ParameterClasses] | Unknown:
        assert isinstance(question, Derivability)
        self.asked.append(question.paths)
        if not self.said:
            return Unknown("Gibberish.", Usage(calls=1), unparsable=True)
        answer = ParameterClasses(parameters=[ParameterClass(path=p, derivable=d) for p, d in self.said.items()])
        return Answered(answer, DecidedBy.JUDGE, Usage(calls=1))


async def classes(model: Model, *paths: str) -> list[bool | None]:
    answer = await RulesFirst(model).ask(Derivability(TOOL, paths))  # type: ignore[arg-type]
    assert isinstance(answer, Answered)
    return [each.derivable for each in answer.answer.parameters]


async def test_the_model_is_asked_only_for_what_the_rules_leave_open() -> None:
    model = Model({"/zing": False})
    assert await classes(model, "/to", "/zing", "/body") == [True, False, False]
    assert model.asked == [("/zing",)]


async def test_the_rules_word_stands_against_the_models() -> None:
    assert await classes(Model({"/to": False, "/zing": True}), "/to", "/zing") == [True, True]


async def test_a_parameter_the_model_left_out_stays_open() -> None:
    assert await classes(Model({"/other": True}), "/zing") == [None]


async def test_clear_names_cost_nothing() -> None:
    model = Model({})
    assert await classes(model, "/to", "/body") == [True, False]
    assert not model.asked


async def test_a_models_gibberish_is_passed_on() -> None:
    answer = await RulesFirst(Model({})).ask(Derivability(TOOL, ("/zing",)))  # type: ignore[arg-type]
    assert isinstance(answer, Unknown)
    assert answer.unparsable


def test_the_name_tells_both() -> None:
    assert RulesFirst(Model({})).name == "rules+model"  # type: ignore[arg-type]
