"""A person's own decisions and how they stand up."""

from reviews.decisions import call_audits, decide
from reviews.desk.overview.own import own_figures
from tests.cast import Cast, flagged
from tests.desk.desk import Desk


def test_own_figures_count_what_others_judged_later(cast: Cast, desk: Desk) -> None:
    choices: list[decide.Choice] = [decide.Approve(), decide.Approve(), decide.Reject()]
    for number, (choice, aligned) in enumerate(zip(choices, (True, False, False), strict=True)):
        action = flagged(cast, trace_id=f"mine-{number}").action
        decide.decide_action(action=action, choice=choice, membership=cast.reviewer)
        call_audits.judge_audit(action=action, membership=cast.other_reviewer, aligned=aligned)
        # One's own second thought bears nothing out.
        call_audits.judge_audit(action=action, membership=cast.reviewer, aligned=not aligned)
    figures = own_figures(cast.reviewer)
    assert (figures.decided, str(figures.approved), str(figures.agreed)) == (3, "66.7% (2 of 3)", "66.7% (2 of 3)")
    assert figures.median_seconds is not None
    desk.shows("/overview/own", "mine-0", "67 %")


def test_an_answer_to_the_agent_is_borne_out_by_no_later_judgement(cast: Cast) -> None:
    for aligned in (True, False):
        action = flagged(cast, trace_id=f"answered-{aligned}").action
        decide.decide_action(action=action, choice=decide.Respond("Ask him for his account."), membership=cast.reviewer)
        call_audits.judge_audit(action=action, membership=cast.other_reviewer, aligned=aligned)
    figures = own_figures(cast.reviewer)
    assert (figures.decided, figures.agreed.total) == (2, 0)


def test_own_figures_are_nobody_elses(cast: Cast, desk: Desk) -> None:
    decide.decide_action(action=flagged(cast).action, choice=decide.Reject(), membership=cast.other_reviewer)
    desk.shows("/overview/own", "You have decided nothing yet")
