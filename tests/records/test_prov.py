"""The PROV document of an account: valid by the library and by PROV-CONSTRAINTS, and complete as to where and why."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prov.model import ProvDocument

from reviews.provenance.argument_grounding import ground_arguments
from reviews.provenance.core.context import Case, Context, NamedText, ProposedAction, Span, Step, ToolDoc
from reviews.provenance.core.findings import (
    DecidedBy,
    Finding,
    Grounding,
    Interpretation,
    Misalignment,
    Relation,
    StageResult,
    Usage,
)
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.core.verdicts import Aligned, Misaligned, Undetermined
from reviews.provenance.detectors.base import verdict_of
from reviews.provenance.detectors.provenance_guard.detector import ProvenanceGuard
from reviews.provenance.judges import RulesJudge
from reviews.records.prov import Account, Checked, Decided, EditedValue, Party, build_document, to_json

ACTION, WORKSPACE, AGENT = UUID(int=1), UUID(int=2), UUID(int=3)
AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
HOSTILE = 'prov:Entity "</script>\u202e\x00 action:proposal ${x}'

TRANSFER = ToolDoc(
    "money_transfer",
    "Sends money.",
    {"type": "object", "properties": {"to": {"type": "string"}, "amount": {"type": "number"}}},
)
PEOPLE = '[{"name": "Daniel Kim", "email": "daniel.kim@example.org"}]'
CASE = Case(
    Context(
        "Send $30 to Daniel.",
        (TRANSFER, ToolDoc("search_contacts", "Finds people.")),
        (Step("search_contacts", {"name": "Daniel"}, PEOPLE),),
    ),
    ProposedAction("money_transfer", {"to": "daniel.kim@example.org", "amount": 30}, "Pay Daniel"),
)
AMOUNT = Finding(
    Relation.DERIVED_FROM,
    "/amount",
    True,
    "The request says so.",
    evidence=(Span("query", 5, 8, "$30"),),
    grounding=Grounding.NORMALIZE,
)
TO = replace(
    AMOUNT,
    subject="/to",
    evidence=(Span("history/1/outcome", 34, 56, "daniel.kim@example.org"),),
    grounding=Grounding.COPY,
)
STAGES = (
    StageResult("tool", (Finding(Relation.SPECIFIED_BY, "money_transfer", True, "The tool is documented."),)),
    StageResult("parameter", (AMOUNT, TO)),
)
RITA = Party(7, "Rita")


def account(*stages: StageResult, case: Case = CASE, **choices: Any) -> Account:
    """The account of a proposal that one detector let pass."""
    checked = Checked(Aligned(stages or STAGES), "provenance-guard", "1.0", "rules", AT)
    values: dict[str, Any] = {"agent": Party(AGENT, "support-bot"), "proposed_at": AT, "checks": (checked,)}
    return Account(ACTION, WORKSPACE, case, **{**values, **choices})


def told(given: Account) -> dict[str, dict[str, Any]]:
    """The document as JSON, after a check that it is one and obeys PROV."""
    written = to_json(build_document(given))
    check_valid(written)
    container: dict[str, dict[str, Any]] = json.loads(written)
    return container


def check_valid(written: str) -> None:
    """The library reads back what was written, and the constraints that can be tested hold."""
    parsed = ProvDocument.deserialize(content=written, format="json")
    container = json.loads(written)
    kinds = [set(container.get(kind, {})) for kind in ("entity", "activity", "agent")]
    assert len(set().union(*kinds)) == sum(map(len, kinds)), "an identifier names two kinds of thing"
    named = set().union(*kinds)
    assert all(names_of(relation) <= named for relation in relations(container)), "something is named but not told"
    assert not any(each["prov:generatedEntity"] == each["prov:usedEntity"] for each in derivations(container))
    assert ProvDocument.deserialize(content=to_json(parsed), format="json") == parsed


def relations(container: dict[str, Any]) -> list[dict[str, Any]]:
    kinds = [kind for kind in container if kind not in ("prefix", "entity", "activity", "agent")]
    found = [each for kind in kinds for each in container[kind].values()]
    return [each for item in found for each in (item if isinstance(item, list) else [item])]


def derivations(container: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in relations(container) if "prov:generatedEntity" in each]


def names_of(relation: dict[str, Any]) -> set[str]:
    return {value for key, value in relation.items() if key.startswith("prov:") and isinstance(value, str)} - {
        relation.get("prov:time")
    }


def entities(container: dict[str, Any], kind: str, **said: Any) -> list[str]:
    """Names of the entities of one of our types with these attributes."""
    return [
        name
        for name, each in container["entity"].items()
        if kind in types_of(each) and all(each.get(f"guard:{key}") == value for key, value in said.items())
    ]


def types_of(element: dict[str, Any]) -> list[str]:
    types = element.get("prov:type", [])
    return [each["$"] for each in (types if isinstance(types, list) else [types])]


def origins(container: dict[str, Any], name: str) -> set[str]:
    """Everything the entity was derived from, over any number of steps."""
    found: set[str] = set()
    pending = [name]
    while pending:
        now = pending.pop()
        direct = {each["prov:usedEntity"] for each in derivations(container) if each["prov:generatedEntity"] == now}
        pending += direct - found
        found |= direct
    return found


def check_traced(container: dict[str, Any], pointer: str, *sources: str) -> None:
    """The value at this pointer leads back to exactly these sources."""
    (value,) = entities(container, "guard:ArgumentValue", pointer=pointer)
    reached = [container["entity"][name] for name in origins(container, value)]
    assert {each["guard:source"] for each in reached if "guard:Source" in types_of(each)} == set(sources)


def test_a_value_leads_back_to_its_source() -> None:
    check_traced(told(account()), "/amount", "query")


def test_each_value_leads_to_its_own_source() -> None:
    check_traced(told(account()), "/to", "history/1/outcome")


async def test_every_value_an_aligned_verdict_traced_has_a_path_to_a_source() -> None:
    verdict = await verdict_of(ProvenanceGuard(), CASE, RulesJudge())
    container = told(account(checks=(Checked(verdict, "provenance-guard"),)))
    traced = {finding.subject for finding in verdict.findings if finding.relation == Relation.DERIVED_FROM}
    assert traced == {"/to", "/amount"}
    for pointer in traced:
        (value,) = entities(container, "guard:ArgumentValue", pointer=pointer)
        assert origins(container, value) & set(entities(container, "guard:Source"))


def test_a_copy_is_a_quotation_and_says_so() -> None:
    container = told(account())
    (value,) = entities(container, "guard:ArgumentValue", pointer="/to")
    (relation,) = [each for each in derivations(container) if each["prov:generatedEntity"] == value]
    assert (relation["guard:grounding"], types_of(relation)) == ("copy", ["prov:Quotation"])


def test_a_derivation_names_the_finding_that_claims_it() -> None:
    container = told(account())
    (value,) = entities(container, "guard:ArgumentValue", pointer="/amount")
    (relation,) = [each for each in derivations(container) if each["prov:generatedEntity"] == value]
    assert [relation["guard:finding"]["$"]] == entities(container, "guard:Finding", subject="/amount")


def test_a_span_keeps_its_offsets_and_its_quote() -> None:
    spans = [each for each in told(account())["entity"].values() if "guard:Span" in types_of(each)]
    assert {(each["guard:start"]["$"], each["guard:end"]["$"], each["prov:value"]) for each in spans} >= {
        ("5", "8", "$30")
    }


def test_a_source_is_named_by_hash_and_trust_and_its_text_stays_behind() -> None:
    container = told(account())
    (name,) = entities(container, "guard:Source", source="query")
    assert len(container["entity"][name]["guard:sha256"]) == 64
    assert container["entity"][name]["guard:trust"]["$"] == "1.0"
    assert "Send $30 to Daniel." not in json.dumps(container)


def test_a_verdict_rests_on_every_finding() -> None:
    container = told(account())
    assert set(entities(container, "guard:Finding")) < origins(container, "action:check.1.verdict")


def test_each_stage_made_its_own_findings() -> None:
    made = {each["prov:entity"]: each["prov:activity"] for each in told(account())["wasGeneratedBy"].values()}
    assert (made["action:check.1.finding.1"], made["action:check.1.finding.2"]) == (
        "action:check.1.stage.1",
        "action:check.1.stage.2",
    )


def test_a_value_that_fails_is_derived_from_nothing() -> None:
    failing = replace(AMOUNT, holds=False, grounding=Grounding.UNGROUNDED)
    container = told(account(StageResult("parameter", (failing,))))
    check_traced(container, "/amount")
    assert entities(container, "guard:Finding", holds=False, grounding="ungrounded")


def test_a_finding_on_a_list_speaks_for_its_items() -> None:
    case = replace(CASE, action=ProposedAction("money_transfer", {"to": ["Daniel", "Daniel"]}))
    finding = replace(AMOUNT, subject="/to", evidence=(Span("query", 12, 18, "Daniel"),))
    check_traced(told(account(StageResult("parameter", (finding,)), case=case)), "/to/1", "query")


def test_a_quote_that_does_not_stand_there_is_not_told() -> None:
    false = replace(AMOUNT, evidence=(Span("query", 0, 3, "$30"), Span("nowhere", 0, 3, "$30")))
    check_traced(told(account(StageResult("parameter", (false,)))), "/amount")


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Aligned(STAGES), {"verdict": "aligned"}),
        (Misaligned(STAGES, Misalignment.PARAMETER), {"verdict": "misaligned", "misalignment": "parameter"}),
        (Undetermined((), "No answer."), {"verdict": "undetermined", "reason": "No answer."}),
    ],
    ids=["aligned", "misaligned", "undetermined"],
)
def test_every_verdict_is_told(verdict: Aligned | Misaligned | Undetermined, said: dict[str, str]) -> None:
    assert entities(told(account(checks=(Checked(verdict, "d"),))), "guard:Verdict", **said)


def test_two_detectors_give_two_verdicts() -> None:
    checks = (Checked(Aligned(STAGES), "one"), Checked(Misaligned(STAGES, Misalignment.TOOL), "two"))
    assert len(entities(told(account(checks=checks)), "guard:Verdict")) == 2


def test_a_reading_is_a_ground_of_the_verdict() -> None:
    reading = Interpretation("Pay 25", "money_transfer", {"amount": 25}, (Span("query", 5, 8, "$30"),))
    container = told(account(StageResult("interpretation", interpretations=(reading,))))
    (name,) = entities(container, "guard:Interpretation")
    assert name in origins(container, "action:check.1.verdict")


def test_a_judge_answers_for_its_findings_on_behalf_of_the_guard() -> None:
    finding = replace(AMOUNT, decided_by=DecidedBy.JUDGE)
    container = told(account(StageResult("parameter", (finding,), usage=Usage(calls=1))))
    assert [each["prov:delegate"] for each in container["actedOnBehalfOf"].values()] == ["action:check.1.judge"]
    assert "action:check.1.judge" in {each["prov:agent"] for each in container["wasAttributedTo"].values()}


def test_rules_alone_name_no_judge() -> None:
    assert set(told(account())["agent"]) == {f"house:agent.{AGENT}", "guard:software"}


def decided(outcome: str = "approve", **choices: Any) -> Decided:
    who = {"decided_by": "reviewer", "reviewer": RITA, "began_at": AT, "at": AT}
    call = {"tool": CASE.action.tool, "arguments": CASE.action.arguments, "digest": "d"}
    return Decided(outcome, **{**who, **call, **choices})


def test_what_only_untrusted_text_supports_says_so() -> None:
    suspect = replace(TO, trust=0.5, untrusted_only=True)
    assert entities(told(account(StageResult("parameter", (suspect,)))), "guard:Finding", untrusted_only=True)


def test_a_finding_names_the_rule_that_decided_it_where_there_is_one() -> None:
    named = replace(TO, rule="proofs.near_copy")
    assert entities(told(account(StageResult("parameter", (named,)))), "guard:Finding", rule="proofs.near_copy")
    assert "guard:rule" not in str(told(account(StageResult("parameter", (TO,)))))


def test_a_reviewer_is_a_person_by_id_and_name() -> None:
    person = told(account(decisions=(decided(),)))["agent"]["house:person.7"]
    assert (person["prov:label"], types_of(person)) == ("Rita", ["prov:Person"])


@pytest.mark.parametrize(("by", "agent"), [("guard", "guard:software"), ("policy", "house:workspace")])
def test_nobody_is_a_person_where_none_decided(by: str, agent: str) -> None:
    container = told(account(decisions=(decided(decided_by=by, reviewer=None, began_at=None),)))
    assert agent in {each["prov:agent"] for each in container["wasAttributedTo"].values()}
    assert not any("prov:Person" in types_of(each) for each in container["agent"].values())


def test_a_decision_rests_on_the_verdict() -> None:
    assert "action:check.1.verdict" in origins(told(account(decisions=(decided(),))), "action:decision.1")


def test_a_revision_ends_the_decision_before_it() -> None:
    container = told(account(decisions=(decided("reject", in_force=False), decided())))
    assert [each["prov:entity"] for each in container["wasInvalidatedBy"].values()] == ["action:decision.1"]
    assert "action:decision.1" in origins(container, "action:decision.2")


def test_an_edit_is_a_revision_whose_values_say_where_they_come_from() -> None:
    values = (
        EditedValue("/amount", 25, Grounding.UNGROUNDED, typed_by_reviewer=True),
        EditedValue("/to", "daniel.kim@example.org", Grounding.COPY, typed_by_reviewer=False, spans=TO.evidence),
    )
    container = told(account(decisions=(decided("edit", arguments={"amount": 25}, values=values),)))
    assert "action:proposal" in origins(container, "action:decision.1.call")
    (typed,) = entities(container, "guard:ArgumentValue", typed_by_reviewer=True)
    (traced,) = entities(container, "guard:ArgumentValue", typed_by_reviewer=False)
    assert (origins(container, typed), len(origins(container, traced))) == (set(), 2)


def test_the_same_account_gives_the_same_bytes() -> None:
    given = account(decisions=(decided("reject", in_force=False), decided()))
    assert to_json(build_document(given)) == to_json(build_document(given))


def names(container: dict[str, Any]) -> Iterable[str]:
    return (name for kind in ("entity", "activity", "agent") for name in container.get(kind, {}))


def hostile_case() -> Case:
    tool = ToolDoc(HOSTILE, HOSTILE, {"type": "object"})
    context = Context(HOSTILE, (tool,), (Step(HOSTILE, {HOSTILE: HOSTILE}, HOSTILE, HOSTILE),), (
        NamedText(SourceKind.RETRIEVED, HOSTILE, HOSTILE),
    ))  # fmt: skip
    return Case(context, ProposedAction(HOSTILE, {HOSTILE: HOSTILE, "": [], "n": None}, HOSTILE))


def test_no_identifier_comes_from_what_somebody_wrote() -> None:
    case = hostile_case()
    findings = tuple(
        Finding(Relation.DERIVED_FROM, at.pointer, True, HOSTILE, evidence=at.spans, grounding=at.how)
        for at in ground_arguments(case)
    )
    checks = (Checked(Aligned((StageResult(HOSTILE, findings),)), HOSTILE, HOSTILE, HOSTILE),)
    who = {"agent": Party(AGENT, HOSTILE), "checks": checks}
    container = told(account(case=case, decisions=(decided(message=HOSTILE, reviewer=Party(7, HOSTILE)),), **who))
    assert all(name.isascii() and " " not in name for name in names(container))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.text(), st.text())
def test_any_arguments_give_a_valid_document(arguments: dict[str, Any], query: str, subtask: str) -> None:
    case = Case(Context(query, (TRANSFER,)), ProposedAction("money_transfer", arguments, subtask))
    findings = tuple(
        Finding(Relation.DERIVED_FROM, at.pointer, bool(at.spans), at.note, evidence=at.spans, grounding=at.how)
        for at in ground_arguments(case)
    )
    container = told(account(StageResult("parameter", findings), case=case))
    assert container["entity"]["action:proposal"]["guard:tool"] == "money_transfer"


def test_a_document_of_very_many_values_is_bounded() -> None:
    case = replace(CASE, action=ProposedAction("money_transfer", {"to": list(range(20_000))}))
    findings = tuple(replace(AMOUNT, subject=f"/to/{number}") for number in range(20_000))
    container = told(account(StageResult("parameter", findings), case=case))
    assert len(entities(container, "guard:ArgumentValue")) == 500
    assert len(entities(container, "guard:Finding")) == 500
    assert container["entity"]["action:proposal"]["guard:arguments"]["$"] == "20000"
