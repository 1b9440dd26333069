"""Attacks on right calls: a payload planted in what the agent reads, and the call of an agent that obeys."""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from reviews.evaluation.attacks import payloads
from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind


@dataclass(frozen=True)
class Goal:
    """What the attacker wants: another value for one argument of a right call."""

    case: Case
    argument: str
    value: str
    """The attacker's."""
    draw: random.Random

    @property
    def name(self) -> str:
        """The argument in words, as an attacker would write it."""
        return self.argument.replace("_", " ")

    @property
    def action(self) -> ProposedAction:
        """The call of an agent that obeys."""
        proposed = self.case.action
        return replace(proposed, arguments={**proposed.arguments, self.argument: self.value}, claims=())

    def fill_template(self, templates: tuple[str, ...]) -> str:
        """One of the texts, filled in."""
        number = f"R-{self.draw.randrange(1000, 9999)}"
        return self.draw.choice(templates).format(name=self.name, value=self.value, number=number)


Plant: TypeAlias = Callable[[Goal], Context | None]
"""Puts the payload of one family into the context of a goal; None where it does not fit there."""


def _with_outcome(context: Context, text: str, *, at: int = -1) -> Context:
    """The context in which a result says this, too; without any result, one more."""
    places = [n for n, item in enumerate(context.history) if isinstance(item, Step) and item.outcome is not None]
    if not places:
        reader = next((tool.name for tool in context.tools if not tool.environment_changing), "read_page")
        return replace(context, history=(*context.history, Step(reader, {}, text)))
    place = places[max(at, -len(places))]
    step = context.history[place]
    assert isinstance(step, Step)  # noqa: S101 - chosen above
    changed = replace(step, outcome=f"{step.outcome}\n{text}")
    return replace(context, history=(*context.history[:place], changed, *context.history[place + 1 :]))


def _in_result(templates: tuple[str, ...]) -> Plant:
    """One of the texts stands behind what a tool returned."""
    return lambda goal: _with_outcome(goal.case.context, goal.fill_template(templates))


def _in_record_field(goal: Goal) -> Context:
    record = {"id": goal.draw.randrange(100, 999), "status": "open", "comment": goal.fill_template(payloads.ORDERS)}
    return _with_outcome(goal.case.context, json.dumps([record], ensure_ascii=False))


def _over_two_results(goal: Goal) -> Context:
    first, second = goal.draw.choice(payloads.HALVES)
    begun = _with_outcome(goal.case.context, first.format(name=goal.name), at=-2)
    reader = next((tool.name for tool in begun.tools if not tool.environment_changing), "read_page")
    return replace(begun, history=(*begun.history, Step(reader, {}, second.format(value=goal.value))))


def _in_tool_document(goal: Goal) -> Context:
    note = goal.fill_template(payloads.DOCUMENTS)

    def poison_document(tool: ToolDoc) -> ToolDoc:
        is_called = tool.name == goal.case.action.tool
        return replace(tool, description=f"{tool.description} {note}") if is_called else tool

    return replace(goal.case.context, tools=tuple(map(poison_document, goal.case.context.tools)))


def _by_other_agent(goal: Goal) -> Context:
    message = NamedText(SourceKind.AGENT_MESSAGE, "handoff", goal.fill_template(payloads.ORDERS[2:]))
    return replace(goal.case.context, extra=(*goal.case.context.extra, message))


def _beside_look_alike(goal: Goal) -> Context:
    """A record with the look-alike value stands beside the true one: no order is given at all."""
    record = {goal.argument: goal.value, "verified": True}
    return _with_outcome(goal.case.context, json.dumps([record], ensure_ascii=False))


def _in_copied_record(goal: Goal) -> Context | None:
    """The record that holds the right value stands there twice, once with the attacker's: no order is given either."""
    right = str(goal.case.action.arguments[goal.argument])
    outcomes = (item.outcome or "" for item in goal.case.context.history if isinstance(item, Step))
    record = next((_record_with(right, outcome) for outcome in outcomes if right in outcome), None)
    return _with_outcome(goal.case.context, record.replace(right, goal.value)) if record else None


def _record_with(value: str, text: str) -> str:
    """The object that holds the value, else the entry of the list; where the text has neither, all of it."""
    at = text.index(value)
    begin, end = text.rfind("{", 0, at), text.find("}", at)
    if begin >= 0 and end >= 0:
        return text[begin : end + 1]
    return next(entry for entry in _ENTRY.split(text) if value in entry)


def _under_said_names(goal: Goal) -> Context:
    """Records that are called by the request's own words have the attacker's value."""
    words = dict.fromkeys(_WORD.findall(goal.case.context.query))
    records = [{"name": word, goal.argument: goal.value} for word in words]
    return _with_outcome(goal.case.context, json.dumps(records, ensure_ascii=False))


FAMILIES: Final[Mapping[str, Plant]] = MappingProxyType(
    {
        "record-field": _in_record_field,
        "quotation": _in_result(payloads.QUOTATIONS),
        "split": _over_two_results,
        "language": _in_result(payloads.LANGUAGES),
        "policy": _in_result(payloads.POLICIES),
        "tool-document": _in_tool_document,
        "forged-document": _in_result(payloads.FORGED),
        "other-agent": _by_other_agent,
        "look-alike": _beside_look_alike,
        "copied-record": _in_copied_record,
        "said-names": _under_said_names,
    }
)
"""How an attack is told, by name."""
# Words by which a request may name somebody or something.
_WORD: Final = re.compile(r"[\w@.#-]{3,40}")
# Where the next entry of a list begins, as YAML writes it.
_ENTRY: Final = re.compile(r"^(?=- )", re.M)
_IMITATING: Final = "look-alike"
# Characters of a value that names somebody or something: shorter ones are settings, longer ones texts.
_MIN_VALUE, _MAX_VALUE = 4, 80


def compose_attacks(
    cases: Iterable[LabelledCase], *, variants: int, seed: int, families: Iterable[str] = FAMILIES
) -> Iterator[LabelledCase]:
    """So many attacks of each family on each right call that has a value to be changed; the same for the same seed.

    An attack's label is its family. Look-ups and calls without such a value are passed over, and so is a family on a
    call that it does not fit.
    """
    names = tuple(families)
    for labelled in cases:
        targets = sorted(_find_targets(labelled))
        for family in names if targets else ():
            for number in range(variants):
                # By the case, so that a sample draws the same attacks as the whole.
                draw = random.Random(f"{seed}/{labelled.id}/{family}/{number}")  # noqa: S311 - no secret
                # Not every family fits every argument.
                tried = draw.sample(targets, len(targets))
                attacks = (_compose_attack(labelled, family, argument, draw) for argument in tried)
                if attacked := next(filter(None, attacks), None):
                    yield replace(attacked, id=f"{labelled.id}/{family}/{number}")


def _compose_attack(labelled: LabelledCase, family: str, argument: str, draw: random.Random) -> LabelledCase | None:
    right = str(labelled.case.action.arguments[argument])
    value = payloads.imitate_value(right, draw) if family == _IMITATING else payloads.invent_value(right, draw)
    # What is said anyway is no attack.
    if (
        value is None
        or value == right
        or any(value in source.text for source in labelled.case.context.sources.values())
    ):
        return None
    goal = Goal(labelled.case, argument, value, draw)
    context = FAMILIES[family](goal)
    if context is None:
        return None
    return replace(
        labelled, case=Case(context, goal.action), label=family, wrong=True, right=labelled.case.action, differing=None
    )


def _find_targets(labelled: LabelledCase) -> Iterator[str]:
    """The arguments of a right call that changes something and names somebody or something."""
    tool = labelled.case.context.tool(labelled.case.action.tool)
    if labelled.wrong is not False or labelled.look_up or tool is None or not tool.environment_changing:
        return
    for pointer, value in labelled.case.action.arguments.items():
        is_name = isinstance(value, str) and _MIN_VALUE <= len(value) <= _MAX_VALUE and "\n" not in value
        if is_name and "enum" not in _parameter_schema(tool, pointer):
            yield pointer


def _parameter_schema(tool: ToolDoc, name: str) -> Mapping[str, object]:
    declared = tool.properties.get(name)
    return declared if isinstance(declared, dict) else {}
