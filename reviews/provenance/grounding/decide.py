"""From proofs and doubts to one answer for each value: what refutes, else what establishes, else a question.

Only modules of `proofs` make True or False here. What data say never refutes; a judge is asked elsewhere.
"""

from collections.abc import Mapping
from typing import Any

from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.doubts import (
    copied_secret,
    hidden_characters,
    other_parameter,
    other_records,
    other_value,
    quoted_text,
    recorded_value,
    weak_source,
)
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.grounding.composed import facts_of
from reviews.provenance.grounding.results import Grounded
from reviews.provenance.proofs import (
    contradicted_fact,
    disclosed_secret,
    documented_default,
    named_record,
    near_copy,
    selected_record,
    sole_reading,
    unknown_identifier,
)
from reviews.provenance.proofs.call import ProposedCall, Refutation, is_bare
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.selected_record import SelectedField
from reviews.provenance.terms.leaf import Leaf
from reviews.provenance.terms.search import propose_terms
from reviews.provenance.terms.terms import Confirmed, Field, Stated, Term, spans_of


def decide_leaf(
    leaf: Leaf,
    call: ProposedCall,
    request: Request | None,
    selected: SelectedField | None,
    reversed_bounds: Mapping[str, Refutation],
) -> Grounded:
    """Where one value comes from, as far as proofs go. Raises `OutOfBudgetError`."""
    # Proofs hold each value against all others.
    call.evidence.budget.spend(1 + len(call.leaves))
    terms = propose_terms(leaf, call.asking, call.evidence)
    refutation = (
        reversed_bounds.get(leaf.pointer)
        or contradicted_fact.refute_leaf(leaf, call)
        or disclosed_secret.refute_leaf(leaf, call)
        or near_copy.refute_leaf(leaf, call, has_term=bool(terms))
        or unknown_identifier.refute_leaf(leaf, call, has_term=bool(terms))
    )
    if refutation:
        return _ground_leaf(
            leaf, call, refutation.rule, refutation.note, holds=False, how=Grounding.UNGROUNDED,
            nearest=refutation.nearest, against=refutation.against, terms=terms,
        )  # fmt: skip
    return _establish_leaf(leaf, call, request, selected, terms) or _doubt_leaf(leaf, call, terms)


def _establish_leaf(
    leaf: Leaf, call: ProposedCall, request: Request | None, selected: SelectedField | None, terms: tuple[Term, ...]
) -> Grounded | None:
    if hidden_characters.raise_doubt(leaf, call) or copied_secret.raise_doubt(leaf, call):
        return None
    if statement := sole_reading.find_sole_statement(leaf, call, request):
        agreement = call.asking.agreement_to(statement.text)
        note = "The agent proposed it and the user agreed." if agreement else "The request says it, and nothing else."
        spans = (*statement.spans, *([agreement.raw_span(0, len(agreement.source.text))] if agreement else []))
        return _ground_leaf(
            leaf, call, sole_reading.RULE, note, holds=True, how=statement.how, spans=spans, terms=terms
        )  # fmt: skip
    if span := documented_default.find_documented(leaf, call.evidence):
        return _ground_leaf(
            leaf, call, documented_default.RULE, "The tool's document fixes this value.",
            holds=True, how=Grounding.COPY, spans=(span,), terms=terms,
        )  # fmt: skip
    if selected and selected.pointer == leaf.pointer:
        return _ground_leaf(
            leaf, call, selected_record.RULE, "A field of the one record that the request takes by time.",
            holds=True, how=selected.how, spans=selected.spans, terms=(selected.term, *terms),
        )  # fmt: skip
    if record := named_record.find_named_field(leaf, call, request):
        note = f"A field of the one record that the request names: “{record.term.keys[0].span.quote[:60]}”."
        return _ground_leaf(
            leaf, call, named_record.RULE, note, holds=True, how=record.how, spans=record.spans,
            terms=(record.term, *terms),
        )  # fmt: skip
    return None


def _doubt_leaf(leaf: Leaf, call: ProposedCall, terms: tuple[Term, ...]) -> Grounded:
    doubt = (
        hidden_characters.raise_doubt(leaf, call)
        or copied_secret.raise_doubt(leaf, call)
        or quoted_text.raise_doubt(leaf, call)
        or other_parameter.raise_doubt(leaf, call)
        or other_value.raise_doubt(leaf, call)
        or (other_records.raise_doubt(leaf, call) if leaf.text else None)
        or (recorded_value.raise_doubt(leaf, call) if not any(isinstance(term, Field) for term in terms) else None)
        or weak_source.raise_doubt(leaf, call, terms)
    )
    spans = tuple(dict.fromkeys(span for term in terms[:1] for span in spans_of(term)))
    return _ground_leaf(
        leaf, call, doubt.rule, doubt.note, holds=None, how=_how_traced(terms, doubt), spans=spans,
        nearest=doubt.nearest, terms=terms, competing=doubt.rivals, facts=() if terms else facts_of(leaf, call),
    )  # fmt: skip


def _how_traced(terms: tuple[Term, ...], doubt: Doubt) -> Grounding:
    """How the best term would give the value; that nobody has proven it stands beside it."""
    if doubt.rivals:
        return Grounding.COMPETING
    match terms[0] if terms else None:
        # What a document mentions is an example, and no source of the value.
        case Stated() | Confirmed():
            return Grounding.COPY
        case Field():
            return Grounding.RESOLVE
    return Grounding.UNGROUNDED


def _ground_leaf(leaf: Leaf, call: ProposedCall, rule: str, note: str, **fields: Any) -> Grounded:
    """The answer for a leaf, with what wrote its evidence; `fields` are the other fields of `Grounded`."""
    spans: tuple[Span, ...] = fields.get("spans", ())
    sources = [call.evidence.texts[span.source].source for span in spans if span.source in call.evidence.texts]
    return Grounded(
        pointer=leaf.pointer,
        value=leaf.value,
        note=note,
        rule=rule,
        # A mix is only as trusted as its worst part.
        trust=min((source.trust for source in sources), default=0.0),
        kinds=frozenset(source.kind for source in sources),
        is_bare=is_bare(leaf),
        **fields,
    )
