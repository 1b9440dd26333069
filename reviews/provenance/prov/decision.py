"""A decision in the graph: who decided, on what grounds, and which call may run because of it."""

import json
from collections.abc import Iterable

from reviews.provenance.prov.account import Decided, EditedValue
from reviews.provenance.prov.notation import Name, Notation
from reviews.provenance.prov.proposal import MAX_DESCRIBED, PROPOSAL, ProposalGraph, add_value


def add_decision(
    number: int, decided: Decided, verdicts: Iterable[Name], notation: Notation, proposal: ProposalGraph
) -> None:
    """The deciding as an activity, the decision as what it made. A revision ends the decision before it."""
    deciding, name = f"action:deciding.{number}", f"action:decision.{number}"
    decider = _deciding_agent(decided, notation)
    # PROV-CONSTRAINTS: an activity ends no earlier than what it generates.
    notation.add_activity(deciding, "guard:Deciding", start=decided.began_at, end=decided.at)
    notation.document.association(deciding, decider)
    notation.add_entity(
        name,
        "guard:Decision",
        outcome=decided.outcome,
        message=decided.message or None,
        digest=decided.digest,
        in_force=decided.in_force,
    )
    notation.add_generation(name, deciding, decider, decided.at)
    for ground in (PROPOSAL, *verdicts):
        notation.document.usage(deciding, ground)
        notation.add_derivation(name, ground)
    # What a person overrules stays on record: invalidated by the deciding that replaced it, never deleted.
    if number > 1:
        earlier = f"action:decision.{number - 1}"
        notation.document.revision(name, earlier)
        notation.document.invalidation(earlier, deciding, decided.at)
    if decided.outcome == "edit":
        _add_edit(f"{name}.call", deciding, decided, notation)
        for position, value in enumerate(decided.values[:MAX_DESCRIBED], start=1):
            _add_edited_value(f"{name}.value.{position}", f"{name}.call", value, notation, proposal)


def _deciding_agent(decided: Decided, notation: Notation) -> Name:
    """The agent that decided: a person, the acting user, the workspace by its policy, or the guard."""
    if decided.reviewer:
        reviewer = decided.reviewer
        return notation.add_agent(f"house:person.{reviewer.id}", "prov:Person", label=reviewer.name)
    if decided.decided_by == "user":
        return notation.add_agent("house:user", "prov:Person", label="The user")
    # A policy is nobody's act at that moment: the workspace as an organization answers for it.
    if decided.decided_by == "policy":
        return notation.add_agent("house:workspace", "prov:Organization", label="The workspace's policy")
    return notation.add_guard()


def _add_edit(name: Name, deciding: Name, decided: Decided, notation: Notation) -> None:
    """The edited call, as a revision of the proposed one."""
    # Sorted, so that the same call is the same text whatever order storage gives its members in.
    arguments = json.dumps(dict(decided.arguments), sort_keys=True)
    notation.add_entity(
        name, "prov:Collection", "guard:Call", tool=decided.tool, digest=decided.digest, arguments=arguments
    )
    notation.add_generation(name, deciding, _deciding_agent(decided, notation), decided.at)
    notation.document.revision(name, PROPOSAL)


def _add_edited_value(name: Name, call: Name, edited: EditedValue, notation: Notation, proposal: ProposalGraph) -> None:
    """What the reviewer typed is their own; the guard's tracing of it stands beside."""
    add_value(notation, name, edited.pointer, edited.value, typed_by_reviewer=edited.typed_by_reviewer)
    notation.document.membership(call, name)
    proposal.derive_value(name, edited.grounding, edited.spans)
