import json
import re
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviews.annotation import adjudication, campaigns
from reviews.datasets import curation
from reviews.decisions import decide
from reviews.models import Annotation, Dataset, Draft, Label
from reviews.provenance.core.context import Case, Message, NamedText
from reviews.provenance.core.trust import SourceKind
from reviews.records.cases import case_to_json
from tests.annotation.study import MISALIGNED, Study, study
from tests.cast import CONTEXT, WRONG, Cast, flagged
from tests.datasets.collections import past_the_database
from tests.desk.desk import INLINE, Desk

FAILING: dict[str, Any] = {"judgement": "misaligned", "misalignment": "parameter", "seconds": "3"}


def at(running: Study, *path: object) -> str:
    return "/".join(["/campaigns", str(running.campaign.pk), *map(str, path)])


def begun(cast: Cast, **choices: Any) -> tuple[Study, Desk, str]:
    """A campaign in which Anna has opened her first item: the campaign, her desk, the item's address."""
    running = study(cast, **choices)
    return running, Desk.of(cast.annotator), at(running, "items", running.next().item_id)


def in_force(running: Study) -> list[Annotation]:
    return list(running.campaign.annotations.filter(in_force=True))


def test_an_annotator_begins_at_their_campaigns(cast: Cast) -> None:
    study(cast)
    desk = Desk.of(cast.annotator)
    for path in ("/", "/queue"):
        assert desk.client.get(path).headers["Location"] == "/campaigns"
    desk.shows("/campaigns", "First round", "You have answered 0 of 3 items", "Start")
    desk.lacks("/campaigns", "/queue", "/settings", "annotator-1")


def test_an_annotator_in_no_campaign_is_told_who_opens_them(cast: Cast) -> None:
    Desk.of(cast.annotator).shows("/campaigns", "No campaign asks for you yet")


def test_starting_opens_the_next_item(cast: Cast) -> None:
    running = study(cast)
    response = Desk.of(cast.annotator).client.post(at(running, "work"))
    assert response.headers["Location"] == at(running, "items", running.next().item_id)


def test_who_has_answered_everything_is_not_asked_on_and_may_still_undo(cast: Cast) -> None:
    running = study(cast, items=1)
    running.given(0)
    desk = Desk.of(cast.annotator)
    desk.shows("/campaigns", "You have answered 1 of 1 item", "Undo the latest answer")
    desk.lacks("/campaigns", "Go on", "Start")
    desk.sends(at(running, "undo"), "Taken back.", "0 of 1 answered by you")


def test_nobody_is_asked_to_start_where_others_have_given_every_answer(cast: Cast) -> None:
    running = study(cast, items=1, people=2, per_item=1)
    running.given(1)
    desk = Desk.of(cast.annotator)
    desk.shows("/campaigns", "You have answered 0 of 1 item.", "Every answer is given")
    desk.lacks("/campaigns", "Start")


def test_what_the_choices_mean_is_open_at_the_first_item_alone(cast: Cast) -> None:
    running, desk, path = begun(cast)
    body = desk.shows(path, "the tool is right, a value in the call is not", "the value follows from what it rests on")
    assert re.search(r"<details class=\"answer__more\" open>\s*<summary data-key=\"d\"", body)
    running.given(0)
    body = desk.shows(at(running, "items", running.next().item_id), "What the choices mean", "1 of 3 answered by you")
    assert re.search(r"<details class=\"answer__more\">\s*<summary data-key=\"d\"", body)


def test_only_the_choices_that_are_asked_for_are_explained(cast: Cast) -> None:
    _, desk, path = begun(cast, questions=["type"])
    desk.shows(path, "the tool is right, a value in the call is not")
    desk.lacks(path, "the value follows from what it rests on")


def test_the_item_shows_the_conversation_and_the_call(cast: Cast) -> None:
    _, desk, path = begun(cast, guidelines="Read the request twice.")
    desk.shows(
        path, "Send $30 to Daniel", "search_contacts", "300", "Read the request twice.", "Save and open the next"
    )


def later_request(running: Study) -> None:
    """The first item's call is asked for by the last message of the user, and was sent back once."""
    said = (Message("assistant", "You have $900."), Message("user", "Send $30 to Daniel now."))
    sent_back = (NamedText(SourceKind.REVIEWER, "feedback 1", "Only $30."),)
    context = replace(CONTEXT, query="What do I have on my accounts?", history=said, extra=sent_back)
    rewrite(running, **case_to_json(Case(context, WRONG)))


def asked_in(body: str) -> str:
    """What a page shows as the request, apart from the messages before it."""
    asked = body.partition('<blockquote class="text asked"')[2]
    return asked.partition("</blockquote>")[0]


def test_the_request_in_view_is_the_message_that_asks_for_the_call(cast: Cast) -> None:
    running, desk, path = begun(cast, items=1)
    later_request(running)
    settling = Desk.of(cast.admin).shows(at(running, "adjudicate", running.next().item_id))
    for body in (desk.shows(path, "1 earlier message of the user"), settling):
        assert "Send $30 to Daniel now." in asked_in(body)
        assert body.index("What do I have on my accounts?") < body.index("Send $30 to Daniel now.")
        assert body.count("Only $30.") == 1
        ids = re.findall(r' id="(text-\d+)"', body)
        assert len(ids) == len(set(ids))


def test_nothing_of_the_guard_of_decisions_or_of_others_is_in_view(cast: Cast) -> None:
    review = flagged(cast)
    decide.decide_action(action=review.action, choice=decide.Reject("Ten times too much."), membership=cast.reviewer)
    dataset = curation.create_dataset(by=cast.admin, name="Decided")
    curation.add_decided_calls(dataset=dataset, by=cast.admin)
    campaign = campaigns.open_campaign(
        by=cast.admin, dataset=dataset, name="Blind", annotators=[cast.annotator], annotators_per_item=1
    )
    running = Study(campaign, cast.admin, (cast.annotator,))
    item = running.next().item
    reason = review.reason
    desk = Desk.of(cast.annotator)
    body = desk.shows(at(running, "items", item.pk), "Send $30 to Daniel")
    for hidden in (
        reason,
        "Ten times too much.",
        "rejected",
        "Rejected",
        "No source",
        "ground--",
        "rita",
        "decided action",
    ):
        assert hidden not in body
    for path in (f"/reviews/{review.pk}", f"/reviews/{review.pk}/provenance", f"/reviews/{review.pk}/source"):
        desk.shows(path, status=HTTPStatus.NOT_FOUND)
    desk.shows("/queue/recent", status=HTTPStatus.FORBIDDEN)


# One for each thing that could tell an annotator what somebody thinks of the call, or how it came to be asked about.
HIDDEN = {
    "the collection's own label": "given-label",
    "the record it comes from": "the-source",
    "its grouping": "the-group",
    "the licence": "the-licence",
    "the dataset": "the-dataset",
    "how it was sampled": "0.123456",
    "another's note": "their-note",
    "another's name": "annotator-1",
    "the reason of a settled label": "why-settled",
    "who manages": "ada",
}


@pytest.mark.parametrize("page", ["list", "item", "draft", "source"])
def test_the_annotator_is_told_nothing_of_it(cast: Cast, page: str) -> None:
    running = study(cast, items=1)
    with past_the_database():
        running.campaign.dataset.items.update(
            given_label={"aligned": False, "name": "given-label"},
            source="the-source",
            licence="the-licence",
            metadata={"group": "the-group", "id": "the-group", "audit_probability": 0.123456},
        )
    Dataset.objects.update(name="the-dataset")
    item = running.next().item
    theirs = running.gives(1, running.next(1).item, replace(MISALIGNED, note="their-note"), flagged=True)
    adjudication.adjudicate_item(
        campaign=running.campaign,
        item=item,
        by=cast.admin,
        method="chosen",
        answer=MISALIGNED,
        reason="why-settled",
        sources=[theirs.pk],
    )
    desk, path = Desk.of(cast.annotator), at(running, "items", item.pk)
    response = {
        "list": lambda: desk.client.get("/campaigns"),
        "item": lambda: desk.client.get(path),
        "draft": lambda: desk.client.post(f"{path}/draft", {"note": "half"}),
        "source": lambda: desk.client.get(f"{path}/source?source=query&start=0&end=9"),
    }[page]()
    assert response.status_code == HTTPStatus.OK
    sent = response.content.decode() + str(dict(response.headers))
    assert [told for told, words in HIDDEN.items() if re.search(rf"\b{re.escape(words)}\b", sent)] == []


def test_an_item_looks_the_same_whatever_others_said_of_it(cast: Cast) -> None:
    running, desk, path = begun(cast, items=1)
    before = without_tokens(desk.client.get(path))
    running.given(1, MISALIGNED, flagged=True)
    with past_the_database():
        running.campaign.dataset.items.update(given_label={"aligned": False})
    assert without_tokens(desk.client.get(path)) == before


def without_tokens(response: Any) -> tuple[str, set[str]]:
    """A page with the names of its headers, less what is made anew for each: tokens and times."""
    body = re.sub(
        r'value="\w{64}"|name="opened_at" value="[^"]*"|nonce="[^"]*"|X-CSRFToken[^}]*', "", response.content.decode()
    )
    return body, set(response.headers)


def test_an_answer_is_stored_and_the_next_item_opens(cast: Cast) -> None:
    running, desk, path = begun(cast)
    response = desk.client.post(path, {**FAILING, "relation": "DerivedFrom", "first_misaligned_step": "2"})
    assert response.headers["Location"] == at(running, "items", running.next().item_id)
    (given,) = in_force(running)
    assert (given.judgement, given.misalignment, given.relation) == ("misaligned", "parameter", "DerivedFrom")
    assert given.first_misaligned_step == 2
    assert not Label.objects.exists()


def test_after_the_last_item_the_list_says_so(cast: Cast) -> None:
    _, desk, path = begun(cast, items=1)
    desk.sends(path, "Nothing is left for you in First round", judgement="aligned")


def test_marked_words_are_found_in_their_source(cast: Cast) -> None:
    running, desk, path = begun(cast)
    marks = [{"at": "text-1", "quote": "Daniel", "nth": 0}, {"at": "text-3", "quote": "Daniel", "nth": 0}]
    desk.client.post(path, {"judgement": "aligned", "evidence": json.dumps(marks)})
    (given,) = in_force(running)
    assert [span["source"] for span in given.evidence] == ["query", "history/1/outcome"]
    for span in given.evidence:
        assert CONTEXT.sources[span["source"]].text[span["start"] : span["end"]] == "Daniel"


@pytest.mark.parametrize(
    "evidence",
    [
        "{",
        "[1]",
        "{}",
        '[{"at": "text-1", "quote": "nowhere", "nth": 0}]',
        '[{"at": "text-99", "quote": "I", "nth": 0}]',
    ],
)
def test_what_stands_in_no_text_is_no_evidence(cast: Cast, evidence: str) -> None:
    running, desk, path = begun(cast)
    desk.sends(path, "field__error", status=HTTPStatus.UNPROCESSABLE_ENTITY, judgement="aligned", evidence=evidence)
    assert in_force(running) == []


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({}, "Say whether the call is aligned"),
        ({"judgement": "misaligned"}, "what kind of failure"),
        ({"judgement": "aligned", "corrected_arguments": "{"}, "Line 1"),
        ({"judgement": "aligned", "corrected_tool": "pay"}, "names its tool and its arguments"),
    ],
)
def test_a_refused_answer_comes_back_with_what_was_typed(cast: Cast, form: dict[str, Any], says: str) -> None:
    _, desk, path = begun(cast)
    desk.sends(path, says, "half a thought", status=HTTPStatus.UNPROCESSABLE_ENTITY, note="half a thought", **form)


def test_a_draft_is_kept_while_typing_and_opens_again(cast: Cast) -> None:
    running, desk, path = begun(cast)
    desk.sends(f"{path}/draft", "Draft kept at", judgement="misaligned", note="half a thought", seconds="7")
    assert Draft.objects.get().seconds == 7
    desk.shows(path, "half a thought")
    assert in_force(running) == []


def test_a_page_that_was_open_before_the_answer_keeps_no_draft_over_it(cast: Cast) -> None:
    running, desk, path = begun(cast)
    (opened_at,) = re.findall(r'name="opened_at" value="([^"]*)"', desk.shows(path))
    desk.client.post(path, FAILING)
    late = {"note": "half", "opened_at": opened_at}
    assert desk.client.post(f"{path}/draft", late).status_code == HTTPStatus.CONFLICT
    assert not Draft.objects.exists()
    assert [given.judgement for given in in_force(running)] == ["misaligned"]
    # What names no time is as from a page of before.
    assert desk.client.post(f"{path}/draft", late | {"opened_at": "2026-13-01T00:00"}).status_code == HTTPStatus.OK


@pytest.mark.parametrize(("act", "field"), [("skip", "skip_reason"), ("draft", "note")])
def test_a_text_that_cannot_be_stored_is_refused_and_no_fault(cast: Cast, act: str, field: str) -> None:
    _, desk, path = begun(cast)
    assert desk.client.post(f"{path}/{act}", {field: "a\x00b"}).status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    assert not Annotation.objects.exists()
    assert not Draft.objects.exists()


def test_an_answer_to_a_paused_campaign_is_kept_as_a_draft(cast: Cast) -> None:
    running, desk, path = begun(cast)
    campaigns.pause_campaign(campaign=running.campaign, by=cast.admin)
    desk.sends(path, "First round is paused. What you entered is kept", **FAILING)
    assert Draft.objects.get().content["misalignment"] == "parameter"


def test_undo_opens_the_answer_again(cast: Cast) -> None:
    running, desk, path = begun(cast)
    running.given(0, MISALIGNED)
    desk.sends(at(running, "undo"), "Taken back", 'value="parameter"\n')
    assert desk.client.get(path).status_code == HTTPStatus.OK


def test_undo_without_an_answer_changes_nothing(cast: Cast) -> None:
    running, desk, _ = begun(cast)
    desk.sends(at(running, "undo"), "nothing to undo")


def test_a_skipped_item_is_gone_with_its_reason(cast: Cast) -> None:
    running, desk, path = begun(cast)
    desk.sends(f"{path}/skip", "Save and open the next", skip_reason="I know this case")
    (given,) = in_force(running)
    assert (given.judgement, given.skip_reason) == ("", "I know this case")
    desk.shows(path, status=HTTPStatus.NOT_FOUND)


def test_a_folded_text_unfolds(cast: Cast) -> None:
    _, desk, path = begun(cast)
    desk.shows(f"{path}/source?source=query&start=0&end=8", "Send $30")
    for query in ("source=nowhere&start=0&end=8", "source=query&start=x&end=8", "source=query"):
        desk.shows(f"{path}/source?{query}", status=HTTPStatus.NOT_FOUND)


@pytest.mark.parametrize("path", ["items", "draft", "skip", "source", "work", "undo"])
def test_nobody_else_gets_at_an_item(cast: Cast, stranger: Client, path: str) -> None:
    running, _, item = begun(cast, people=3, per_item=1)
    addresses = {"items": item, "work": at(running, "work"), "undo": at(running, "undo")}
    address = addresses.get(path, f"{item}/{path}")
    method = "get" if path in ("items", "source") else "post"
    for member, statuses in ((cast.reviewer, (403, 404)), (cast.outsider, (404,)), (cast.admin, (404,))):
        assert getattr(Desk.of(member).client, method)(address).status_code in statuses
    other = getattr(Desk.of(running.people[1]).client, method)(address)
    assert path in ("work", "undo", "draft", "skip") or other.status_code == HTTPStatus.NOT_FOUND
    answer = getattr(stranger, method)(address)
    # A form is not redirected: it would be lost.
    assert answer.status_code == (HTTPStatus.FOUND if method == "get" else HTTPStatus.UNAUTHORIZED)
    assert "/sign-in" in (answer.headers.get("Location") or answer.content.decode())
    assert in_force(running) == []


def test_the_pages_have_no_inline_script_or_style(cast: Cast) -> None:
    _, desk, path = begun(cast)
    assert INLINE.findall(desk.shows(path)) == []


def rewrite(running: Study, **parts: Any) -> None:
    """The case of Anna's item with other parts."""
    item = running.next().item
    item.case = {**(item.case or {}), **parts}
    with past_the_database():
        item.save(update_fields=["case"])


def test_hostile_text_is_escaped(cast: Cast) -> None:
    running, desk, path = begun(cast)
    rewrite(running, query="<script>alert(1)</script> \u202e pay")
    desk.lacks(path, "<script>alert", "\u202e")


def test_every_value_of_the_call_can_be_read(cast: Cast) -> None:
    running, desk, path = begun(cast)
    rewrite(running, action={"tool": "save", "arguments": {f"k{number}": f"word {number}" for number in range(90)}})
    (start, end), *_ = re.findall(r"source=arguments&amp;start=(\d+)&amp;end=(\d+)", desk.shows(path, "30 more values"))
    desk.shows(f"{path}/source?source=arguments&start={start}&end={end}", "&quot;k89&quot;: &quot;word 89&quot;")


@pytest.mark.parametrize(("value", "is_text"), [("20", True), ("", True), (20, False), (None, False), (True, False)])
def test_a_text_is_told_from_a_number(cast: Cast, value: object, is_text: bool) -> None:
    running, desk, path = begun(cast)
    rewrite(running, action={"tool": "pay", "arguments": {"amount": value}})
    assert ("arg__value--text" in desk.shows(path)) is is_text


def test_whoever_comes_back_to_an_item_that_went_to_others_is_told_so(cast: Cast) -> None:
    running, desk, path = begun(cast, items=1, per_item=1)
    desk.client.post(f"{path}/draft", {"note": "half a thought"})
    running.campaign.assignments.update(leased_until=timezone.now())
    running.next(1)
    assert desk.client.get(path).headers["Location"] == "/campaigns"
    desk.shows("/campaigns", "Meanwhile others were asked about this item.")
