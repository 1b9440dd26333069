"""Everything a context offers to trace values in, read once for all values of its calls."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import islice

from reviews.provenance.core.budget import Budget
from reviews.provenance.core.context import TRUSTED, Context, JsonValue, Source, SourceId, SourceKind, Step, leaves
from reviews.provenance.grounding.selection import Selections
from reviews.provenance.records.cache import indexed
from reviews.provenance.records.collections import Collections, Document
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.clock import Clock, clock_of, zone_of
from reviews.provenance.request.dialogue import Proposal, proposals_of
from reviews.provenance.request.leaf import Leaf
from reviews.provenance.request.mentions import References
from reviews.provenance.request.naming import words_naming
from reviews.provenance.request.parts import TARGET, words_in_part
from reviews.provenance.text.boundaries import stands_in
from reviews.provenance.text.fold import fold
from reviews.provenance.text.stems import stem
from reviews.provenance.values.zone import home_clock

# What an agent wrote proves nothing unless the user agreed to it; a tool document speaks through its schema only.
_NO_EVIDENCE = (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC)
# Whose something is: "Nadia's", "the Hofers'".
_POSSESSIVE = re.compile(r"([^\W\d_]+)'(?:s\b|(?=\s))")
# Words that may qualify records: the latest of a very long conversation.
_MOST_WORDS = 1000


@dataclass(frozen=True)
class Accepted:
    """A proposal of the agent's with the user's answer."""

    proposal: Proposal
    text: Indexed
    answer: Source


@dataclass(frozen=True)
class Evidence:
    """The sources of one context, by how far each counts."""

    context: Context
    budget: Budget = field(default_factory=Budget)
    """Of the check, shared by all that is worked out of the evidence."""

    @cached_property
    def texts(self) -> tuple[Indexed, ...]:
        """The evidence, the most trusted first, of equals the latest first."""
        evidence = [source for source in self.context.sources.values() if source.kind not in _NO_EVIDENCE]
        evidence.reverse()
        return tuple(self.indexed(source) for source in sorted(evidence, key=lambda source: -source.trust))

    @cached_property
    def trusted(self) -> tuple[Indexed, ...]:
        """What the user and the system prompts say."""
        return tuple(text for text in self.texts if text.source.kind in TRUSTED)

    @cached_property
    def data(self) -> tuple[Indexed, ...]:
        """Tool outputs and other material."""
        return tuple(text for text in self.texts if text.source.kind not in TRUSTED)

    @cached_property
    def spoken(self) -> tuple[Indexed, ...]:
        """What the user wrote, the latest first."""
        return tuple(text for text in self.trusted if text.source.kind is SourceKind.USER_QUERY)

    @cached_property
    def steps(self) -> Mapping[SourceId, Step]:
        """The finished call that each tool output answers."""
        numbered = enumerate(self.context.history, start=1)
        return {f"history/{position}/outcome": item for position, item in numbered if isinstance(item, Step)}

    @cached_property
    def references(self) -> References:
        """What the user's words can name."""
        return References(self.spoken)

    @cached_property
    def selections(self) -> Selections:
        """What the user's clauses select."""
        names = {source: step.tool for source, step in self.steps.items()}
        names |= {text.source.id: text.source.id for text in self.data if text.source.id not in names}
        # Of a long conversation only the last message speaks of what is to be selected now.
        return Selections(References(self.spoken[:1]), self.data, self.clock.now, names)

    @cached_property
    def clock(self) -> Clock:
        """The present, and what tells it."""
        return clock_of(self.context)

    @cached_property
    def accepted(self) -> tuple[Accepted, ...]:
        """What the agent proposed and the user agreed to, the latest first."""
        sources = self.context.sources
        return tuple(
            Accepted(each, self.indexed(_masked(sources[each.message], each.passed_over)), sources[each.answer])
            for each in proposals_of(self.context)
        )

    @cached_property
    def exchange(self) -> tuple[Indexed, ...]:
        """What was said last: the user's last message, and the proposal that it agrees to; none without a dialogue."""
        agreed = tuple(each.text for each in self.accepted if each.proposal.latest)
        return (*self.spoken[:1], *agreed) if len(self.spoken) > 1 else ()

    @cached_property
    def words(self) -> tuple[tuple[str, ...], frozenset[str]]:
        """The words that can name records, and those of the last exchange among them."""
        named = [words_naming(text) for text in self.spoken]
        agreed = [words_naming(each.text) for each in self.accepted]
        latest = {word for words in named[:1] for word in words}
        for each, words in zip(self.accepted, agreed, strict=True):
            latest |= set(words) if each.proposal.latest else set()
        every = dict.fromkeys(word for words in (*named, *agreed) for word in words)
        return tuple(every)[:_MOST_WORDS], frozenset(latest)

    @cached_property
    def owners(self) -> frozenset[str]:
        """The words of the last message that say whose something is."""
        folded = (text.folded.text for text in self.spoken[:1])
        return frozenset(stem(hit[1]) for text in folded for hit in islice(_POSSESSIVE.finditer(text), _MOST_WORDS))

    @cached_property
    def targets(self) -> frozenset[str]:
        """Words of the user's last message that "to" and the like govern, as far as they name anything."""
        last = self.spoken[:1]
        governed = frozenset(stem(word) for text in last for word in words_in_part(text.source.text, TARGET))
        return governed & frozenset(word for text in last for word in words_naming(text))

    @cached_property
    def traced(self) -> frozenset[str]:
        """Values of finished calls that the user or a system prompt says, or that the user agreed to."""
        texts = [*self.trusted, *(each.text for each in self.accepted)]
        arguments = {value for step in self.steps.values() for value in asked_with(step)}
        # People leave the sign of a number away: "order W123" for #W123.
        return frozenset(
            value for value in arguments if any(stands_in(text.folded.text, value.lstrip("#")) for text in texts)
        )

    @cached_property
    def collections(self) -> Collections:
        """The records that were looked up, the latest result first."""
        return Collections(tuple(self._document(text) for text in self.data))

    def _document(self, text: Indexed) -> Document:
        step = self.steps.get(text.source.id)
        return Document(text, step.tool if step else text.source.id, asked_with(step))

    def indexed(self, source: Source) -> Indexed:
        """A source as it is searched, whoever wrote it."""
        step = self.steps.get(source.id) if source.kind is SourceKind.TOOL_OUTPUT else None
        return indexed(source, self._home, frozenset(asked_with(step)))

    @cached_property
    def _home(self) -> datetime | None:
        """The clock in the time zone that the user or the system prompt states, if one does."""
        return home_clock(self.clock.now, zone_of(self.context))


def _masked(source: Source, stretches: Sequence[tuple[int, int]]) -> Source:
    """The source with blanks in the place of some stretches, so that all else stands where it stood."""
    text = source.text
    for start, end in stretches:
        text = text[:start] + " " * (end - start) + text[end:]
    return replace(source, text=text) if stretches else source


def asked_with(step: Step | None) -> tuple[str, ...]:
    """The folded values that the agent itself put into a call."""
    values: Sequence[JsonValue] = [value for _, value in leaves(dict(step.arguments))] if step else ()
    return tuple(dict.fromkeys(text for value in values if (text := fold(Leaf(value).text))))
