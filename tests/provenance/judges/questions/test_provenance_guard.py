"""What the questions of stage 3 may see: nothing that announces the proposed call, and no claim without its mark."""

import pytest

from reviews.provenance.core.context import Case, Context, Message, NamedText, ProposedAction, Step, ToolDoc
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.judges import RulesJudge, Unknown
from reviews.provenance.judges.base import Question
from reviews.provenance.judges.questions.call_support import CallSupport
from reviews.provenance.judges.questions.provenance_guard import (
    Admissibility,
    Alignment,
    CallAdmissible,
    Candidates,
    Support,
)
from reviews.provenance.prompts.prompt import load_prompt

PAY = ToolDoc("pay_request", "Pay a payment request.", {"properties": {"request": {"type": "string"}}})
QUERY = "Settle what I owe"
DONE = Step("list_requests", {}, "PR-87 and PR-89 are open")
ANNOUNCEMENT = Message("assistant", "Plan: next I will call pay_request for PR-88")


def context(*history: Step | Message) -> Context:
    return Context(QUERY, (PAY,), (Step("list_requests", {}, "two are open"), *history))


def read_by_judge(question: Question[object]) -> str:
    return load_prompt(question.name).fill_in(question.material)[1]


@pytest.mark.parametrize(
    "later",
    [
        (DONE,),
        (DONE, DONE, DONE),
        (DONE, Message("user", "How far are you?")),
        (Message("assistant", "Let me see."), Message("user", "Fine")),
        (),
    ],
    ids=["a call", "three calls", "a call, then the user", "another message answered", "nothing"],
)
def test_an_announcement_that_nobody_answered_is_never_in_the_candidates_question(
    later: tuple[Step | Message, ...],
) -> None:
    for with_claims in (True, False):
        assert "PR-88" not in read_by_judge(Candidates(context(ANNOUNCEMENT, *later), with_claims))


def test_an_unfinished_call_beside_the_proposed_one_is_not_in_the_candidates_question() -> None:
    text = read_by_judge(Candidates(context(Step("pay_request", {"request": "PR-88"}), ANNOUNCEMENT)))
    assert "PR-88" not in text


def test_the_plan_is_not_in_the_candidates_question() -> None:
    planned = Context(
        QUERY, (PAY,), (DONE, ANNOUNCEMENT, DONE), (NamedText(SourceKind.SYSTEM_PROMPT, "rules", "Be kind"),)
    )
    text = read_by_judge(Candidates(planned))
    assert "Be kind" in text
    assert "Plan: next" not in text


ANSWERED = (Message("assistant", "PR-87 or PR-89?"), Message("user", "the second one"))


def test_a_message_that_the_user_answered_is_there_and_marked_as_the_agents_claim() -> None:
    text = read_by_judge(Candidates(context(*ANSWERED)))
    assert "[[history/2/message, a claim of the agent |" in text
    assert "the second one" in text


def test_in_the_papers_order_no_message_of_the_agent_is_there() -> None:
    text = read_by_judge(Candidates(context(*ANSWERED, DONE), with_claims=False))
    assert "PR-87 or PR-89?" not in text
    assert all(part in text for part in ("the second one", "PR-87 and PR-89 are open", "list_requests({})"))


def test_what_is_left_keeps_its_place_in_the_history() -> None:
    labels = [block.label for block in Candidates(context(ANNOUNCEMENT, DONE)).material["context"]]
    assert labels == ["query", "tools", *(f"history/{at}/{part}" for at in (1, 3) for part in ("call", "outcome"))]


CALLS = (ProposedAction("pay_request", {"request": "PR-87"}), ProposedAction("pay_request", {"request": "PR-89"}))


def test_the_calls_of_the_admissibility_question_are_numbered_and_without_the_agents_step() -> None:
    stepped = (ProposedAction("pay_request", {"request": "PR-87"}, "Pay the first one"), CALLS[1])
    text = read_by_judge(Admissibility(context(ANNOUNCEMENT, DONE), stepped))
    assert text.index("[[call 1 |") < text.index('PR-87"}}') < text.index("[[call 2 |") < text.index('PR-89"}}')
    assert "Pay the first one" not in text
    assert "PR-88" not in text


def test_the_arguments_of_the_one_question_are_numbered_with_their_candidates() -> None:
    case = Case(context(DONE), CALLS[0])
    text = read_by_judge(
        CallSupport(case, ("/request = PR-87\ncandidate 1, in history/2/outcome: …",), ("/request: no",))
    )
    assert text.index("[[argument 1 |") < text.index("candidate 1, in history/2/outcome") < text.index("[[refused 1 |")


def test_the_latest_message_of_the_user_stands_before_the_whole_dialogue() -> None:
    labels = [block.label for block in CallSupport(Case(context(*ANSWERED), CALLS[0]), ()).material["context"]]
    assert labels[:3] == ["query", "tools", "latest message of the user"]


@pytest.mark.parametrize("question", [Admissibility(context(), CALLS), CallSupport(Case(context(), CALLS[0]), ())])
async def test_rules_cannot_tell(question: Question[object]) -> None:
    assert isinstance(await RulesJudge().ask(question), Unknown)


@pytest.mark.parametrize("missing", ["relevant", "derived", "can_address", "contributes"])
def test_a_call_is_admissible_when_all_four_relations_hold(missing: str) -> None:
    all_hold = dict.fromkeys(("relevant", "derived", "can_address", "contributes"), True)
    assert CallAdmissible(call=1, **all_hold).is_admissible
    assert not CallAdmissible(call=1, **{**all_hold, missing: False}).is_admissible


@pytest.mark.parametrize("subtask", [None, "Pay the second one"])
def test_without_a_step_everything_that_was_asked_for_stands_in_for_it(subtask: str | None) -> None:
    later = context(DONE, Message("assistant", "Done."), Message("user", "Now pay PR-89"))
    case = Case(later, ProposedAction("pay_request", {"request": "PR-89"}, subtask))
    for question in (CallSupport(case, ()), Support(case, ()), Alignment(case)):
        (step,) = question.material["subtask"]
        assert step.text == (subtask or f"{QUERY}\n\nNow pay PR-89")
