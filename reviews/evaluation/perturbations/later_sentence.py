"""The user says one more thing, which has nothing to do with the call, in a message of its own."""

from dataclasses import replace

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.base import with_context
from reviews.evaluation.perturbations.sentences import draw_sentence
from reviews.provenance.core.context import Message


def say_later(case: LabelledCase, *, kind: str) -> LabelledCase:
    """The case with such a sentence as the user's last message."""
    sentence = draw_sentence(kind, case)
    return with_message(case, sentence) if sentence else case


def with_message(case: LabelledCase, text: str) -> LabelledCase:
    """The case with this as the user's last message."""
    context = case.case.context
    return with_context(case, replace(context, history=(*context.history, Message("user", text))))
