"""A decision in the graph: who decided, on what grounds, and which call may run because of it."""

import json
from collections.abc import Iterable

from reviews.provenance.prov.account import Decided, EditedValue
from reviews.provenance.prov.notation import Name, Notation
from reviews.provenance.prov.proposal import MOST, PROPOSAL, ProposalGraph, tell_value


def tell_decision(
    number: int, decided: Decided, verdicts: Iterable[Name], notation: Notation, proposal: ProposalGraph
) -> None:
    """The deciding as an activity, the decision as what it made. A revision ends the decision before it."""
    deciding, name = f"action:deciding.{number}", f"action:decision.{number}"
    decider = _decider(decided, notation)
    notation.activity(deciding, "guard:Deciding", start=decided.began_at, end=decided.at)
    notation.document.association(deciding, decider)
    _tell_outcome(name, decided, notation)
    notation.made(name, deciding, decider, decided.at)
    for ground in (PROPOSAL, *verdicts):
        notation.document.usage(deciding, ground)
        notation.derived(name, ground)
    if number > 1:
        earlier = f"action:decision.{number - 1}"
        notation.document.revision(name, earlier)
        notation.document.invalidation(earlier, deciding, decided.at)
    if decided.outcome == "edit":
        _tell_edit(f"{name}.call", deciding, decided, notation)
        for place, value in enumerate(decided.values[:MOST], start=1):
            _tell_edited_value(f"{name}.value.{place}", f"{name}.call", value, notation, proposal)


def _decider(decided: Decided, notation: Notation) -> Name:
    if decided.reviewer:
        who = decided.reviewer
        return notation.agent(f"house:person.{who.id}", "prov:Person", label=who.name)
    if decided.decided_by == "policy":
        return notation.agent("house:workspace", "prov:Organization", label="The workspace's policy")
    return notation.guard()


def _tell_outcome(name: Name, decided: Decided, notation: Notation) -> None:
    notation.entity(
        name,
        "guard:Decision",
        outcome=decided.outcome,
        message=decided.message or None,
        digest=decided.digest,
        in_force=decided.in_force,
    )


def _tell_edit(name: Name, deciding: Name, decided: Decided, notation: Notation) -> None:
    arguments = json.dumps(dict(decided.arguments), sort_keys=True)
    notation.entity(
        name, "prov:Collection", "guard:Call", tool=decided.tool, digest=decided.digest, arguments=arguments
    )
    notation.made(name, deciding, _decider(decided, notation), decided.at)
    notation.document.revision(name, PROPOSAL)


def _tell_edited_value(
    name: Name, call: Name, edited: EditedValue, notation: Notation, proposal: ProposalGraph
) -> None:
    """What the reviewer typed is their own; the guard's tracing of it stands beside."""
    tell_value(notation, name, edited.pointer, edited.value, typed_by_reviewer=edited.typed_by_reviewer)
    notation.document.membership(call, name)
    proposal.rest_on(name, edited.grounding, edited.spans)
