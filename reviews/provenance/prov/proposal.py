"""The proposal in the graph: its argument values, the sources it was made from, and the spans quoted of them."""

import hashlib
import json
from collections.abc import Iterable
from itertools import islice

from reviews.provenance.core.context import Case, JsonValue, Source, SourceKind, Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.prov.account import Account
from reviews.provenance.prov.notation import Name, Notation, Value

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


class ProposalGraph:
    """Knows the names of values, sources and spans, so that findings can speak of them."""

    def __init__(self, account: Account, cited: Iterable[Span], notation: Notation) -> None:
        self._notation = notation
        self._context = account.case.context
        self._values: dict[str, Name] = {}
        self._sources: dict[str, Name] = {}
        self._spans: dict[Span, Name] = {}
        self._add_proposal(account)
        self._add_values(account.case)
        for source in _described_sources(account.case, cited):
            self._add_source(source)

    def subject_entity(self, pointer: str) -> Name:
        """What a finding on this pointer speaks of: the value, or the proposal."""
        return self._values.get(pointer, PROPOSAL)

    def values_at(self, pointer: str) -> list[Name]:
        """The value at the pointer, or every value below it: a finding on a list speaks for its items."""
        if pointer in self._values:
            return [self._values[pointer]]
        return [name for at, name in self._values.items() if at.startswith(f"{pointer}/")]

    def source_entity(self, source: str) -> Name | None:
        """The source's entity; None when the document does not describe it."""
        return self._sources.get(source)

    def spans(self, spans: Iterable[Span]) -> list[Name]:
        """The entities of those spans whose quote stands where it says."""
        # A judge's quotes are its own words until they are found: no false one becomes provenance.
        verified = (span for span in spans if span.source in self._sources and self._context.verifies(span))
        return [self._span_entity(span) for span in islice(dict.fromkeys(verified), MAX_SPANS)]

    def derive_value(
        self, value: Name, grounding: Grounding | None, spans: Iterable[Span], finding: Name | None = None
    ) -> None:
        """The value wasDerivedFrom these spans, by this grounding; a verbatim copy wasQuotedFrom them."""
        types = ("prov:Quotation",) if grounding is Grounding.COPY else ()
        for span in self.spans(spans):
            self._notation.add_derivation(value, span, *types, finding=finding, grounding=grounding)

    def _add_proposal(self, account: Account) -> None:
        """The proposing as the agent's activity, the proposed call as what it generated."""
        action, notation = account.case.action, self._notation
        agent = notation.add_agent(f"house:agent.{account.agent.id}", "prov:SoftwareAgent", label=account.agent.name)
        notation.add_activity(PROPOSING, "guard:Proposing", end=account.proposed_at)
        notation.document.association(PROPOSING, agent)
        notation.add_entity(
            PROPOSAL,
            "prov:Collection",
            "guard:Proposal",
            tool=action.tool,
            subtask=action.subtask,
            digest=account.digest or None,
            arguments=sum(1 for _ in leaves(dict(action.arguments))),
        )
        notation.add_generation(PROPOSAL, PROPOSING, agent, account.proposed_at)

    def _add_values(self, case: Case) -> None:
        """The values as members of the proposal, which is a collection of them."""
        # A call without arguments has one leaf, the empty object at the root, which is no argument.
        values = ((at, value) for at, value in leaves(dict(case.action.arguments)) if at)
        for number, (pointer, value) in enumerate(islice(values, MAX_DESCRIBED), start=1):
            name = add_value(self._notation, f"action:value.{number}", pointer, value)
            self._values[pointer] = self._notation.add_generation(name, PROPOSING)
            self._notation.document.membership(PROPOSAL, name)

    def _add_source(self, source: Source) -> None:
        """A source by its name, size and hash. Its text stays where it is: a document may leave the workspace."""
        name = self._notation.add_entity(
            f"action:source.{len(self._sources) + 1}",
            "guard:Source",
            source=source.id,
            kind=source.kind,
            trust=source.trust,
            characters=len(source.text),
            # A lone surrogate has no UTF-8 of its own, and texts from tools may hold one.
            sha256=hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        )
        self._notation.document.usage(PROPOSING, name)
        self._sources[source.id] = name

    def _span_entity(self, span: Span) -> Name:
        """The entity of a span, quoted from its source; several findings may rest on the same one."""
        if span not in self._spans:
            name = f"action:span.{len(self._spans) + 1}"
            self._notation.add_entity(name, "guard:Span", start=span.start, end=span.end, value=span.quote)
            self._notation.document.quotation(name, self._sources[span.source])
            self._spans[span] = name
        return self._spans[span]


def add_value(notation: Notation, name: Name, pointer: str, value: JsonValue, **attributes: Value) -> Name:
    """An argument value: a string as it is, anything else as JSON."""
    text = value if isinstance(value, str) else json.dumps(value)
    return notation.add_entity(
        name,
        "guard:ArgumentValue",
        pointer=pointer,
        json_type=_JSON_TYPES.get(type(value), "null"),
        value=text,
        **attributes,
    )


def _described_sources(case: Case, cited: Iterable[Span]) -> list[Source]:
    """The sources that evidence cites, the proposed tool's document, then all others but further tools' documents."""
    sources = case.context.sources
    # Evidence first: where there are too many sources, those that nothing cites are left out.
    cited_names = dict.fromkeys([*(span.source for span in cited), f"tool/{case.action.tool}"])
    remaining = (name for name, source in sources.items() if source.kind is not SourceKind.TOOL_DOC)
    chosen = set(islice(dict.fromkeys([*(name for name in cited_names if name in sources), *remaining]), MAX_DESCRIBED))
    return [source for name, source in sources.items() if name in chosen]
