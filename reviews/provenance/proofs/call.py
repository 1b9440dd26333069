"""The call that proofs are about: its values, its tool, and what asks for it."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from reviews.provenance.core.context import Case, Span, ToolDoc, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.data.document import Pattern
from reviews.provenance.data.latest_request import LatestRequest, find_latest_request
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.terms.argument_leaf import Leaf, Schema, leaf_at
from reviews.provenance.terms.derivability import MAKING, DerivableParameters, parameter_paths, path_of
from reviews.provenance.terms.kinds import Kind, are_alike, kind_of
from reviews.provenance.terms.record_keys import NamedRecord, looked_up_by, named_records
from reviews.provenance.terms.terms import Term
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.terms.verify import Verified, verify_term
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import local_name, root_of, roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import WORD, Sentence

# Values of a call whose places in the request are looked for; more come from a list, and prove nothing one by one.
MAX_LEAVES = 128
# Characters of a tool's document in which it says what the tool does, behind what its server says of all of them.
_MAX_DESCRIPTION = 1_000
# Of the budget, for a comparison of a kind and a parameter's path.
_STEPS_A_RIVAL = 4
CHARACTERS_A_STEP = 8
"""Of a text whose words are looked through."""
MAX_READ = 20_000
"""Characters of a text that is read for facts: a letter, and not a book."""
# To find a stem, which takes as long as a dozen comparisons.
_STEPS_A_STEM = 16
# Sentences; in a document a colon ends what introduces one.
_SENTENCE = re.compile(r"[^.:\n]*(?:[.:\n]\s*|$)")
_LEADING = r"(?:to|from|in|on|at|by|for|with|of|into|and|as|that|which|between|about|via|using)\b"
# What a document says that its tool works on, behind its verb: of "Deletes user avatars", "a user's avatar" and "a
# user-avatar" the latter, and of "Pays by bank transfer" nothing.
_OBJECTS = re.compile(
    rf"\s*[a-z]+ (?:(?:a|an|the) )?(?:(?!{_LEADING})[a-z]+(?:'s |-| )){{0,3}}?(?!{_LEADING})([a-z]+)"
    rf"(?: or (?:(?:a|an|the) )?([a-z]+))?(?=[^\w\s'-]|\s*$|\s{_LEADING})"
)


@dataclass(frozen=True, slots=True)
class Establishment:
    """Proof that a value is right."""

    rule: str
    """The module that gives it."""
    note: str
    """One sentence for a person."""
    how: Grounding
    spans: tuple[Span, ...]
    term: Term | None = None
    """What verified, where search does not propose it."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """Proof that a value is wrong."""

    rule: str
    note: str
    against: tuple[Span, ...] = ()
    """What the context says that the value goes against."""
    nearest: Span | None = None


def objects_in(description: str) -> tuple[str, ...]:
    """What a tool's document says that it works on: "Deletes a file or a folder"."""
    hit = _OBJECTS.match(fold(description))
    return tuple(filter(None, hit.groups())) if hit else ()


def is_bare(leaf: Leaf) -> bool:
    """Whether it is a number, a day or a code by itself: nobody composes one, whatever its parameter is called."""
    return kind_of(leaf) in (Kind.NUMBER, Kind.MOMENT, Kind.CODE)


def establish_term(
    rule: str, note: str, term: Term, words: Iterable[Span], *, leaf: Leaf, call: "ProposedCall"
) -> Establishment | None:
    """The proof that a term is, with the words that lead to it; None where it does not verify."""
    outcome = verify_term(term, leaf, call.evidence)
    if not isinstance(outcome, Verified):
        return None
    return Establishment(rule, note, Grounding.RESOLVE, tuple(dict.fromkeys((*outcome.spans, *words))), term)


@dataclass
class ProposedCall:
    """One proposed call with the evidence around it; what several proofs need is worked out once."""

    tool: str
    document: ToolDoc
    """The tool's; empty where the context has none."""
    leaves: Sequence[Leaf]
    evidence: Evidence
    latest_request: LatestRequest
    selection_places: tuple[Place, ...] = field(init=False, default=())
    """The words that select a record by time: they name it, and no other one."""
    names: list[Place] = field(init=False, default_factory=list)
    """Where the text that asks names the records that values of the call are proven to be fields of."""
    name_places: list[Place] = field(init=False, default_factory=list)
    """Of these only the words that name a record, without what leads to them."""
    offer: Sentence | None = field(init=False, default=None)
    """The agent's sentence that offers the call, where the message that the user agreed to says more."""
    verb_end: int = field(init=False, default=0)
    """Where the verb that asks for the tool ends, or 0: who links an issue to another says no `linked_issue` by it."""
    _looked_up: dict[str, NamedRecord | None] = field(init=False, default_factory=dict)
    _rivals: dict[tuple[Kind, str], Sequence[Leaf]] = field(init=False, default_factory=dict)
    _records_by_kind: dict[tuple[str, Pattern], tuple[NamedRecord, ...]] = field(init=False, default_factory=dict)

    @classmethod
    def of(cls, case: Case, evidence: Evidence) -> "ProposedCall":
        """The call of a case, in evidence that was read of the same context."""
        document = case.context.tool(case.action.tool)
        # Where no arguments are, there is no value that needs a source.
        values = leaves(dict(case.action.arguments)) if case.action.arguments else ()
        parts = [leaf_at(value, pointer, document) for pointer, value in values]
        return cls(
            case.action.tool, document or ToolDoc(case.action.tool), parts, evidence, find_latest_request(evidence)
        )

    @property
    def text(self) -> SourceText:
        """What may prove the call: the places of its values and names are in it."""
        return self.latest_request.text

    @cached_property
    def classes(self) -> DerivableParameters:
        """Which parameters must have a source, by rule."""
        return DerivableParameters.by_rule(self.document)

    @cached_property
    def parameter_stems(self) -> frozenset[frozenset[str]]:
        """The names of the call's values, each as the stems of its words."""
        return frozenset(stems_of(name) for name in {leaf.name for leaf in self.leaves})

    @cached_property
    def text_defaults(self) -> Mapping[str, str]:
        """The parameters that have a text as their default, with it."""
        properties = self.document.properties
        self.evidence.budget.spend(1 + len(properties))
        defaults = {name: schema.get("default") for name, schema in properties.items() if isinstance(schema, dict)}
        return {name: default for name, default in defaults.items() if isinstance(default, str) and default}

    @cached_property
    def decisive(self) -> Sequence[Leaf]:
        """The values that the agent does not compose."""
        return [leaf for leaf in self.leaves if not self.composes(leaf)]

    @cached_property
    def omitted(self) -> Mapping[str, Schema]:
        """The documented parameters that the call leaves out, by path, with their schemas."""
        documented = parameter_paths(self.document)
        self.evidence.budget.spend(1 + len(documented) + len(self.leaves))
        prefixes = {f"{part}/" for path in self.leaves_by_path for part in accumulate(path.split("/"), "{}/{}".format)}
        return {path: schema for path, schema in documented.items() if f"{path}/" not in prefixes}

    @cached_property
    def leaves_by_path(self) -> Mapping[str, Sequence[Leaf]]:
        """The values of each parameter: those of a list, or one."""
        self.evidence.budget.spend(1 + _STEPS_A_RIVAL * len(self.leaves))
        by_path: dict[str, list[Leaf]] = defaultdict(list)
        for leaf in self.leaves:
            by_path[path_of(leaf.pointer)].append(leaf)
        return by_path

    @cached_property
    def decisive_or_stated(self) -> Sequence[Leaf]:
        """Those values, and of the texts that the agent composes those which the request states all the same."""
        return [
            leaf
            for at, leaf in enumerate(self.leaves)
            if not self.composes(leaf) or (at < MAX_LEAVES and any(mentions_of(leaf, self.text)))
        ]

    def composes(self, leaf: Leaf) -> bool:
        """Whether the agent words the value itself, by rule."""
        return self.classes.is_derivable(leaf.pointer) is False and not is_bare(leaf)

    def rivals_of(self, leaf: Leaf) -> Sequence[Leaf]:
        """The values of other parameters that may be taken for this one."""
        parameter = path_of(leaf.pointer)
        key = kind_of(leaf), parameter
        if key not in self._rivals:
            self.evidence.budget.spend(1 + _STEPS_A_RIVAL * len(self.decisive_or_stated))
            alike = (rival for rival in self.decisive_or_stated if are_alike(rival, leaf))
            self._rivals[key] = [rival for rival in alike if path_of(rival.pointer) != parameter]
        return self._rivals[key]

    @cached_property
    def known_words(self) -> frozenset[str]:
        """The roots of the tool's name, its parameters' names and what its document says that it works on.

        Of a tool that makes something, "new" as well.
        """
        names = (self.tool, *self.document.properties)
        new = () if MAKING.isdisjoint(tokens_of(local_name(self.tool))) else ("new",)
        return frozenset(map(root_of, self.object_words)).union(new, *map(roots_of, names))

    @cached_property
    def _spoken(self) -> Sequence[re.Match[str]]:
        """The words of the text that asks, paid for with their stems and roots."""
        words = tuple(WORD.finditer(self.text.folded))
        steps = _STEPS_A_STEM * len({word[0] for word in words})
        self.evidence.budget.spend(1 + len(self.text.folded) // CHARACTERS_A_STEP + steps)
        return words

    @cached_property
    def spoken_stems(self) -> Mapping[str, Place]:
        """The stem of each of these words, with the first place where it stands."""
        return {stem_of(word[0]): word.span() for word in reversed(self._spoken)}

    @cached_property
    def spoken_roots(self) -> frozenset[str]:
        """The root of each of these words."""
        return frozenset(root_of(word[0]) for word in self._spoken)

    @cached_property
    def things(self) -> frozenset[str]:
        """The roots of what the tool works on, by its name and its document."""
        return roots_of(local_name(self.tool)).union(map(root_of, self.object_words))

    @cached_property
    def object_words(self) -> tuple[str, ...]:
        """What the tool's document says that it works on."""
        return objects_in(self.descriptions.get(self.tool, ""))

    @cached_property
    def used(self) -> Sequence[Place]:
        """The places that some value of the call takes up, in order, each once."""
        return sorted({place for places in self.places_by_path.values() for place, _ in places})

    @property
    def accounted_places(self) -> Sequence[Place]:
        """The places of the call's values, and of the words that name or select the records of such values."""
        return (*self.used, *self.selection_places, *self.name_places)

    @cached_property
    def used_ends(self) -> Sequence[int]:
        """Where those places end, in order."""
        return sorted(end for _, end in self.used)

    @cached_property
    def places_by_path(self) -> Mapping[str, Sequence[tuple[Place, str]]]:
        """Where the values of each parameter are said, each with the value."""
        by_path: dict[str, list[tuple[Place, str]]] = defaultdict(list)
        for leaf in self.leaves[:MAX_LEAVES]:
            places = (place for mention in mentions_of(leaf, self.text) for place in mention.places)
            by_path[path_of(leaf.pointer)] += ((place, leaf.text) for place in places)
        return by_path

    @cached_property
    def descriptions(self) -> Mapping[str, str]:
        """What the tools' documents say of each one alone: a sentence that two of them share tells neither apart."""
        sentences = {
            tool.name: _SENTENCE.findall(tool.description[:_MAX_DESCRIPTION]) for tool in self.evidence.context.tools
        }
        self.evidence.budget.spend(1 + sum(map(len, sentences.values())))
        count = Counter(sentence.strip() for parts in sentences.values() for sentence in set(parts))
        return {name: "".join(part for part in parts if count[part.strip()] == 1) for name, parts in sentences.items()}

    def named_records(self, text: SourceText, kind: Pattern) -> tuple[NamedRecord, ...]:
        """Every record of this kind that the latest request names."""
        key = text.step.tool if text.step else text.source.id, kind
        if key not in self._records_by_kind:
            self._records_by_kind[key] = named_records(text, kind, self.latest_request, self.evidence)
        return self._records_by_kind[key]

    def nouns_of(self, text: SourceText, kind: Pattern) -> frozenset[str]:
        """The roots of the words by which the call knows records of this kind: the user of `user_id`."""
        source = (text.step.tool,) if text.step else ()
        names = (self.tool, *self.document.properties, *source, *kind)
        return frozenset[str]().union(*map(roots_of, names))

    def looked_up_names(self, results: Sequence[SourceText]) -> Sequence[NamedRecord]:
        """The results that are named by what they were looked up with."""
        for text in results:
            if text.source.id not in self._looked_up:
                self._looked_up[text.source.id] = looked_up_by(text, self.latest_request, self.evidence)
        return [name for text in results if (name := self._looked_up[text.source.id])]

    def note_name(self, stretch: Place, words: Iterable[Place]) -> None:
        """Keep where the text names a record: its words, and the stretch that leads to them."""
        self.names.append(stretch)
        self.name_places += words

    def is_used(self, start: int, end: int) -> bool:
        """Whether values of the call, or what selects a record, take up any of this."""
        self.evidence.budget.spend(4 + (len(self.used) + len(self.selection_places)) // 4)
        return overlaps(self.used, start, end) or overlaps(self.selection_places, start, end)
