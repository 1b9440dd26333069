"""Traces the values of calls within one context, which it reads once."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from reviews.provenance.argument_grounding.list_entries import open_unpaired_entries
from reviews.provenance.argument_grounding.results import Grounded, GroundedCall
from reviews.provenance.argument_grounding.value_verdict import decide_leaf
from reviews.provenance.core.context import Case, Claim, Context, ProposedAction, Step, leaves
from reviews.provenance.core.findings import Grounding
from reviews.provenance.core.pointers import pointer_to
from reviews.provenance.core.work_budget import Budget, OutOfBudgetError
from reviews.provenance.data.sources import Evidence, SourceText
from reviews.provenance.doubts import false_claim, hidden_characters
from reviews.provenance.doubts.documented_demand import find_demand
from reviews.provenance.doubts.earlier_turns import find_unsettled
from reviews.provenance.proofs import reversed_bounds
from reviews.provenance.proofs.agreed_offer import is_whole_offer
from reviews.provenance.proofs.call import MAX_READ, ProposedCall
from reviews.provenance.proofs.description import ALL_WORDS
from reviews.provenance.proofs.documented_default import establish_leaf as establish_default
from reviews.provenance.proofs.documented_default import is_told_otherwise
from reviews.provenance.proofs.other_meanings import may_be_of_omitted
from reviews.provenance.proofs.phrase import is_labelled
from reviews.provenance.proofs.requested_tool import asks_for, find_request, names_deed
from reviews.provenance.proofs.selected_record import find_selected_field
from reviews.provenance.proofs.whole_message import find_unread
from reviews.provenance.proofs.whole_value import is_verbatim
from reviews.provenance.terms.argument_leaf import Leaf, leaf_at, types_of
from reviews.provenance.terms.call_equivalence import may_be_same_call
from reviews.provenance.terms.claims import CheckedClaim, check_claim
from reviews.provenance.terms.search import MAX_CANDIDATES
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.fold import fold
from reviews.provenance.text.names import READING, local_name, stems_of, tokens_of
from reviews.provenance.text.replies import is_agreement, sentences_in
from reviews.provenance.values.identifiers import is_opaque

OUT_OF_BUDGET = "grounding.budget"
# Characters that are searched through for one step of the budget: a search reads them far faster than a loop.
_CHARACTERS_A_STEP = 1_024
# Each documented parameter's name is read word by word, whether or not the call gives it.
_STEPS_A_PARAMETER = 200
# Words of tools' names that put a question to people: a plain yes that comes back is the user's own word.
_ASKING_PEOPLE = frozenset(
    "ask consult clarify prompt human input approval clarification confirmation reply response answer decision "
    "feedback consent permission".split()
)
_UNREAD = "There is too much to read for rules; nobody has looked where this value comes from."


class Grounder:
    """Traces calls within one context."""

    def __init__(self, context: Context, budget: Budget | None = None) -> None:
        self.context = context
        self._evidence = Evidence(context, budget)

    def trace_call(self, action: ProposedAction) -> GroundedCall:
        """The whole call. A budget that runs out leaves everything unknown."""
        call = ProposedCall.of(Case(self.context, action), self._evidence)
        try:
            self._evidence.budget.spend(1 + _STEPS_A_PARAMETER * len(call.document.properties))
            traced = _trace(call, action)
        except OutOfBudgetError:
            leaves = tuple(
                Grounded(leaf.pointer, leaf.value, None, Grounding.UNGROUNDED, _UNREAD, rule=OUT_OF_BUDGET)
                for leaf in call.leaves
            )
            return GroundedCall(leaves, decisive=frozenset(leaf.pointer for leaf in call.decisive))
        leaves = _with_claims(traced.leaves, call, action.claims)
        decisive = frozenset(leaf.pointer for leaf in leaves if leaf.needs_source(call.classes))
        return replace(traced, leaves=leaves, decisive=decisive)


def ground_arguments(case: Case) -> tuple[Grounded, ...]:
    """Every leaf of one call's arguments."""
    return Grounder(case.context).trace_call(case.action).leaves


def _trace(call: ProposedCall, action: ProposedAction) -> GroundedCall:
    request = find_request(call)
    described = request or find_request(call, turns=ALL_WORDS)
    # Nobody can tell what a user agrees to who agrees to a message that says more.
    if described and call.latest_request.offers and not is_whole_offer(described, call):
        call.offer, request, described = described.sentence, None, None
    selected = find_selected_field(call, described)
    request = described if selected else request
    call.verb_end = request.end if request else 0
    if request and selected:
        call.selection_places = selected.places
    reversed_ones = reversed_bounds.refute_leaves(call)
    leaves = [decide_leaf(leaf, call, request, selected, reversed_ones) for leaf in call.leaves]
    for n, leaf in enumerate(call.leaves if call.names else ()):
        # The name that one value's proof reads may stand before the name of another one, which came first.
        if leaves[n].holds is None:
            leaves[n] = decide_leaf(leaf, call, request, selected, reversed_ones)
    # Whoever agrees to an offer agrees to the whole of it, which says nothing else.
    unread = find_unread(request, call) if request and not call.latest_request.offers else None
    unread = unread or ((find_unsettled(call) or find_demand(call)) if request else None)
    return GroundedCall(
        open_unpaired_entries(leaves, call),
        request,
        # Where another sentence keeps the request from being read, nobody has accounted for its words either.
        missing=_left_out(call, action, is_open=unread is not None or (request is None and _asks_for_tool(call))),
        is_repeated=_is_repeated(call, action),
        is_overtaken=_is_overtaken(call, leaves),
        unread=unread,
        unsaid=_list_unsaid(call),
    )


def _with_claims(leaves: Sequence[Grounded], call: ProposedCall, claims: Iterable[Claim]) -> tuple[Grounded, ...]:
    """The same values with what came of the agent's claims; a budget that runs out leaves the rest unchecked.

    Read last and apart: no claim refutes or establishes, moves the evidence of a value, or uses up what proofs need.
    """
    by_pointer = {claim.pointer: claim for claim in claims}
    checked = list(leaves)
    with suppress(OutOfBudgetError):
        for n, leaf in enumerate(call.leaves):
            if claim := by_pointer.get(leaf.pointer):
                outcome = check_claim(claim, leaf, call.latest_request, call.evidence, composed=call.composes(leaf))
                checked[n] = _with_claim(leaves[n], outcome)
    return tuple(checked)


def _with_claim(grounded: Grounded, claim: CheckedClaim) -> Grounded:
    if claim.term:
        # First, so that a judge can pick it by number.
        terms = (claim.term, *(term for term in grounded.terms if term != claim.term))
        return replace(grounded, claim=claim, terms=terms[:MAX_CANDIDATES])
    if claim.stands is not False or grounded.holds is not None or grounded.rule == hidden_characters.RULE:
        return replace(grounded, claim=claim)
    # What the context says instead, and who else is meant, still helps the person who looks.
    return replace(grounded, claim=claim, rule=false_claim.RULE, note=claim.note)


def _list_unsaid(call: ProposedCall) -> tuple[str, ...]:
    """What the agent words itself or leaves empty, and the message that asks does not say as it is.

    Nobody composes a proof: who asks for "a message to Ann" has asked for no word of it. Of two texts without a name of
    their own, or of one where the call leaves another out, nobody can tell which one is the title.
    """
    values = {leaf.text for leaf in call.decisive}
    composed = [leaf for leaf in call.leaves if call.composes(leaf) and not establish_default(leaf, call)]
    # What another value says is not said for this one as well.
    labels = {leaf.pointer: frozenset() if leaf.text in values else _labels_of_text(leaf, call) for leaf in composed}
    unlabelled = [leaf for leaf in composed if labels[leaf.pointer] and True not in labels[leaf.pointer]]
    is_open = len(unlabelled) > 1 or any(may_be_of_omitted(leaf, call) for leaf in unlabelled)
    unsaid = [leaf.pointer for leaf in composed if not labels[leaf.pointer]]
    return (*unsaid, *(leaf.pointer for leaf in unlabelled if is_open))


def _labels_of_text(leaf: Leaf, call: ProposedCall) -> frozenset[bool | None]:
    """Whether the value has the parameter's name, or none, where it is said as it is.

    Empty where nothing says it, or only for another parameter.
    """
    labels = (
        is_labelled(leaf, *mention.place, call)
        for mention in mentions_of(leaf, call.text)
        if is_verbatim(leaf, mention, call)
    )
    return frozenset(label for label in labels if label is not False)


def _asks_for_tool(call: ProposedCall) -> bool:
    """Whether a sentence of the user's asks for the tool by itself, whatever the others say."""
    sentences = chain.from_iterable(text.sentences for text in call.evidence.user_messages)
    return any(asks_for(call.tool, sentence, call) for sentence in sentences)


def _left_out(call: ProposedCall, action: ProposedAction, *, is_open: bool) -> str:
    """The optional parameter that the latest request may speak of, and the call leaves out.

    Without its file a tool that writes may do something else: what is left out is as decisive as what is given. Words
    of the request that no value of the call takes up may speak of any parameter that is left out, and what is quoted of
    any that takes a text.
    """
    given_stems = stems_of(call.tool).union(*map(stems_of, action.arguments))
    properties = call.document.properties
    omitted = sorted(properties.keys() - action.arguments.keys())
    for name in omitted:
        if not (stems_of(name) - given_stems).isdisjoint(call.spoken_stems):
            return name
    defaults = ((name, properties[name]) for name in omitted if isinstance(properties[name], dict))
    for name, schema in defaults:
        if is_told_otherwise(leaf_at(schema.get("default"), pointer_to(name), call.document), call):
            return name
    decisive = [name for name in omitted if call.classes.is_derivable(pointer_to(name)) is not False]
    texts = [name for name in decisive if "string" in types_of(call.omitted.get(pointer_to(name)))]
    if texts and any(_has_unused_quotation(text, call) for text in call.evidence.user_messages):
        return texts[0]
    return decisive[0] if decisive and is_open else ""


def _has_unused_quotation(text: SourceText, call: ProposedCall) -> bool:
    """Whether the user quotes what no value of the call is."""
    call.evidence.budget.spend(1 + len(text.folded) // 64)
    values = [leaf.folded for leaf in call.leaves if leaf.words]
    length = sum(map(len, values))
    for start, end in text.quotations:
        words = text.folded[start + 1 : end - 1]
        # Every value is held against it, and it against every value.
        call.evidence.budget.spend(1 + len(values) + (length + len(values) * len(words)) // _CHARACTERS_A_STEP)
        if not any(value in words or words in value for value in values):
            return True
    return False


def _steps_since_asking(call: ProposedCall) -> Iterator[tuple[int, Step]]:
    """The calls since the message that asks, or agrees, with their positions, the latest first."""
    request = call.latest_request
    asking = (request.agreement_to(request.text) or request.message).source.id
    for position, item in reversed(list(enumerate(call.evidence.context.history, start=1))):
        call.evidence.budget.spend()
        if isinstance(item, Step):
            yield position, item
        elif asking == f"history/{position}/message":
            return


def _is_repeated(call: ProposedCall, action: ProposedAction) -> bool:
    """Whether the tool has been called since the message that asks, and nothing shows that it was for something else.

    A message proves one call. A user who says "thanks" in between, or agrees to a receipt, asks for nothing to be done
    again.
    """
    steps = (step for _, step in _steps_since_asking(call) if step.tool == call.tool)
    budget = call.evidence.budget
    return any(may_be_same_call(call.classes, action.arguments, step.arguments, budget) for step in steps)


def _is_overtaken(call: ProposedCall, leaves: Iterable[Grounded]) -> bool:
    """Whether something has come of another tool's call since the message that asks, and no proof rests on it.

    Nobody reads here whether it is "No, keep the file.", or that the deed is done already. Fields that were looked up
    are no answer, nor is the address or the code by itself, and whoever was asked may have said yes.
    """
    read = {span.source for leaf in leaves if leaf.holds for span in leaf.spans}
    sources = ((f"history/{at}/outcome", step) for at, step in _steps_since_asking(call) if step.tool != call.tool)
    return any(
        step.outcome and source not in read and not _says_nothing_new(source, step, call) for source, step in sources
    )


def _says_nothing_new(source: str, step: Step, call: ProposedCall) -> bool:
    """Whether an outcome is a plain yes of who was asked for it, or fields or an identifier that were looked up."""
    words = tokens_of(local_name(step.tool))
    if not _ASKING_PEOPLE.isdisjoint(words):
        return step.outcome is not None and is_agreement(step.outcome) and _asks_for_deed(step, call)
    document = call.evidence.texts[source].document
    values = [document.value_of(number) for number in range(min(2, len(document.starts)))]
    return not READING.isdisjoint(words[:1]) and (len(values) > 1 or any(map(is_opaque, values)))


def _asks_for_deed(step: Step, call: ProposedCall) -> bool:
    """Whether what somebody was asked has a word of the deed, and denies nothing: who keeps it does not delete it."""
    questions = [fold(str(value)[:MAX_READ]) for _, value in leaves(dict(step.arguments))]
    is_limited = any(sentence.is_limited for question in questions for sentence in sentences_in(question))
    return not is_limited and any(names_deed(call, question) for question in questions)
