"""Which support does not suffice for a grave call: the word of whoever may write anything, and forged documents.

ARGUS takes for granted that a carrier is genuine: a document that is false throughout holds no order, and every value
agrees with it. Whether it is genuine no text tells; who can write it does, and that the workspace says
(`core.trust`).
"""

from dataclasses import replace
from typing import Final

from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, Source, Span, leaves
from reviews.provenance.core.findings import Finding, Grounding, Relation
from reviews.provenance.core.places import describe_source
from reviews.provenance.core.pointers import keys_of
from reviews.provenance.core.trust import TRUSTED, WEAK, SourceKind, TrustClass
from reviews.provenance.data.quoted_fields import QuotedFields
from reviews.provenance.detectors.documented_deeds import effect_of
from reviews.provenance.detectors.severity import severity_of
from reviews.provenance.detectors.severity_words import LEADING, OBJECTS, Effect
from reviews.provenance.detectors.stage import Stage
from reviews.provenance.injection.instructions import UNTRUSTED
from reviews.provenance.injection.segmenter import is_own_turn
from reviews.provenance.text.boundaries import stands_in
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import tokens_of

RULE: Final = "doubts.weak_support"
# What cannot be had back once it is with the wrong one, even where the workspace has rated nothing.
_IRREVOCABLE: Final = frozenset({Effect.PAYS, Effect.BOOKS, Effect.GRANTS})
# What a text is rated as that the workspace says nothing of: retrieved texts may come from anywhere.
_UNRATED: Final = {SourceKind.RETRIEVED: TrustClass.OPEN_WEB, SourceKind.AGENT_MESSAGE: TrustClass.AGENT}
_WRITERS: Final = {
    TrustClass.OPEN_WEB: "anyone may have written it",
    TrustClass.AGENT: "another agent wrote it",
    None: "the workspace has not said who can write what it returns",
}
# Characters of a value that are looked for in the user's words: shorter ones stand anywhere by chance.
_MIN_VALUE_LENGTH: Final = 3


def withhold_untrusted_support(case: Case, stage: Stage) -> None:
    """Leave open each value of a grave call that only weak support speaks for.

    What the workspace itself rates as weak brings the call before a person whatever the profile says of unknowns; of an
    unrated tool only free text is weak, and only where money or rights are given away.
    """
    severity = severity_of(case.action, case.context.tool(case.action.tool), critical=stage.options.critical)
    if severity is None:
        return
    values = dict(leaves(dict(case.action.arguments)))
    support = _Support(case.context, gives_away=_gives_away(case.action))
    findings, stage.findings = stage.findings, []
    for finding in findings:
        weak = support.find_weak_source(finding, values.get(finding.subject))
        if weak is None:
            stage.findings.append(finding)
            continue
        writer = _WRITERS[_UNRATED.get(weak.kind) if weak.rating is None else weak.rating]
        reason = f"{severity.sentence} Only {describe_source(weak.id)} gives this value, and {writer}."
        stage.findings.append(replace(finding, holds=None, rationale=reason, rule=RULE))
        if weak.rating is not None:
            stage.require_person(reason)


class _Support:
    """The sources that speak for values of one call."""

    def __init__(self, context: Context, *, gives_away: bool) -> None:
        self._context, self._gives_away = context, gives_away
        self._quoted_fields = QuotedFields(context)
        self._trusted = [fold(source.text) for source in context.sources.values() if source.kind in TRUSTED]

    def find_weak_source(self, finding: Finding, value: JsonValue) -> Source | None:
        """The source that gives the value of this finding, where its word is not enough for a grave call."""
        is_source = finding.relation is Relation.DERIVED_FROM and finding.grounding is not Grounding.GENERATED
        if not is_source or finding.holds is False or not finding.evidence or self._is_trusted(value):
            return None
        # A mix is only as trusted as its worst part.
        source = next((self._context.sources[span.source] for span in finding.evidence if self._is_weak(span)), None)
        # What is open already stays as it is, unless the workspace's own rating says more.
        return source if source and (finding.holds or source.rating is not None) else None

    def _is_weak(self, span: Span) -> bool:
        source = self._context.sources[span.source]
        # The agent's own turn is no other agent's word: it is evidence only where the user has agreed to it.
        if source.kind not in UNTRUSTED or is_own_turn(source):
            return False
        if source.rating is not None:
            return source.rating in WEAK
        # Unrated, another agent's word is the weakest there is.
        if source.kind is SourceKind.AGENT_MESSAGE:
            return True
        # A text for people, rather than a field that a system filled in.
        return self._gives_away and (source.kind in _UNRATED or not self._quoted_fields.is_whole_field(span))

    def _is_trusted(self, value: JsonValue) -> bool:
        """Whether the value stands in a text that the user or the operator wrote."""
        folded = fold(str(value))
        return len(folded) >= _MIN_VALUE_LENGTH and any(stands_in(text, folded) for text in self._trusted)


def _gives_away(action: ProposedAction) -> bool:
    """Whether the call gives away money or rights, by any word of its tool's name or the names of its arguments."""
    names = {action.tool}
    for pointer, _ in leaves(dict(action.arguments)):
        # The places of a list are no names, and most names of a long call stand in it again and again.
        names.update(key for key in keys_of(pointer) if not key.isdecimal())
    words = {word for name in names for word in tokens_of(name)}
    return any(effect_of(word, table) in _IRREVOCABLE for word in words for table in (LEADING, OBJECTS))
