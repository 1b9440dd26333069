"""Whether each preposition of a message leads where the call's own words, or its tool's document, say.

A preposition gives what stands behind it a part: "the file in F1" is not the file F1, and who turns a device "on" does
not turn it off. Nothing is read here: a preposition is the tool's own, or its parameter's; the document has it before
the same noun; it leads to a figure or a moment; or to what something becomes. Any other says something else.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from reviews.provenance.proofs.call import ProposedCall
from reviews.provenance.proofs.phrase import calls_names
from reviews.provenance.proofs.requested_tool import Request
from reviews.provenance.proofs.words import (
    ARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    SETTING,
    TOWARDS,
    counts_anything,
    documented_leads,
    documented_nouns,
    labels_in,
    labels_of,
)
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.kinds import Kind, kind_of
from reviews.provenance.terms.record_keys import is_name_of_thing
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.text.names import local_name, root_of, roots_of, stem_of, stems_of, tokens_of
from reviews.provenance.text.replies import WORD, courtesies_in
from reviews.provenance.values.moments import moment_of

# What leads to the part that something plays.
_AS: Final = "as"
# What leads to whose something is, and to who gets it. Who sends something "from" somebody sends it to nobody.
_TO_A_RECORD: Final = TOWARDS | {"of", "for"}
# What leads to how many, or to how long: "a table for 4", "the volume to 7", "a deposit of 50", "by 3 days".
_TO_A_NUMBER: Final = TOWARDS | {"for", "of", "by"}
# Of the budget, for a preposition and a value that it may lead to.
_STEPS_A_LEAF: Final = 4


@dataclass(frozen=True)
class _Preposition:
    """One preposition of a message, with the words around it that no value of the call takes up."""

    word: str
    place: Place
    before: Sequence[re.Match[str]]
    behind: Sequence[re.Match[str]]
    request: Request
    call: ProposedCall

    @cached_property
    def target(self) -> Place | None:
        """Where the first value or name of the call behind it stands."""
        places = self.call.accounted_places
        self.call.evidence.budget.spend(1 + len(places) // 4)
        return min((place for place in places if place[0] >= self.place[1]), default=None)

    @cached_property
    def noun(self) -> str:
        """The first word between it and that value that is no article; empty where none is."""
        until = self.target[0] if self.target else len(self.call.text.folded)
        words = (word[0] for word in self.behind if word.end() <= until)
        return next((word for word in words if word not in ARTICLES), "")

    @property
    def is_particle(self) -> bool:
        """Whether it stands right behind the verb, and makes another one of it: who checks in does not check out."""
        return self.call.text.folded[self.request.end : self.place[0]].isspace()

    def leads_well(self) -> bool:
        """Whether the call or its document says what it leads to."""
        call, documented = self.call, documented_nouns(self.call)
        # "With it" leads to what nobody reads.
        following = next((word for word in self.behind[:1] if word[0] in PRONOUNS), None)
        if following and call.text.folded[self.place[1] : following.start()].isspace():
            return False
        if self.noun and (self.word, stem_of(self.noun)) in documented:
            return True
        if self.target is None:
            return False
        if overlaps(call.selection_places, *self.target):
            return any(leading == self.word for leading, _ in documented)
        # What names a record has been read for it, but not what leads to it.
        if overlaps(call.name_places, *self.target) and not self.is_particle and self._may_lead_to_record():
            return True
        return any(map(self._may_lead_to, _leaves_at(self.target, call)))

    def _may_lead_to(self, leaf: Leaf) -> bool:
        if self.word == _AS:
            return not self.noun and (kind_of(leaf) is Kind.OPTION or self._tells_name(leaf))
        # "In 7:30" may be a length of time.
        is_length = self.word == "in" and (moment_of(leaf.text) or (None,))[0] is None
        return (
            (kind_of(leaf) is Kind.MOMENT and not self.is_particle and not is_length)
            or (kind_of(leaf) is Kind.NUMBER and self._counts(leaf))
            or self.word in labels_in(leaf.name, self.call)
            or (self.word in documented_leads(leaf.name, self.call) and not self.is_particle)
            or (self.word == "with" and self.call.composes(leaf))
            or (self.word in TOWARDS and self._tells_what_becomes(leaf))
            or (self.word == "of" and self._tells_owner(leaf))
        )

    def _tells_name(self, leaf: Leaf) -> bool:
        """Whether what is quoted behind "as" is what the thing is to be called, or what a setting tool sets.

        Whoever shares a file as somebody shares it with nobody, and signs no document of that name.
        """
        text, name = self.call.text, tokens_of(local_name(self.call.tool))
        is_quoted = any(overlaps(text.quotations, *mention.place) for mention in mentions_of(leaf, text))
        is_set = not SETTING.isdisjoint(name[:1]) and not is_name_of_thing((leaf.name,), self.call.things)
        is_name = calls_names(leaf) and is_name_of_thing((leaf.name,), self.call.things | {"new"})
        return is_quoted and (is_set or is_name)

    def _may_lead_to_record(self) -> bool:
        """Whether it tells whose something is or who gets it, or a parameter or the document has it.

        "With the owner Ann Lee" describes one.
        """
        if self.word in _TO_A_RECORD or (self.word == "with" and self.noun):
            return True
        leads = {leading for leading, _ in documented_nouns(self.call)}
        return self.word in leads.union(*(labels_of(leaf.name) for leaf in self.call.leaves))

    def _counts(self, leaf: Leaf) -> bool:
        """Whether it may lead to how many there are: "in 10 minutes" says when, and "the order for 5" no order.

        Who sells something "for 20" says no quantity of it.
        """
        labels = labels_of(leaf.name)
        is_price = self.word == "for" and counts_anything(leaf.name)
        is_free = not is_price and self.word in _TO_A_NUMBER and stems_of(self.call.tool).isdisjoint(labels)
        return not self.is_particle and (is_free or stem_of(self.noun) in labels)

    def _tells_what_becomes(self, leaf: Leaf) -> bool:
        """Whether another value stands before it, or what a tool that sets something sets: "the status to done"."""
        call = self.call
        if any(self.request.end <= start < self.place[0] for start, _ in call.accounted_places):
            return True
        name = tokens_of(local_name(call.tool))
        nouns = {stem_of(word[0]) for word in self.before if word.start() >= self.request.end}
        return not SETTING.isdisjoint(name[:1]) and not nouns.isdisjoint(labels_of(leaf.name) | stems_of(call.tool))

    def _tells_owner(self, leaf: Leaf) -> bool:
        """Whether it leads from what the tool works on to what its parameter is called by.

        "The status of ticket T1", "20 of the order O1", and not "the file of F1".
        """
        labels = labels_of(leaf.name)
        if stem_of(self.noun) not in labels:
            return False
        owned = next((word[0] for word in self.before[-1:] if word.end() + 1 == self.place[0]), "")
        counted = _leaves_at((self.place[0] - 2, self.place[0] - 1), self.call)
        is_share = any(kind_of(part) is Kind.NUMBER for part in counted)
        return is_share or (root_of(owned) in roots_of(self.call.tool) and stem_of(owned) not in labels)


def find_stray(stretch: Place, request: Request, call: ProposedCall) -> Place | None:
    """A preposition that leads where nothing of the call's says; None where there is none."""
    folded, tool_words = call.text.folded, frozenset(tokens_of(local_name(call.tool)))
    polite = [(stretch[0] + first, stretch[0] + last) for first, last in courtesies_in(folded[slice(*stretch)])]
    inside = [*call.accounted_places, *call.text.quotations, *polite]
    call.evidence.budget.spend(1 + (stretch[1] - stretch[0]) // 4 * (1 + len(inside) // 16))
    words = [word for word in WORD.finditer(folded, *stretch) if not overlaps(inside, *word.span())]
    said_of_tool = set[str]()
    for at, word in enumerate(words):
        if word[0] not in PREPOSITIONS | {_AS}:
            continue
        # Each of the tool's own is said once.
        if word[0] in tool_words - said_of_tool:
            said_of_tool.add(word[0])
            continue
        if not _Preposition(word[0], word.span(), words[:at], words[at + 1 :], request, call).leads_well():
            return word.span()
    return None


def _leaves_at(place: Place, call: ProposedCall) -> Iterator[Leaf]:
    """The values of the call that are said at a place."""
    for leaf in call.leaves:
        call.evidence.budget.spend(_STEPS_A_LEAF)
        if any(overlaps(mention.places, *place) for mention in mentions_of(leaf, call.text)):
            yield leaf
