"""The user's last message ends with one more sentence, which has nothing to do with the call."""

from dataclasses import replace

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.perturbations.base import with_context
from reviews.evaluation.perturbations.sentences import draw_sentence
from reviews.provenance.core.context import Context, Message


def append_sentence(case: LabelledCase, *, kind: str) -> LabelledCase:
    """The case with such a sentence behind what the user said last."""
    sentence = draw_sentence(kind, case)
    return with_context(case, _append_to_query(case.case.context, sentence)) if sentence else case


def _append_to_query(context: Context, sentence: str) -> Context:
    for place, item in reversed(list(enumerate(context.history))):
        if isinstance(item, Message) and item.role == "user":
            longer = replace(item, text=_join_sentences(item.text, sentence))
            return replace(context, history=(*context.history[:place], longer, *context.history[place + 1 :]))
    return replace(context, query=_join_sentences(context.query, sentence))


def _join_sentences(text: str, sentence: str) -> str:
    # Without an end the two would be read as one sentence.
    end = "" if text.rstrip().endswith((".", "!", "?", "。", "…")) else "."
    return f"{text.rstrip()}{end} {sentence}"
