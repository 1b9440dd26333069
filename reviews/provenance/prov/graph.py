"""The whole graph, and its notation."""

from collections.abc import Iterator
from io import StringIO

from prov.model import ProvDocument

from reviews.provenance.core.context import Span
from reviews.provenance.prov.account import Account
from reviews.provenance.prov.check import CheckGraph
from reviews.provenance.prov.decision import add_decision
from reviews.provenance.prov.notation import Notation
from reviews.provenance.prov.proposal import ProposalGraph


def build_document(account: Account) -> ProvDocument:
    """The account as a PROV document. The same account gives the same document."""
    notation = Notation(account.id, account.workspace)
    proposal = ProposalGraph(account, _cited_spans(account), notation)
    verdicts = [
        CheckGraph(f"action:check.{number}", checked, notation, proposal).verdict
        for number, checked in enumerate(account.checks, start=1)
    ]
    # A decision rests on every verdict there is: the account keeps no time at which each was read.
    for number, decided in enumerate(account.decisions, start=1):
        add_decision(number, decided, verdicts, notation, proposal)
    return notation.document


def to_json(document: ProvDocument) -> str:
    """PROV-JSON with sorted names, in ASCII: the same document gives the same bytes."""
    # The library writes into a file, or into a text it has to be given.
    text = StringIO()
    document.serialize(text, format="json", sort_keys=True, indent=1)
    return text.getvalue()


def _cited_spans(account: Account) -> Iterator[Span]:
    """Every span that a finding, a reading or an edited value rests on, in the order of the account."""
    for checked in account.checks:
        for finding in checked.verdict.findings:
            yield from finding.evidence
            yield from (finding.nearest,) if finding.nearest else ()
        for reading in checked.verdict.interpretations:
            yield from reading.evidence
    for decided in account.decisions:
        for value in decided.values:
            yield from value.spans
