"""A decision in the graph: who decided, on what grounds, and which call may run because of it."""

import json
from collections.abc import Iterable

from reviews.records.prov.account import Decided
from reviews.records.prov.notation import Name
from reviews.records.prov.proposal import MAX_DESCRIBED, PROPOSAL, ProposalGraph


def add_decision(graph: ProposalGraph, number: int, decided: Decided, verdicts: Iterable[Name]) -> None:
    """The deciding as an activity, the decision as what it made. A revision ends the decision before it."""
    deciding, name = f"action:deciding.{number}", f"action:decision.{number}"
    decider = _deciding_agent(graph, decided)
    # PROV-CONSTRAINTS: an activity ends no earlier than what it generates.
    graph.add_activity(deciding, "guard:Deciding", start=decided.began_at, end=decided.at)
    graph.document.association(deciding, decider)
    graph.add_entity(
        name,
        "guard:Decision",
        outcome=decided.outcome,
        message=decided.message or None,
        digest=decided.digest,
        in_force=decided.in_force,
    )
    graph.add_generation(name, deciding, decider, decided.at)
    for ground in (PROPOSAL, *verdicts):
        graph.document.usage(deciding, ground)
        graph.add_derivation(name, ground)
    # What a person overrules stays on record: invalidated by the deciding that replaced it, never deleted.
    if number > 1:
        earlier = f"action:decision.{number - 1}"
        graph.document.revision(name, earlier)
        graph.document.invalidation(earlier, deciding, decided.at)
    if decided.outcome == "edit":
        _add_edit(graph, name, deciding, decided)


def _add_edit(graph: ProposalGraph, decision: Name, deciding: Name, decided: Decided) -> None:
    """The edited call, as a revision of the proposed one, with its values."""
    name = f"{decision}.call"
    # Sorted, so that the same call is the same text whatever order storage gives its members in.
    arguments = json.dumps(dict(decided.arguments), sort_keys=True)
    graph.add_entity(
        name, "prov:Collection", "guard:Call", tool=decided.tool, digest=decided.digest, arguments=arguments
    )
    graph.add_generation(name, deciding, _deciding_agent(graph, decided), decided.at)
    graph.document.revision(name, PROPOSAL)
    # What the reviewer typed is their own; the guard's tracing of it stands beside.
    for position, edited in enumerate(decided.values[:MAX_DESCRIBED], start=1):
        value = graph.add_value(
            f"{decision}.value.{position}", edited.pointer, edited.value, typed_by_reviewer=edited.typed_by_reviewer
        )
        graph.document.membership(name, value)
        graph.derive_value(value, edited.grounding, edited.spans)


def _deciding_agent(graph: ProposalGraph, decided: Decided) -> Name:
    """The agent that decided: a person, the acting user, the workspace by its policy, or the guard."""
    if reviewer := decided.reviewer:
        return graph.add_agent(f"house:person.{reviewer.id}", "prov:Person", label=reviewer.name)
    if decided.decided_by == "user":
        return graph.add_agent("house:user", "prov:Person", label="The user")
    # A policy is nobody's act at that moment: the workspace as an organization answers for it.
    if decided.decided_by == "policy":
        return graph.add_agent("house:workspace", "prov:Organization", label="The workspace's policy")
    return graph.add_guard()
