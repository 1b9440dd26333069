"""Orders and control marks behind look-alike letters, split words and false ends of the text."""

import re
from collections.abc import Iterator
from typing import Final

from reviews.provenance.core.lookalikes import as_latin
from reviews.provenance.injection.instructions import find_instructions
from reviews.provenance.injection.segment import Segment
from reviews.provenance.text.fold import folded_view

# A figure beside a letter: `1gn0re`. Among figures it is a number and stays one.
_FIGURES: Final = re.compile(r"(?<=[a-z])[013457@$]|[013457@$](?=[a-z])")
_SPELLED: Final = dict(zip("013457@$", "oieastas", strict=True))

_TASK: Final = r"(?:task|instructions?|prompt|orders?|objective|goal|request)"
# Each reason with what gives it away in a text without case. The inner repetitions are bounded, so that a text of
# beginnings without ends is read in linear time.
_MARKS: Final = (
    (
        "imitates a control mark of the conversation",
        re.compile(
            r"<</?sys>>|<(?:start|end)_of_turn>|<\|[a-z_]{0,20}(?:header_id|eot_id|endoftext|user|human|end)[a-z_]{0,8}\|>"
            rf"|^[ \t]{{0,8}}#{{1,6}} {{0,3}}(?:new|real|actual|updated|your) {_TASK}\b",
            re.M,
        ),
    ),
    (
        "sets the agent another task",
        re.compile(
            r"\bend of (?:the )?(?:document|file|tool (?:output|result|response)|output|context|data|(?:web ?)?page|"
            r"text|e-?mail|message|input|transcript|conversation)\b"
            rf"[\s\S]{{0,200}}?\b(?:new|real|actual|next|updated) {_TASK}\b"
            rf"|\byour (?:new|real|actual|updated|only) {_TASK} (?:is|are|now)\b"
            rf"|^[\W_]{{0,12}}(?:new|real|actual|updated) (?:system )?(?:instructions?|orders|prompt) ?:",
            re.M,
        ),
    ),
)
# Where a mark's own text ends at the latest: its field, its paragraph, its entry in a list.
_STOP: Final = re.compile(r'"\s{0,9}[,}\]]|\n\s{0,9}\n|\n- ')
# Characters behind a mark that belong to it, within its record or paragraph: an injected task takes a few sentences.
_AFTER: Final = 600


def disguised_in(text: str) -> Iterator[Segment]:
    """What reads as an order or a mark once look-alikes are taken for what they look like, invisible ones for none."""
    view = folded_view(text, escaped=False)
    plain = _FIGURES.sub(lambda hit: _SPELLED[hit.group()], as_latin(view.text).lower())
    for reason, pattern in _MARKS:
        for hit in pattern.finditer(plain):
            stop = _STOP.search(plain, hit.end(), hit.end() + _AFTER)
            end = stop.start() if stop else min(len(plain), hit.end() + _AFTER)
            yield Segment(*view.raw(hit.start(), end), reason)
    # Where nothing was disguised, the orders are found in the text itself.
    if plain != text.lower():
        for order in find_instructions(plain):
            yield Segment(*view.raw(order.start, order.end), order.reason)
