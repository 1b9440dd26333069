"""The whole graph, and its notation."""

from io import StringIO

from prov.model import ProvDocument

from reviews.records.prov.account import Account
from reviews.records.prov.check import CheckGraph
from reviews.records.prov.decision import add_decision
from reviews.records.prov.proposal import ProposalGraph


def build_document(account: Account) -> ProvDocument:
    """The account as a PROV document. The same account gives the same document."""
    graph = ProposalGraph(account)
    verdicts = [
        CheckGraph(graph, f"action:check.{number}", checked).verdict
        for number, checked in enumerate(account.checks, start=1)
    ]
    # A decision rests on every verdict there is: the account keeps no time at which each was read.
    for number, decided in enumerate(account.decisions, start=1):
        add_decision(graph, number, decided, verdicts)
    return graph.document


def to_json(document: ProvDocument) -> str:
    """PROV-JSON with sorted names, in ASCII: the same document gives the same bytes."""
    # The library writes into a file, or into a text it has to be given.
    text = StringIO()
    document.serialize(text, format="json", sort_keys=True, indent=1)
    return text.getvalue()
