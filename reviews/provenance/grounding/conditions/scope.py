"""Which part of a request a condition governs, and on which side of it a call stands."""

import re
from dataclasses import dataclass
from functools import cached_property

from reviews.provenance.core.context import Case, Context, leaves
from reviews.provenance.grounding.conditions.claims import Claim, claim_in
from reviews.provenance.grounding.links.quotation import blanked
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.actions import classes_of_tool, clearly_asked
from reviews.provenance.request.objects import mentions_object
from reviews.provenance.text.fold import fold

# Characters of a request that are read for conditions.
_READ = 8_000
# A point between figures ends no sentence.
_SENTENCE = re.compile(r"(?:[^.?!\n]|\.(?=\d))+[.?!\n]*")
# What opens a condition.
_IF = re.compile(r"\b(?:if|whether|in case|provided)\b")
# A condition behind its "if"; behind "check if" it is a question.
_IN_CLAUSE = re.compile(
    r"(?:^|(?P<asking>\b(?:check|see|tell \w+|know|find out|ask|wonder|sure)) |\W)(?:if|in case|provided)\b[^,;]*$"
)
# What refers to a condition that was named before.
_SO = re.compile(r"\bif (?:so|yes|it (?:was|did|is|has|grew)|they (?:did|do|have))\b|\bin that case\b")
# What refers to its opposite.
_NOT = re.compile(r"\bif (?:not|no)\b|\botherwise\b|\belse\b")
# Characters of an argument that tells on which side of a condition its call stands.
_SHORTEST = 4


@dataclass(frozen=True)
class Request:
    """What the user asked first, with quotations blanked out so that only the user's own words count."""

    text: Indexed

    @cached_property
    def blanked(self) -> str:
        """The folded request; what stands in quotation marks is a row of the letter x."""
        return blanked(self.text.folded.text[:_READ])

    @cached_property
    def claim(self) -> Claim | None:
        """The condition, where the request makes something depend on one."""
        return claim_in(self.blanked) if _IF.search(self.blanked) else None


def request_of(context: Context) -> Request:
    """The first request of a context."""
    return Request(Indexed(context.sources["query"], context.now))


def side_of(case: Case, request: Request, claim: Claim) -> bool | None:
    """True when the call is to be made if the condition holds, False when it is to be made if it does not.

    None when the call is not clearly made to depend on it.
    """
    text = request.blanked
    sentences = [hit.span() for hit in _SENTENCE.finditer(text)]
    inside = [span for span in sentences if _is_governed(text, span, claim)]
    governed = " ".join(text[slice(*span)] for span in inside)
    elsewhere = " ".join(text[slice(*span)] for span in sentences if span not in inside)
    if not _asks_for(case, governed) or _asks_for(case, elsewhere):
        return None
    return _side_by_denial(case, request, claim, inside[0][0], inside[-1][1])


def _is_governed(text: str, span: tuple[int, int], claim: Claim) -> bool:
    """Whether a sentence makes what it asks for depend on the condition: by its own "if", or by a later "if so"."""
    start, end = span
    if not start <= claim.start < claim.end <= end:
        return start > claim.start and bool(_SO.search(text, start, end) or _NOT.search(text, start, end))
    clause = _IN_CLAUSE.search(text[start : claim.end])
    return (clause is not None and not clause["asking"]) or _SO.search(text, claim.end, end) is not None


def _asks_for(case: Case, text: str) -> bool:
    """Whether a part of the request asks for this kind of action on this kind of thing."""
    tool = case.context.tool(case.action.tool)
    return tool is not None and bool(classes_of_tool(tool) & clearly_asked(text)) and mentions_object(tool, text)


def _side_by_denial(case: Case, request: Request, claim: Claim, start: int, end: int) -> bool | None:
    text = request.blanked
    denied = _NOT.search(text, claim.end, end)
    if denied is None:
        return True
    then, otherwise = (max(claim.end, start), denied.start()), (denied.start(), end)
    # Where nothing is asked for between a condition and its denial, all that is asked for stands behind the denial.
    if not _SO.search(text, *then) and not clearly_asked(text[slice(*then)]):
        return False
    return _side_by_arguments(case, request, then, otherwise)


def _side_by_arguments(case: Case, request: Request, then: tuple[int, int], otherwise: tuple[int, int]) -> bool | None:
    """The side whose words the arguments are made of."""
    folded = request.text.folded.text
    values = (fold(value) for _, value in leaves(dict(case.action.arguments)) if isinstance(value, str))
    distinctive = [value for value in values if len(value) >= _SHORTEST]
    here = sum(value in folded[slice(*then)] and value not in folded[slice(*otherwise)] for value in distinctive)
    there = sum(value in folded[slice(*otherwise)] and value not in folded[slice(*then)] for value in distinctive)
    return None if here == there else here > there
