"""The proposal in the graph: its argument values, the sources it was made from, and the spans quoted of them."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice

from reviews.provenance.core.context import JsonValue, Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.trust import SourceKind
from reviews.records.prov.account import Account
from reviews.records.prov.notation import Name, Notation, Value

# Each costs several statements, and nobody reads a graph of more; the document gives the number of all.
MAX_DESCRIBED = 500
"""Argument values, sources, and findings of one stage that a document describes."""
# Beyond a few, further evidence says the same.
MAX_SPANS = 10
"""Spans of one finding that a document describes."""
PROPOSAL = "action:proposal"
PROPOSING = "action:proposing"
# Types of values in JSON's words.
_JSON_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", dict: "object", list: "array"}


class ProposalGraph(Notation):
    """A document that describes the proposal, and knows the names of its values, sources and spans."""

    def __init__(self, account: Account) -> None:
        super().__init__(account.id, account.workspace)
        self._context = account.case.context
        self._values: dict[str, Name] = {}
        self._sources: dict[str, Name] = {}
        self._spans: dict[Span, Name] = {}
        self._add_proposal(account)
        # A call without arguments has one leaf, the empty object at the root, which is no argument.
        values = ((at, value) for at, value in leaves(dict(account.case.action.arguments)) if at)
        for number, (pointer, value) in enumerate(islice(values, MAX_DESCRIBED), start=1):
            name = self.add_value(f"action:value.{number}", pointer, value)
            self._values[pointer] = self.add_generation(name, PROPOSING)
            # The proposal is a collection of them.
            self.document.membership(PROPOSAL, name)
        self._add_sources(account)

    def add_value(self, name: Name, pointer: str, value: JsonValue, **attributes: Value) -> Name:
        """An argument value: a string as it is, anything else as JSON."""
        json_type = _JSON_TYPES.get(type(value), "null")
        text = value if isinstance(value, str) else json.dumps(value)
        return self.add_entity(
            name, "guard:ArgumentValue", pointer=pointer, json_type=json_type, value=text, **attributes
        )

    def derive_value(
        self, value: Name, grounding: Grounding | None, spans: Iterable[Span], finding: Name | None = None
    ) -> None:
        """The value wasDerivedFrom these spans, by this grounding; a verbatim copy wasQuotedFrom them."""
        types = ("prov:Quotation",) if grounding is Grounding.COPY else ()
        for span in self.spans(spans):
            self.add_derivation(value, span, *types, finding=finding, grounding=grounding)

    def subject_entity(self, subject: str) -> Name:
        """What a finding speaks of: the value at this pointer, this tool's document, else the proposal."""
        # A pointer names a value; anything else may be a tool, and then its document is what the finding is about.
        document = None if subject.startswith("/") else self._sources.get(f"tool/{subject}")
        return document or self._values.get(subject, PROPOSAL)

    def values_at(self, pointer: str) -> list[Name]:
        """The value at the pointer, or every value below it: a finding on a list speaks for its items."""
        if pointer in self._values:
            return [self._values[pointer]]
        return [name for at, name in self._values.items() if at.startswith(f"{pointer}/")]

    def spans(self, spans: Iterable[Span]) -> list[Name]:
        """The entities of those spans whose quote stands where it says, the first ones."""
        # A judge's quotes are its own words until they are found: no false one becomes provenance.
        verified = (span for span in spans if span.source in self._sources and self._context.verifies(span))
        chosen = list(islice(dict.fromkeys(verified), MAX_SPANS))
        # Several findings may rest on the same one.
        for span in (span for span in chosen if span not in self._spans):
            name = f"action:span.{len(self._spans) + 1}"
            self._spans[span] = self.add_entity(name, "guard:Span", start=span.start, end=span.end, value=span.quote)
            self.document.quotation(name, self._sources[span.source])
        return [self._spans[span] for span in chosen]

    def _add_proposal(self, account: Account) -> None:
        """The proposing as the agent's activity, the proposed call as what it generated."""
        action = account.case.action
        agent = self.add_agent(f"house:agent.{account.agent.id}", "prov:SoftwareAgent", label=account.agent.name)
        self.add_activity(PROPOSING, "guard:Proposing", end=account.proposed_at)
        self.document.association(PROPOSING, agent)
        self.add_entity(
            PROPOSAL,
            "prov:Collection",
            "guard:Proposal",
            tool=action.tool,
            subtask=action.subtask,
            digest=account.digest or None,
            arguments=sum(1 for _ in leaves(dict(action.arguments))),
        )
        self.add_generation(PROPOSAL, PROPOSING, agent, account.proposed_at)

    def _add_sources(self, account: Account) -> None:
        """The sources that evidence cites, the proposed tool's document, then all others but further tools' documents.

        Each by its name, size and hash. Its text stays where it is: a document may leave the workspace.
        """
        sources = self._context.sources
        # Evidence first: where there are too many sources, those that nothing cites are left out.
        cited = (*(span.source for span in _cited_spans(account)), f"tool/{account.case.action.tool}")
        remaining = (name for name, source in sources.items() if source.kind is not SourceKind.TOOL_DOC)
        wanted = dict.fromkeys(name for name in (*cited, *remaining) if name in sources)
        chosen = set(islice(wanted, MAX_DESCRIBED))
        for source in (source for name, source in sources.items() if name in chosen):
            name = self._sources[source.id] = self.add_entity(
                f"action:source.{len(self._sources) + 1}",
                "guard:Source",
                source=source.id,
                kind=source.kind,
                trust=source.trust,
                characters=len(source.text),
                # A lone surrogate has no UTF-8 of its own, and texts from tools may hold one.
                sha256=hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
            )
            self.document.usage(PROPOSING, name)


def _cited_spans(account: Account) -> Iterator[Span]:
    """Every span that a finding, a reading or an edited value rests on, in the order of the account."""
    for checked in account.checks:
        for finding in checked.verdict.findings:
            yield from (*finding.evidence, *((finding.nearest,) if finding.nearest else ()))
        for reading in checked.verdict.interpretations:
            yield from reading.evidence
    for decided in account.decisions:
        for value in decided.values:
            yield from value.spans
