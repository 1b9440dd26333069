"""Which part of the call a record that the message names has: what leads to its name, and what its field is called."""

from typing import Final

from reviews.provenance.proofs.parameter_field import names_of_field
from reviews.provenance.proofs.phrase import is_labelled, prepositions_before
from reviews.provenance.proofs.record_lead import Lead, is_of_another, kinds_of
from reviews.provenance.proofs.words import (
    ARTICLES,
    PREPOSITIONS,
    documented_leads,
    documented_nouns,
    labels_in,
    labels_of,
    nouns_behind,
)
from reviews.provenance.terms.derivability import path_of
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import root_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import words_in
from reviews.provenance.values.identifiers import is_identifier, is_opaque

# Prepositions that say whom something comes from or goes to.
_PARTS: Final = frozenset({"from", "by", "to", "for", "into"})


def has_role(lead: Lead) -> bool:
    """Whether the words say which part of the call the record has, where its field does not: "from Savings"."""
    is_own = lead.record.record == lead.cell.record and not is_of_another(lead.cell)
    # "The account of Ann", and not "the user Ann".
    if (not is_own and not lead.leading and not lead.possession) or _leads_to_another(lead) or _is_led_elsewhere(lead):
        return False
    wanted, names = stems_of(lead.leaf.name), [name for name in names_of_field(lead.cell) if name]
    if wanted in names or wanted - PREPOSITIONS not in names:
        return True
    return is_labelled(lead.leaf, *lead.record.place, lead.call, of_record=True) is True


def _is_led_elsewhere(lead: Lead) -> bool:
    """Whether no preposition that leads to the name is the parameter's: "the email M-1 of Ann" does not go to her.

    Right behind a value "of" says whose that is. A name behind a comma may be whom the message speaks to.
    """
    call, name, (start, _) = lead.call, lead.leaf.name, lead.record.place
    # Of a list's names commas and "and" join one to the next.
    if lead.possession or path_of(lead.leaf.pointer) != lead.leaf.pointer:
        return False
    leads = documented_leads(name, call) | (labels_in(name, call) & PREPOSITIONS)
    value_end = max((end for end in call.used_ends if call.verb_end <= end <= start), default=start)
    # "$20 of the order" is a share.
    if words_in(call.text.folded[value_end:start])[:1] == ("of",) and not any(
        call.text.amounts_at(value_end, value_end)
    ):
        return "of" not in leads
    before = frozenset(prepositions_before(start, call)) - {"of"}
    is_behind_comma = call.text.folded[:start].rstrip().endswith(",")
    return bool(leads) and (before.isdisjoint(leads) if before else is_behind_comma)


def _leads_to_another(lead: Lead) -> bool:
    """Whether a noun of the record's own kind leads to its name: "the user of Ann Lee" is another one than she."""
    if not lead.record.is_named_by_name or lead.record.record != lead.cell.record:
        return False
    words = [word for word in words_in(lead.call.text.folded[: lead.record.place[0]]) if word not in ARTICLES]
    leading = PREPOSITIONS.intersection(words[-1:]) - labels_in(lead.leaf.name, lead.call)
    return bool(leading) and not kinds_of(lead.cell).isdisjoint(map(root_of, words[-2:-1]))


def has_other_part(lead: Lead) -> bool:
    """Whether a preposition gives the name a part that its field may not have: a parcel "from Ann" is none to her.

    What has a name of its own is itself, a code names it whatever stands before, and the tool's document may have the
    preposition before the same noun: "to the lead Orbis". What a look-up was made with is no field.
    """
    record, cell, leading, quote = lead.record, lead.record.cell, lead.leading, fold(lead.record.key.span.quote)
    if leading not in _PARTS or is_opaque(quote) or is_identifier(quote) or record.is_named_by_name:
        return False
    nouns = nouns_behind(lead.call.text.folded)
    led = {(first, stem_of(noun)) for first, noun, (_, end) in nouns if end + 1 == record.place[0]}
    if not {noun for _, noun in led & documented_nouns(lead.call)}.isdisjoint(labels_of(lead.leaf.name)):
        return False
    return cell is not None and not any(leading in tokens_of(name) for name in cell.field)
