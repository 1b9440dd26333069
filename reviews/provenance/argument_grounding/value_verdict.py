"""From proofs and doubts to one answer for each value: what refutes, else what establishes, else a question.

Only modules of `proofs` make True or False here. What data say never refutes; a judge is asked elsewhere.
"""

from collections.abc import Mapping
from typing import Any

from reviews.provenance.argument_grounding.results import Grounded
from reviews.provenance.core.context import Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.doubts import (
    copied_secret,
    counted_otherwise,
    hidden_characters,
    other_end,
    other_field,
    other_owner,
    other_parameter,
    other_records,
    other_value,
    others_fact,
    quoted_text,
    readable_value,
    undocumented_parameter,
    unknown_fact,
    unproven_value,
)
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.proofs import (
    contradicted_fact,
    disclosed_secret,
    documented_default,
    named_record,
    near_copy,
    sole_reading,
    unknown_identifier,
)
from reviews.provenance.proofs.call import ProposedCall, Refutation, is_bare
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.selected_record import SelectedField
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.search import find_copied, is_mere_echo, propose_terms
from reviews.provenance.terms.terms import Confirmed, Documented, Field, Stated, Term, spans_of

# How the best term would give the value. What a document mentions is an example, and no source of it.
_HOW_TRACED: Mapping[type[Term], Grounding] = {
    Stated: Grounding.COPY, Confirmed: Grounding.COPY, Field: Grounding.RESOLVE
}  # fmt: skip


def decide_leaf(
    leaf: Leaf,
    call: ProposedCall,
    request: Request | None,
    selected: SelectedField | None,
    reversed_bounds: Mapping[str, Refutation],
) -> Grounded:
    """Where one value comes from, as far as proofs go."""
    # Proofs hold each value against all others.
    call.evidence.budget.spend(1 + len(call.leaves))
    terms = propose_terms(leaf, call.latest_request, call.evidence)
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
    # These withhold every proof.
    veto = (
        hidden_characters.raise_doubt(leaf, call)
        or copied_secret.raise_doubt(leaf, call)
        or undocumented_parameter.raise_doubt(leaf, call)
    )
    proof = None if veto else (
        sole_reading.establish_leaf(leaf, call, request)
        or documented_default.establish_leaf(leaf, call)
        or (selected.proof if selected and selected.pointer == leaf.pointer else None)
        or named_record.establish_leaf(leaf, call, request)
    )  # fmt: skip
    if proof:
        terms = (proof.term, *terms) if proof.term else terms
        return _ground_leaf(
            leaf, call, proof.rule, proof.note, holds=True, how=proof.how, spans=proof.spans, terms=terms
        )  # fmt: skip
    doubt = veto or _raise_doubt(leaf, call, terms)
    how = _HOW_TRACED.get(type(terms[0]), Grounding.UNGROUNDED) if terms else Grounding.UNGROUNDED
    how = Grounding.COMPETING if doubt.rivals else Grounding.DERIVE if doubt.spans else how
    # One word may stand there by chance.
    is_copied = how is Grounding.RESOLVE and len(leaf.words) > 1 and find_copied(leaf, call.evidence) is not None
    spans = doubt.spans or tuple(dict.fromkeys(span for term in terms[:1] for span in spans_of(term)))
    return _ground_leaf(
        leaf, call, doubt.rule, doubt.note, holds=None, how=how, spans=spans, nearest=doubt.nearest, terms=terms,
        competing=doubt.rivals, is_copied=is_copied, facts=() if terms else unknown_fact.facts_of(leaf, call),
    )  # fmt: skip


def _raise_doubt(leaf: Leaf, call: ProposedCall, terms: tuple[Term, ...]) -> Doubt:
    return (
        quoted_text.raise_doubt(leaf, call)
        or (None if terms else unknown_fact.raise_doubt(leaf, call))
        or (None if terms else counted_otherwise.raise_doubt(leaf, call))
        or (None if terms else others_fact.raise_doubt(leaf, call))
        or other_parameter.raise_doubt(leaf, call)
        or (other_field.raise_doubt(leaf, call) if terms else None)
        or (other_owner.raise_doubt(leaf, call) if terms else None)
        or (None if any(_gives_value(term, leaf, call) for term in terms) else readable_value.raise_doubt(leaf, call))
        or other_end.raise_doubt(leaf, call)
        or other_value.raise_doubt(leaf, call)
        or (other_records.raise_doubt(leaf, call) if leaf.text else None)
        or unproven_value.raise_doubt(leaf, call, terms)
    )


def _gives_value(term: Term, leaf: Leaf, call: ProposedCall) -> bool:
    """Whether a term is where the value may come from: a document lists every option, and an echo repeats the call."""
    return not isinstance(term, Documented) and not is_mere_echo(term, leaf, call.evidence)


def _ground_leaf(leaf: Leaf, call: ProposedCall, rule: str, note: str, **fields: Any) -> Grounded:
    """The answer for a leaf, with what wrote its evidence; `fields` are the other fields of `Grounded`."""
    spans: tuple[Span, ...] = fields.get("spans", ())
    texts = (call.evidence.texts.get(span.source) for span in spans)
    kinds = frozenset(text.source.kind for text in texts if text)
    return Grounded(leaf.pointer, leaf.value, note=note, rule=rule, kinds=kinds, is_bare=is_bare(leaf), **fields)
