"""Trace argument values: the methods in order, over the sources in order of trust."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from reviews.provenance.core.context import (
    Case,
    Context,
    JsonValue,
    ProposedAction,
    Source,
    SourceId,
    SourceKind,
    Span,
    Step,
    leaves,
)
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.shortening import shortened
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.links import arithmetic, options, parts_and_ends
from reviews.provenance.grounding.links.free_slot import first_free
from reviews.provenance.grounding.links.moment import across
from reviews.provenance.grounding.links.nearest import nearest
from reviews.provenance.grounding.links.open_period import open_ended
from reviews.provenance.grounding.links.quotation import misquoted
from reviews.provenance.grounding.links.record_field import resolve
from reviews.provenance.grounding.links.selection import Selections
from reviews.provenance.grounding.links.stated import say
from reviews.provenance.grounding.links.superlative import compared
from reviews.provenance.grounding.notes import where
from reviews.provenance.grounding.results import Found, Grounded
from reviews.provenance.records.cache import indexed
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf, Schema, leaf_at
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import fold
from reviews.provenance.values.zone import home_clock, told_in

_TRUSTED = (SourceKind.USER_QUERY, SourceKind.SYSTEM_PROMPT)
_NO_EVIDENCE = (SourceKind.TOOL_CALL, SourceKind.AGENT_MESSAGE, SourceKind.TOOL_DOC)
"""What an agent wrote proves nothing; a tool document speaks through its schema only."""


class Grounder:
    """Traces values within one context; what it reads of a source it reads once, and keeps for later ones."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def arguments(self, action: ProposedAction) -> tuple[Grounded, ...]:
        """Every leaf of the arguments, in order."""
        tool = self._context.tool(action.tool)
        parts = [leaf_at(value, pointer, tool) for pointer, value in leaves(dict(action.arguments))]
        said = [found for leaf in parts if leaf.text and (found := self._said(leaf, self._trusted))]
        used = frozenset(span for found in said for span in found.spans)
        call = self._call(parts)
        return tuple(self.leaf(leaf, used, call) for leaf in parts)

    def leaf(self, leaf: Leaf, used: frozenset[Span] = frozenset(), call: Call | None = None) -> Grounded:
        """One value. `used` are the spans that other arguments of the same call rest on."""
        found = self._trace(leaf, used, call or self._call((leaf,))) or self._without_source(leaf)
        sources = [self._context.sources[span.source] for span in found.spans]
        return Grounded(
            pointer=leaf.pointer,
            value=leaf.value,
            how=found.how,
            spans=found.spans,
            note=found.note,
            nearest=found.nearest,
            competing=found.competing,
            against=found.against,
            # A mix is only as trusted as its worst part.
            trust=min((source.trust for source in sources), default=0.0),
            kinds=frozenset(source.kind for source in sources),
        )

    def _trace(self, leaf: Leaf, used: frozenset[Span], call: Call) -> Found | None:
        for method in self._methods(leaf, used, call):
            if found := method():
                return found
        return None

    def _methods(self, leaf: Leaf, used: frozenset[Span], call: Call) -> Iterator[Callable[[], Found | None]]:
        if options.outside(leaf):
            return
        if not leaf.text:
            yield lambda: options.offered(leaf)
            yield lambda: options.blank(leaf, self._references)
            return
        # What the request says about a value goes before where else the value may stand.
        yield lambda: options.contradicted(leaf, call, self._references)
        yield lambda: compared(leaf, call)
        yield lambda: misquoted(leaf, call)
        yield lambda: open_ended(leaf, call)
        yield lambda: first_free(leaf, call)
        yield lambda: self._said(leaf, self._trusted)
        yield lambda: options.offered(leaf)
        yield lambda: options.chosen(leaf, self._references)
        yield lambda: self._found_in_data(leaf, used)
        yield lambda: across(leaf, self._texts)
        yield lambda: parts_and_ends.from_record_end(leaf, self._data)
        yield lambda: parts_and_ends.from_moved_record(leaf, self._data, self._trusted)
        yield lambda: parts_and_ends.from_parts(leaf, lambda part: self._literal(part, used))
        yield lambda: parts_and_ends.from_larger(leaf, self._texts)

    def _literal(self, leaf: Leaf, used: frozenset[Span]) -> Found | None:
        return self._said(leaf, self._trusted) or self._found_in_data(leaf, used)

    def _found_in_data(self, leaf: Leaf, used: frozenset[Span]) -> Found | None:
        found = resolve(leaf, self._data, self._references, used, self._selections)
        if found and found.how in (Grounding.COMPETING, Grounding.UNGROUNDED):
            # A time worked out may by chance be the time of another record.
            return parts_and_ends.from_moved_record(leaf, self._data, self._trusted) or found
        worked_out = None if found else arithmetic.from_numbers(leaf, self._data, self._references)
        return found or worked_out or self._said(leaf, self._data)

    def _said(self, leaf: Leaf, texts: tuple[Indexed, ...]) -> Found | None:
        for text in texts:
            if not text.repeats(leaf.folded) and (found := say(leaf, text)):
                return found
        return None

    def _without_source(self, leaf: Leaf) -> Found:
        closest = nearest(leaf, self._texts)
        note = f"“{shortened(leaf.text, 60)}” appears nowhere"
        note += f"; {where(closest.source)} says “{shortened(closest.quote, 60)}”." if closest else "."
        if not leaf.text:
            note = "Nobody asked for this setting."
        elif options.outside(leaf):
            note = f"Not one of the options the tool lists: {shortened(', '.join(leaf.choices), 120)}."
        elif leaf.choices:
            note = f"Nobody asked for “{leaf.text[:60]}” of the options {shortened(', '.join(leaf.choices), 120)}."
        return Found(Grounding.UNGROUNDED, (), note, nearest=closest)

    def _call(self, parts: Sequence[Leaf]) -> Call:
        said = tuple(text for text in self._trusted if text.source.kind is SourceKind.USER_QUERY)
        situation = tuple(text for text in self._trusted if text.source.kind is not SourceKind.USER_QUERY)
        return Call(tuple(parts), said, situation, self._data, self._steps, self._context.now)

    @cached_property
    def _steps(self) -> Mapping[SourceId, Step]:
        numbered = enumerate(self._context.history, start=1)
        return {f"history/{position}/outcome": item for position, item in numbered if isinstance(item, Step)}

    @cached_property
    def _texts(self) -> tuple[Indexed, ...]:
        """The evidence, the most trusted first, of equals the latest first."""
        evidence = [source for source in self._context.sources.values() if source.kind not in _NO_EVIDENCE]
        evidence.reverse()
        return tuple(self._indexed(source) for source in sorted(evidence, key=lambda source: -source.trust))

    @cached_property
    def _trusted(self) -> tuple[Indexed, ...]:
        return tuple(text for text in self._texts if text.source.kind in _TRUSTED)

    @cached_property
    def _data(self) -> tuple[Indexed, ...]:
        return tuple(text for text in self._texts if text.source.kind not in _TRUSTED)

    @cached_property
    def _references(self) -> References:
        return References(tuple(text for text in self._trusted if text.source.kind is SourceKind.USER_QUERY))

    @cached_property
    def _selections(self) -> Selections:
        names = {source: step.tool for source, step in self._steps.items()}
        names |= {text.source.id: text.source.id for text in self._data if text.source.id not in names}
        return Selections(self._references, self._data, self._context.now, names)

    def _indexed(self, source: Source) -> Indexed:
        return indexed(source, self._clock, self._asked(source))

    @cached_property
    def _clock(self) -> datetime | None:
        """The trace's clock in the time zone that the user or the system prompt states, if one does."""
        trusted = (source.text for source in self._context.sources.values() if source.kind in _TRUSTED)
        return home_clock(self._context.now, next(filter(None, map(told_in, trusted)), None))

    def _asked(self, source: Source) -> frozenset[str]:
        """The folded values the agent itself put into the call that this is the outcome of."""
        kind, _, rest = source.id.partition("/")
        if kind != "history" or source.kind is not SourceKind.TOOL_OUTPUT:
            return frozenset()
        step = self._context.history[int(rest.partition("/")[0]) - 1]
        values = (value for _, value in leaves(dict(step.arguments))) if isinstance(step, Step) else ()
        return frozenset(text for value in values if (text := fold(Leaf(value).text)))


def ground(value: JsonValue, context: Context, *, pointer: str, schema: Schema | None = None) -> Grounded:
    """Trace one leaf value. For many values of one context, keep a `Grounder`."""
    return Grounder(context).leaf(Leaf(value, pointer, schema))


def ground_arguments(case: Case) -> tuple[Grounded, ...]:
    """Trace every leaf of the proposed arguments. Never raises for a JSON value of bounded nesting."""
    return Grounder(case.context).arguments(case.action)
