"""What tracing a call answers: of each value where it comes from, and what that proves."""

from dataclasses import dataclass

from reviews.provenance.core.context import JsonValue, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.doubts import copied_secret, counted_otherwise, others_fact, quoted_text, unknown_fact
from reviews.provenance.doubts.doubt import Rival
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.terms.claims import CheckedClaim
from reviews.provenance.terms.derivability import DerivableParameters
from reviews.provenance.terms.terms import Term


@dataclass(frozen=True)
class Grounded:
    """Where one argument leaf comes from."""

    pointer: str
    """JSON Pointer of the leaf."""
    value: JsonValue
    holds: bool | None
    """True: a proof establishes the source; False: a proof refutes the value; None: nobody could tell."""
    how: Grounding
    note: str
    """One plain sentence for a person; for an unproven value a question."""
    spans: tuple[Span, ...] = ()
    """The evidence; every span verifies against the context."""
    rule: str = ""
    """The proof that decided, or the doubt that withholds."""
    terms: tuple[Term, ...] = ()
    """Where the value may come from: what a judge is shown."""
    nearest: Span | None = None
    """For a value that is not established: what the context says instead, or the most similar thing it says."""
    competing: tuple[Rival, ...] = ()
    """Values of other records that the same words name."""
    against: tuple[Span, ...] = ()
    """For a refuted value: what the context says that it goes against."""
    kinds: frozenset[SourceKind] = frozenset()
    """What wrote the sources of the spans."""
    facts: tuple[Span, ...] = ()
    """For a text that the agent words itself: where the facts in it stand."""
    is_bare: bool = False
    """Whether it is a number, a day or a code by itself: nobody composes one, whatever its parameter is called."""
    is_copied: bool = False
    """Whether it is a result's whole field, which nobody has said: it is taken from there, and composed by nobody."""
    claim: CheckedClaim | None = None
    """Where the agent says that it took the value from, and whether it stands there."""

    @property
    def false_claim(self) -> CheckedClaim | None:
        """The agent's claim, if the value does not stand where it says."""
        return self.claim if self.claim and self.claim.stands is False else None

    def needs_source(self, classes: DerivableParameters) -> bool:
        """Whether the agent may not compose it: by its parameter, kind or origin, or by what it quotes or tells."""
        facts = (unknown_fact.RULE, counted_otherwise.RULE, others_fact.RULE)
        withheld = self.rule in (quoted_text.RULE, copied_secret.RULE, *facts)
        return self.is_bare or self.is_copied or withheld or classes.is_derivable(self.pointer) is not False


@dataclass(frozen=True)
class GroundedCall:
    """One call, traced."""

    leaves: tuple[Grounded, ...]
    request: Request | None = None
    """Where the message asks for this tool, if that is proven."""
    decisive: frozenset[str] = frozenset()
    """Pointers of the values that the agent does not compose, by rule."""
    missing: str = ""
    """The optional parameter that the message may speak of and the call leaves out, if any."""
    is_repeated: bool = False
    """Whether this call, in any spelling, may have been made since the message that asks."""
    is_overtaken: bool = False
    """Whether something has come of a call since then, and no proof of a value rests on it."""
    unread: Span | None = None
    """What else is said that may change what is asked for: no rule reads it."""
    unsaid: tuple[str, ...] = ()
    """Pointers of what the agent words itself, or leaves empty, and the message that asks does not say as it is."""

    @property
    def is_asked_for(self) -> bool:
        """Whether the message asks for this tool, and says nothing that might turn that around."""
        return self.request is not None and self.unread is None

    @property
    def is_proven(self) -> bool:
        """Whether the message asks for this tool, with exactly these values, for all that proofs can tell."""
        return (
            self.is_asked_for
            and not self.unsaid
            and not self.missing
            and not self.is_repeated
            and not self.is_overtaken
            and all(leaf.holds for leaf in self.leaves if leaf.pointer in self.decisive)
        )
