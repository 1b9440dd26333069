"""What the page says about detectors, questions to models and conditions. A detector without a text has its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class DetectorText:
    """A detector described for a person."""

    label: str
    does: str = ""
    paper: str = ""
    """Where it was published."""
    calls: str = ""
    """Questions to a model for one verdict."""
    needs_model: bool = False
    """Whether rules alone can say nothing, so that every call it looks at waits for a person."""
    threshold: str = ""
    """What its threshold is held against; empty where it uses none."""


# The papers, by the name of the method each proposes.
_INFERACT: Final = "InferAct"
_PROVENANCE: Final = "ProvenanceGuard"

_ABOUT: Final[Mapping[str, DetectorText]] = {
    "provenance-guard": DetectorText(
        "ProvenanceGuard",
        "Traces the tool and every value to the request or the history, then looks for competing readings.",
        _PROVENANCE,
        "about one round trip: what rules cannot settle is asked at once",
    ),
    "direct-prompt": DetectorText(
        "DirectPrompt", "Asks a model once whether the call is right.", _PROVENANCE, "1 call", needs_model=True
    ),
    "prove-prompt": DetectorText(
        "ProvePrompt",
        "Asks a model once to trace tool, values and reading.",
        _PROVENANCE,
        "1 call",
        needs_model=True,
    ),
    "infer-act-verb": DetectorText(
        "InferAct-verb",
        "Infers the task from the calls made so far and holds it against the request, by the model's word.",
        _INFERACT,
        "2 to 3 calls",
        needs_model=True,
    ),
    "infer-act-prob": DetectorText(
        "InferAct-prob",
        "The same, by the probability of the model's word.",
        _INFERACT,
        "3 calls, 2 for a call that ends the task",
        needs_model=True,
        threshold="Least P(true)",
    ),
    "infer-act-direct": DetectorText(
        "InferAct's Direct Prompt",
        "Asks a model once whether everything the agent did, this call included, is correct.",
        _INFERACT,
        "1 call",
        needs_model=True,
    ),
    "self-consistency": DetectorText(
        "Self-Consistency",
        "Asks the same question five times; the majority decides.",
        _INFERACT,
        "5 calls",
        needs_model=True,
    ),
    "token-probability": DetectorText(
        "Token Probability",
        "Asks once and weighs the probability of the answer.",
        _INFERACT,
        "1 call",
        needs_model=True,
        threshold="Least P(true)",
    ),
    "token-entropy": DetectorText(
        "Token Entropy",
        "Asks once and stops where the model is in doubt. For comparison: a sure no passes too.",
        _INFERACT,
        "1 call",
        needs_model=True,
        threshold="Least certainty, 1 − entropy",
    ),
    "multi-step": DetectorText(
        "Multi-step",
        "Asks how likely each call so far is right; the product decides.",
        _INFERACT,
        "1 call",
        needs_model=True,
        threshold="Least product",
    ),
    "intent-guard": DetectorText(
        "IntentGuard",
        "Judges the plan before the agent begins, then each tool and the last calls together.",
        "IntentGuard",
        "2 calls for a plan, 1 for each tool, 1 for each call",
        needs_model=True,
    ),
    "argus": DetectorText(
        "ARGUS",
        "Follows what influenced the call and asks whether it stands without the spans that look injected.",
        "ARGUS",
        "a few calls, fewer where rules find the spans",
    ),
}


def about(detector: str) -> DetectorText:
    """The words for the detector of this name."""
    return _ABOUT.get(detector, DetectorText(detector))


# What may have a model of its own. A question that is not here is listed under its own name once it has one.
QUESTIONS: Final[Mapping[str, str]] = {
    "contribution": "Does the step serve the request?",
    "subtask": "Which step is the call for, where the agent names none?",
    "relevance": "Does the tool serve the step?",
    "derivability": "Which values need a source?",
    "argument_grounding": "Which text supports each value?",
    "support": "Does each value have one?",
    "candidates": "What else could the request mean?",
    "inference": "What task do the calls work on?",
    "completion": "Is the request done with it?",
    "progress": "Is the agent on the way?",
}
# How an argument of a critical action is compared.
OPERATORS: Final[Mapping[str, str]] = {
    "present": "is there",
    "equals": "is",
    "contains": "contains",
    "above": "is above",
    "below": "is below",
}
