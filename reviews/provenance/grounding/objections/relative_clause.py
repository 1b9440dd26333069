"""Whoever a relative clause is about is not whom it describes: "the user that Zoe reported" is not Zoe."""

import re
from itertools import islice

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.decide import Why
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.results import Found
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.text.boundaries import occurrences
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.roots import root

# Characters of a message that are read, and those before a mention in which the clause begins.
_READ, _REACH = 8_000, 48
# Mentions that are looked at: a name that is said again outside the clause is meant for itself.
_MOST = 12
# "The user that", "the account which"; then perhaps an article.
_RELATIVE = re.compile(r"(?P<noun>[^\W\d_]{3,}) (?:that|who|whom|which) (?:the )?$")
# A verb in the past, or with an auxiliary: "reported", "has flagged", "is complaining".
_VERB = re.compile(r" (?:(?:has|had|have|is|was|just|already)\s+){0,2}[^\W\d_]{2,}(?:ed|ing|en|t|s)(?!\w)")

WHY = Why.ROLE


def against(leaf: Leaf, evidence: Evidence, budget: Budget) -> Found | None:
    """A value that the last message says as the subject of a clause about what the parameter names, and only there."""
    named = frozenset(map(root, (*words_of(leaf.name.replace("_", " ")), *words_of(leaf.description[:_REACH]))))
    if not isinstance(leaf.value, str) or not leaf.text or not named:
        return None
    budget.spend()
    for text in evidence.spoken[:1]:
        folded = text.folded.text[:_READ]
        places = list(islice(occurrences(folded, leaf.folded), _MOST))
        clauses = [_RELATIVE.search(folded, max(0, at - _REACH), at) for at in places]
        about = [
            hit
            for at, hit in zip(places, clauses, strict=True)
            if hit and root(hit["noun"]) in named and _VERB.match(folded, at + len(leaf.folded))
        ]
        if places and len(about) == len(places):
            span = text.span(about[0].start(), places[0] + len(leaf.folded))
            note = f"“{span.quote}” describes what is meant; it is not {leaf.text[:40]} that is meant."
            return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))
    return None
