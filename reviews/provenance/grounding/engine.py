"""Trace argument values: gather what supports each and what speaks against it, then decide."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from reviews.provenance.core.budget import Budget, OutOfBudgetError
from reviews.provenance.core.context import Case, Context, JsonValue, ProposedAction, SourceKind, Span, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.decide import Against, By, Support, Why, decide
from reviews.provenance.grounding.evidence import Evidence
from reviews.provenance.grounding.links import options, parts_and_ends
from reviews.provenance.grounding.links.arithmetic import Arithmetic
from reviews.provenance.grounding.links.column import column
from reviews.provenance.grounding.links.confirmed import confirmed
from reviews.provenance.grounding.links.free_slot import first_free
from reviews.provenance.grounding.links.last_part import by_last_part
from reviews.provenance.grounding.links.moment import across
from reviews.provenance.grounding.links.open_period import open_ended
from reviews.provenance.grounding.links.prose import alone_in_prose
from reviews.provenance.grounding.links.quotation import misquoted
from reviews.provenance.grounding.links.record_field import Field, field_of
from reviews.provenance.grounding.links.set_points import set_point
from reviews.provenance.grounding.links.singled_out import Pointing, Singled, Standing, Words, link_values
from reviews.provenance.grounding.links.stated import as_written, said_in_any
from reviews.provenance.grounding.links.superlative import compared
from reviews.provenance.grounding.objections.bounds import upside_down
from reviews.provenance.grounding.objections.composed_facts import facts_traced
from reviews.provenance.grounding.objections.exchanged import exchanged, unchanged
from reviews.provenance.grounding.objections.excluded import left_over
from reviews.provenance.grounding.objections.last_word import last_word, other_day, said_since
from reviews.provenance.grounding.objections.misplaced import misplaced
from reviews.provenance.grounding.objections.moved import moved
from reviews.provenance.grounding.objections.near_copy import near_copy
from reviews.provenance.grounding.objections.other_field import other_field
from reviews.provenance.grounding.objections.other_part import other_part
from reviews.provenance.grounding.objections.registry import objections
from reviews.provenance.grounding.objections.rival import beaten
from reviews.provenance.grounding.objections.said_instead import recorded_otherwise
from reviews.provenance.grounding.objections.swapped import swapped
from reviews.provenance.grounding.objections.taken_back import taken_back
from reviews.provenance.grounding.results import Found, Grounded
from reviews.provenance.grounding.unsourced import Unsourced
from reviews.provenance.records.index import Indexed
from reviews.provenance.request.leaf import Leaf, Schema, leaf_at
from reviews.provenance.values.moment import moment_of

# How often what is established for one argument may establish another: a key, its record, a part of that.
_ROUNDS = 3
# Arguments whose words are said of them: more come from a list of records.
_MOST_ARGUMENTS = 64
# Standings that single a record out.
_SETTLED = frozenset({Standing.NAMED, Standing.ALONE})
# Rules that hold a value against what the request says about it: each either gives the value or objects to it.
_SPEAKING: tuple[tuple[Why, Callable[[Leaf, Call], Found | None]], ...] = (
    (Why.COMPARISON, compared),
    (Why.DICTATION, misquoted),
    (Why.PERIOD, open_ended),
    (Why.CALENDAR, first_free),
)


@dataclass
class _Goal:
    """One value, with what has been found about it so far."""

    leaf: Leaf
    supports: list[Support] = field(default_factory=list)
    objections: list[Against] = field(default_factory=list)
    earlier: list[Support] = field(default_factory=list)
    """What the user agreed to before speaking of something else: it explains the value, and proves nothing now."""
    written: Leaf | None = None
    """The value as records write it, where that is another way."""
    fields: Field | None = None
    singled: Singled | None = None

    @property
    def proven(self) -> bool:
        """Whether its source is established, so that it may single out the record of another value."""
        direct = any(support.by in (By.STATED, By.CONFIRMED, By.WORKED_OUT) for support in self.supports)
        selected = any(support.by is By.RECORD for support in self.supports)
        return direct or selected or (self.singled is not None and self.singled.standing in _SETTLED)


class Grounder:
    """Traces values within one context; what it reads of a source it reads once, and keeps for later ones."""

    def __init__(self, context: Context, budget: Budget | None = None) -> None:
        self._budget = budget or Budget()
        self._evidence = Evidence(context, self._budget)
        self._found: dict[str, Found | None] = {}

    def arguments(self, action: ProposedAction) -> tuple[Grounded, ...]:
        """Every leaf of the arguments, in order."""
        tool = self._evidence.context.tool(action.tool)
        parts = [leaf_at(value, pointer, tool) for pointer, value in leaves(dict(action.arguments))]
        return self._ground(parts)

    def leaf(self, leaf: Leaf) -> Grounded:
        """One value by itself."""
        return self._ground([leaf])[0]

    def _ground(self, parts: Sequence[Leaf]) -> tuple[Grounded, ...]:
        call = self._call(parts)
        unsourced = Unsourced(self._evidence, call, self._arithmetic)
        self._found.clear()
        goals = [_Goal(leaf) for leaf in parts]
        try:
            for goal in goals:
                self._read_request(goal, call)
            used = frozenset(
                span for goal in goals for each in goal.supports if each.by is By.STATED for span in each.found.spans
            )
            for goal in goals:
                self._read_data(goal, used)
            self._single_out(goals)
            self._turn_round(goals)
            for goal in goals:
                self._conclude(goal, used, call)
                if {each.by for each in goal.supports} == {By.RECORD}:
                    other = recorded_otherwise(goal.leaf, call, self._evidence, self._arithmetic, self._budget)
                    goal.objections += [Against(Why.LAST_WORD, other)] if other else []
            self._doubt(goals)
        except OutOfBudgetError:
            return tuple(self._grounded(goal.leaf, _UNREAD) for goal in goals)
        return tuple(self._grounded(goal.leaf, self._decided(goal, unsourced)) for goal in goals)

    def _read_request(self, goal: _Goal, call: Call) -> None:
        """What the user, the system prompt and the tool's document say about the value."""
        leaf, references = goal.leaf, self._evidence.references
        if options.outside(leaf):
            return
        if not leaf.text:
            offered = options.offered(leaf) or options.blank(leaf, references)
            goal.supports += [Support(By.OFFERED, offered)] if offered else []
            return
        if other := options.contradicted(leaf, call, references):
            goal.objections.append(Against(Why.OPTION, other))
        given, instead = set_point(leaf, self._evidence)
        goal.supports += (Support(By.OFFERED, found) for found in _some(given))
        goal.objections += (Against(Why.OPTION, found) for found in _some(instead))
        for why, speaks in _SPEAKING:
            if found := speaks(leaf, call):
                against = found.how in (Grounding.UNGROUNDED, Grounding.COMPETING)
                goal.objections += [Against(why, found)] if against else []
                goal.supports += [] if against else [Support(By.WORKED_OUT, found)]
        goal.supports += (Support(By.STATED, found) for found in _some(said_in_any(leaf, self._evidence.trusted)))
        goal.supports += (Support(By.OFFERED, found) for found in _some(options.offered(leaf)))
        goal.supports += (Support(By.STATED, found) for found in _some(options.chosen(leaf, references)))
        stated = [span for each in goal.supports if each.by is By.STATED for span in each.found.spans]
        if stated and (corrected := taken_back(leaf, stated, self._evidence.spoken, call.leaves)):
            goal.objections.append(Against(Why.TAKEN_BACK, corrected))
        for objection in objections():
            if spoken := objection.against(leaf, self._evidence, self._budget):
                goal.objections.append(Against(objection.WHY, spoken))
        if not goal.supports and (agreed := confirmed(leaf, self._evidence.accepted)):
            (goal.earlier if agreed.open else goal.supports).append(Support(By.CONFIRMED, agreed))

    def _read_data(self, goal: _Goal, used: frozenset[Span]) -> None:
        """The records that the value stands in, as far as the user's own words lead to them."""
        leaf = goal.leaf
        if goal.supports or not leaf.text or options.outside(leaf):
            return
        evidence = self._evidence
        if called := by_last_part(leaf, evidence):
            goal.supports.append(Support(By.RECORD, called))
            return
        if remaining := left_over(leaf, evidence):
            goal.supports.append(Support(By.RECORD, remaining))
            return
        goal.fields = self._fields_of(goal, used)
        if goal.fields is None or goal.fields.selected is None:
            return
        if goal.fields.selected.how is Grounding.RESOLVE:
            goal.supports.append(Support(By.RECORD, goal.fields.selected))
        else:
            goal.objections.append(Against(Why.SELECTION, goal.fields.selected))

    def _fields_of(self, goal: _Goal, used: frozenset[Span]) -> Field | None:
        """The records that hold the value, written as the call has it or, for a code or a number, another way."""
        evidence, leaf = self._evidence, goal.leaf
        found = field_of(leaf, evidence.data, evidence.references, used, evidence.selections)
        if found is None and (written := as_written(leaf, evidence.data, self._in_data)):
            goal.written = written
            found = field_of(written, evidence.data, evidence.references, used, evidence.selections)
        return found

    def _in_data(self, leaf: Leaf, data: Sequence[Indexed]) -> Found | None:
        """Where data say the value, looked for once."""
        if leaf.pointer not in self._found:
            self._found[leaf.pointer] = said_in_any(leaf, data)
        return self._found[leaf.pointer]

    def _single_out(self, goals: Sequence[_Goal]) -> None:
        """Let each established argument help to single out the records of the others."""
        waiting = [goal for goal in goals if goal.fields is not None and not goal.supports]
        pointing = self._pointing(goals) if waiting or self._is_dialogue else None
        if pointing and self._is_dialogue:
            self._hear_last_word(goals, pointing)
        for _ in range(_ROUNDS if pointing else 0):
            proven = [goal.leaf.pointer for goal in goals if goal.proven]
            settled = len(proven)
            for goal in waiting:
                if pointing and (goal.singled is None or goal.singled.standing not in _SETTLED):
                    goal.singled = pointing.judge(goal.written or goal.leaf, proven)
            if sum(goal.proven for goal in goals) == settled:
                return

    def _hear_last_word(self, goals: Sequence[_Goal], pointing: Pointing) -> None:
        """Hold values that were said earlier, or not at all, against the last exchange and the call's other values."""
        exchange, collections = self._evidence.exchange, self._evidence.collections
        latest, users = ({text.source.id for text in texts} for texts in (exchange, self._evidence.spoken))
        for goal in goals:
            sources = {span.source for support in goal.supports for span in support.found.spans}
            by = {each.by for each in goal.supports}
            if not goal.leaf.text or By.OFFERED in by:
                continue
            taken = frozenset(value for pointer, value in pointing.links.items() if pointer != goal.leaf.pointer)
            places = collections.places(goal.leaf.folded)
            against = None if sources & latest else last_word(goal.leaf, exchange, places, collections, taken)
            if against := against or (None if By.STATED in by else other_day(goal.leaf, exchange, taken)):
                goal.objections.append(Against(Why.LAST_WORD, against))
            elif goal.supports and (other := pointing.mixed(goal.leaf)):
                goal.objections.append(Against(Why.MIXED, beaten(goal.supports[0].found, other)))
            # What the agent proposed is as old as the answer that took it up.
            elif any(
                said_since(goal.leaf, source, self._evidence.spoken, taken) for source in sources & users or sources
            ):
                # Which of the two is meant now, only their records can tell.
                goal.supports = [replace(each, by=By.PRESENT) for each in goal.supports]

    def _turn_round(self, goals: Sequence[_Goal]) -> None:
        by_leaf, parts = {id(goal.leaf): goal for goal in goals}, [goal.leaf for goal in goals]
        for leaf, found in chain(
            swapped(parts, self._evidence, self._budget),
            exchanged(parts, self._evidence, self._budget),
            misplaced(parts, self._evidence.collections, self._budget),
            moved(parts, self._evidence, self._budget),
            other_part(parts, self._evidence, self._budget),
            upside_down(parts),
        ):
            by_leaf[id(leaf)].objections.append(Against(Why.ROLE, found))

    def _doubt(self, goals: Sequence[_Goal]) -> None:
        """Take what changes nothing, or stands twice, for nothing that was singled out, unless the user says it."""
        by_leaf = {id(goal.leaf): goal for goal in goals}
        for leaf in unchanged([goal.leaf for goal in goals]):
            goal = by_leaf[id(leaf)]
            goal.supports = [each if each.by is By.STATED else replace(each, by=By.PRESENT) for each in goal.supports]

    def _conclude(self, goal: _Goal, used: frozenset[Span], call: Call) -> None:
        """What the records make of the value, and what it may be computed from."""
        leaf, singled = goal.leaf, goal.singled
        if goal.supports or not leaf.text or options.outside(leaf):
            return
        if goal.fields is not None and singled is not None:
            self._held_or_beaten(goal, goal.fields, singled, call)
            # What another record was meant for may have been worked out, and stand in this one by chance.
            if singled.standing in _SETTLED and not goal.objections:
                return
        goal.supports += (Support(By.DERIVED, found) for found in _some(self._derived(leaf, goal, used)))
        if not goal.supports and goal.fields is None:
            others = [other for other in call.leaves if other is not leaf]
            named = column(leaf, others, self._evidence.collections, self._evidence.references)
            goal.supports += (Support(By.DERIVED, found) for found in _some(named))
        if not goal.supports and goal.fields is None:
            prose = self._in_data(leaf, self._evidence.data)
            # That one of the listed options stands in data does not choose it.
            alone = prose is not None and not leaf.choices and alone_in_prose(leaf, prose, self._evidence)
            goal.supports += (Support(By.RECORD if alone else By.PRESENT, found) for found in _some(prose))
        if not goal.supports:
            goal.supports += (Support(By.DERIVED, found) for found in _some(self._put_together(leaf, used)))
        goal.supports += [replace(each, by=By.PRESENT) for each in goal.earlier]

    def _held_or_beaten(self, goal: _Goal, found: Field, singled: Singled, call: Call) -> None:
        other = other_field(call, goal.leaf, singled.place, self._evidence, self._budget) if singled.place else None
        goal.objections += [Against(Why.FIELD, other)] if other and not other.open else []
        if singled.standing in _SETTLED:
            goal.supports.append(Support(By.PRESENT if other else By.RECORD, found.held))
            return
        many = bool(found.named) and self._evidence.references.asks_for_many(found.named)
        if many and singled.standing is Standing.TIED and not self._is_dialogue and not singled.has_parts:
            # Of several that are asked for, one that has every word any of them has is meant.
            goal.supports.append(Support(By.RECORD, found.held))
            return
        goal.supports.append(Support(By.PRESENT, found.held))
        if singled.standing is Standing.BEATEN and not found.is_kind:
            named = None if found.is_tie else found.contested
            goal.objections.append(Against(Why.RIVAL, named or beaten(found.held, singled)))
        elif found.contested and not many and not singled.is_mixed and not self._is_dialogue:
            goal.objections.append(Against(Why.RIVAL, found.contested))

    def _derived(self, leaf: Leaf, goal: _Goal, used: frozenset[Span]) -> Found | None:
        evidence = self._evidence
        if goal.fields is not None:
            # A time worked out may by chance be the time of another record.
            return parts_and_ends.from_moved_record(leaf, evidence.data, evidence.trusted) if goal.objections else None
        return self._arithmetic.result(leaf)

    @cached_property
    def _arithmetic(self) -> Arithmetic:
        return Arithmetic(self._evidence.data, self._evidence.references, self._budget)

    def _put_together(self, leaf: Leaf, used: frozenset[Span]) -> Found | None:
        evidence = self._evidence
        return (
            across(leaf, evidence.texts)
            or parts_and_ends.from_record_end(leaf, evidence.data)
            or parts_and_ends.from_moved_record(leaf, evidence.data, evidence.trusted)
            or parts_and_ends.from_parts(leaf, lambda part: self._part(part, used))
            or parts_and_ends.from_file(leaf, lambda part: self._part(part, used), evidence.texts)
            or parts_and_ends.from_larger(leaf, evidence.texts)
        )

    def _part(self, leaf: Leaf, used: frozenset[Span]) -> Found | None:
        """The source of a part of a value: a word of a file's name may be the name of another file."""
        evidence = self._evidence
        if stated := said_in_any(leaf, evidence.trusted):
            return stated
        found = field_of(leaf, evidence.data, evidence.references, used, evidence.selections)
        if found is None:
            return said_in_any(leaf, evidence.data)
        return found.selected or found.contested or found.held

    def _decided(self, goal: _Goal, unsourced: Unsourced) -> Found:
        # Finding what is nearest costs more than all else, and only a value without any source needs it.
        if goal.supports or goal.objections:
            return decide(goal.supports, goal.objections, _UNREAD)
        # An option is what the tool's document says it is, however near another one; and so is a day, or a time.
        chance = bool(goal.leaf.choices) or moment_of(goal.leaf.value) is not None
        nearly = None if chance else near_copy(goal.leaf.folded, self._evidence.texts, self._budget)
        return nearly or unsourced.found(goal.leaf)

    def _grounded(self, leaf: Leaf, found: Found) -> Grounded:
        sources = [self._evidence.context.sources[span.source] for span in found.spans]
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
            open=found.open,
            facts=facts_traced(leaf, self._evidence) if found.how is Grounding.UNGROUNDED else (),
        )

    def _pointing(self, goals: Sequence[_Goal]) -> Pointing:
        evidence = self._evidence
        words, latest = evidence.words
        links = link_values(goal.leaf for goal in goals)
        listed = frozenset(pointer for pointer in links if pointer.rpartition("/")[2].isdigit())
        return Pointing(
            collections=evidence.collections,
            words=Words(words, latest, evidence.owners),
            links=links,
            values=frozenset(goal.leaf.folded for goal in goals[:_MOST_ARGUMENTS]),
            listed=listed,
            targets=evidence.targets,
            traced=evidence.traced,
            spelled={word: span.quote for word, span in evidence.references.spoken.items()}
            | {goal.leaf.folded: goal.leaf.text for goal in goals[:_MOST_ARGUMENTS]},
            budget=self._budget,
        )

    def _call(self, parts: Sequence[Leaf]) -> Call:
        evidence = self._evidence
        situation = tuple(text for text in evidence.trusted if text.source.kind is not SourceKind.USER_QUERY)
        return Call(tuple(parts), evidence.spoken, situation, evidence.data, evidence.steps, evidence.clock.now)

    @property
    def _is_dialogue(self) -> bool:
        """Whether the user has said more than the request: then earlier words need not be about this call."""
        return len(self._evidence.spoken) > 1


# A budget that runs out makes every value unknown: part of the evidence is no evidence.
_UNREAD = Found(
    Grounding.UNGROUNDED, (), "There is more to read than a check may take; nothing is known of this value.", open=True
)


def _some(found: Found | None) -> Iterator[Found]:
    return iter((found,) if found else ())


def ground(value: JsonValue, context: Context, *, pointer: str, schema: Schema | None = None) -> Grounded:
    """Trace one leaf value. For many values of one context, keep a `Grounder`."""
    return Grounder(context).leaf(Leaf(value, pointer, schema))


def ground_arguments(case: Case) -> tuple[Grounded, ...]:
    """Trace every leaf of the proposed arguments. Never raises for a JSON value of bounded nesting."""
    return Grounder(case.context).arguments(case.action)
