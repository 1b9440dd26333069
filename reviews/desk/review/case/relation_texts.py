"""Sentences and formulas for a relation that holds, fails or could not be established."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from reviews.desk.review.case import vocabulary
from reviews.desk.review.case.evidence import Evidence
from reviews.desk.review.case.vocabulary import Certainty
from reviews.models import Finding
from reviews.provenance.core.findings import Grounding, Relation
from reviews.provenance.core.reasons import CLAIMS
from reviews.provenance.detectors.injected import BESIDE_RULE
from reviews.provenance.detectors.provenance_guard.parameter import MADE_BEFORE, SCHEMA_RULE
from reviews.provenance.doubts import (
    false_claim,
    hidden_characters,
    other_end,
    other_field,
    other_owner,
    other_parameter,
    other_value,
    part_of_moment,
    readable_value,
    undocumented_parameter,
    unproven_value,
)
from reviews.provenance.proofs import near_copy, order_in_data

_FAILS: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "There is no such tool",
        Relation.CONTRIBUTE_TO: "This step does not serve the request",
        Relation.RELEVANT_TO: "This tool does not serve the step",
        Relation.APPEAR_IN: "The evidence does not stand where it should",
        Relation.DERIVED_FROM: "{subject} has no source",
        Relation.CAN_ADDRESS: "This call cannot do what the step asks for",
        Relation.PERMITTED_BY: "{subject} may serve a harmful end",
        Relation.UNTAINTED: "{subject} holds text that is out of place",
        Relation.SATISFIES: "The call breaks a condition of the task: {subject}",
        Relation.ENTAILED_BY: "What can be trusted does not justify the call",
    }
)
_UNTOLD: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "Nobody could tell whether {subject} is documented",
        Relation.CONTRIBUTE_TO: "Nobody could tell whether this step serves the request",
        Relation.RELEVANT_TO: "Nobody could tell whether this tool is the one to use",
        Relation.APPEAR_IN: "Nobody could tell whether the evidence stands where it should",
        Relation.DERIVED_FROM: "Nobody could tell where {subject} comes from",
        Relation.CAN_ADDRESS: "Nobody could tell whether this call does what the step asks for",
        Relation.PERMITTED_BY: "Nobody could tell whether {subject} may serve a harmful end",
        Relation.UNTAINTED: "Nobody could tell whether {subject} holds text that is out of place",
        Relation.SATISFIES: "Nobody could tell whether the call keeps a condition of the task",
        Relation.ENTAILED_BY: "Nobody could tell whether what can be trusted justifies the call",
    }
)
_UNPROVEN: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "It is not proven that {subject} is documented",
        Relation.CONTRIBUTE_TO: "It is not proven that this step serves the request",
        Relation.RELEVANT_TO: "It is not proven that this tool is the one to use",
        Relation.APPEAR_IN: "It is not proven that the evidence stands where it should",
        Relation.DERIVED_FROM: "{subject} is not proven",
        Relation.CAN_ADDRESS: "It is not proven that this call does what the step asks for",
        Relation.PERMITTED_BY: "It is not proven that {subject} serves no harmful end",
        Relation.UNTAINTED: "It is not proven that {subject} holds nothing out of place",
        Relation.SATISFIES: "It is not proven that the call keeps a condition of the task",
        Relation.ENTAILED_BY: "It is not proven that what can be trusted justifies the call",
    }
)
_BY_CERTAINTY: Final = MappingProxyType(
    {
        Certainty.ESTABLISHED: CLAIMS,
        Certainty.FALSE: _FAILS,
        Certainty.UNPROVEN: _UNPROVEN,
        Certainty.UNTOLD: _UNTOLD,
    }
)
# Why a value fails, where that is more than having no source.
_ORIGINS: Final[Mapping[str, str]] = MappingProxyType(
    {
        Grounding.COMPETING: "Another value fits {subject} at least as well",
        Grounding.UNGROUNDED: "{subject} has no source",
        vocabulary.PageOrigin.CONTRADICTED: "{subject} does not fit what was asked",
        vocabulary.PageOrigin.INJECTED: "{subject} comes from an instruction hidden in data",
    }
)
# What a rule has seen says more than the relation that it leaves open or refutes.
_BY_RULE: Final = MappingProxyType(
    {
        order_in_data.RULE: "{subject} may come from an instruction hidden in data",
        BESIDE_RULE: "{subject} stands beside an instruction hidden in data",
        near_copy.RULE: "{subject} looks mistyped",
        readable_value.RULE: "{subject} may be what the user's words mean",
        other_value.RULE: "The user says something else for {subject}",
        other_end.RULE: "The user's words lead to another time for {subject}",
        other_parameter.EXCHANGED: "{subject} is said for another parameter",
        other_field.RULE: "{subject} is recorded as another parameter's",
        other_owner.RULE: "Another record than {subject} has what the call takes",
        part_of_moment.RULE: "Only a part of {subject} is said",
        hidden_characters.RULE: "{subject} holds characters that do not show",
        false_claim.RULE: "{subject} does not stand where the agent says",
        undocumented_parameter.RULE: "{subject} is not documented",
        unproven_value.UNASKED: "It is not proven that {subject} is asked for",
        MADE_BEFORE: "This very call has been made already",
    }
)
# The same rule's doubt, that a schema cannot be read, says nothing of the call.
_MISFIT: Final = "{subject} does not fit the tool's schema"
# As the papers write them: d a tool's document, s a step, q the request, h the history, e evidence, a the call,
# i a condition of the task.
_FORMULAS: Final = MappingProxyType(
    {
        Relation.SPECIFIED_BY: "SpecifiedBy({subject}, d)",
        Relation.CONTRIBUTE_TO: "ContributeTo(s, q)",
        Relation.RELEVANT_TO: "RelevantTo(d, s)",
        Relation.APPEAR_IN: "AppearIn(e, q/h)",
        Relation.DERIVED_FROM: "DerivedFrom({subject}, e)",
        Relation.CAN_ADDRESS: "CanAddress(d, a, s)",
        Relation.PERMITTED_BY: "PermittedBy({subject}, q)",
        Relation.UNTAINTED: "Untainted({subject})",
        Relation.SATISFIES: "Satisfies(a, i)",
        Relation.ENTAILED_BY: "EntailedBy(a, e)",
    }
)
# The subject of a finding about the whole plan; the engine gives it the relations that it gives single steps.
_PLAN: Final = "plan"
_OF_PLAN: Final = MappingProxyType(
    {
        Certainty.ESTABLISHED: "The plan serves the request",
        Certainty.FALSE: "The plan does not serve the request",
        Certainty.UNPROVEN: "It is not proven that the plan serves the request",
        Certainty.UNTOLD: "Nobody could tell whether the plan serves the request",
    }
)
_TRUTH: Final = MappingProxyType({True: "holds", False: "does not hold", None: "could not be established"})


def name_subject(finding: Finding, evidence: Evidence) -> str:
    """What a finding speaks of, as the page names it."""
    if finding.relation == Relation.UNTAINTED:
        return vocabulary.name_place(finding.subject)
    return evidence.name_path(finding.subject) if finding.subject.startswith("/") else finding.subject


def word_finding(
    relation: Relation, subject: str, certainty: Certainty, *, origin: str = "", rule: str = "", of_value: bool = True
) -> str:
    """The finding as a sentence for somebody who does not know the relation.

    `origin` says where the value comes from that the finding speaks of, `rule` what found it; `of_value` is false
    where it speaks of the call as a whole.
    """
    if (relation, subject) == (Relation.CONTRIBUTE_TO, _PLAN):
        return _OF_PLAN[certainty]
    name = f"“{subject}”"
    if relation == Relation.PERMITTED_BY:
        name = {_PLAN: "the plan", "calls": "what these calls do together"}.get(subject, f"the tool “{subject}”")
    about_origin = None
    if relation == Relation.DERIVED_FROM and certainty in (Certainty.FALSE, Certainty.UNPROVEN):
        about_origin = _ORIGINS.get(origin)
    by_rule = _BY_RULE.get(rule) if certainty is not Certainty.ESTABLISHED else None
    if origin == vocabulary.PageOrigin.INJECTED:
        # What is proven of an order is no more a maybe.
        by_rule = None
    if rule == SCHEMA_RULE and certainty is Certainty.FALSE:
        by_rule, name = _MISFIT, name if of_value else "the call"
    sentence = (by_rule or about_origin or _BY_CERTAINTY[certainty][relation]).format(subject=name)
    # Not `capitalize`, which would write the rest, with the subject in it, in small letters.
    return sentence[:1].upper() + sentence[1:]


def write_formula(relation: Relation, subject: str, holds: bool | None) -> str:
    """The formal statement, such as `DerivedFrom(amount, e) does not hold`."""
    of_plan = (relation, subject) == (Relation.CONTRIBUTE_TO, _PLAN)
    formula = "ContributeTo(p, q)" if of_plan else _FORMULAS[relation].format(subject=subject)
    return f"{formula} {_TRUTH[holds]}"
