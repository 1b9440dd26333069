"""Replace personal data by kind in what is exported: found by pattern, a card also by its check digit.

The same value becomes the same placeholder throughout an entry, so that a call still shows where its values come from.
Names and free-form addresses follow no pattern and stay; so do numbers that JSON holds as numbers.
"""

import hashlib
import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import phonenumbers
import re2  # type: ignore[import-untyped]  # it ships no types
from stdnum import luhn, numdb

from reviews.provenance.core.context import JsonValue
from reviews.records.cases import case_from_json


@dataclass(frozen=True)
class Kind:
    """One kind of personal data."""

    title: str
    pattern: re.Pattern[str]
    sign: str
    """For RE2: found in every text in which the pattern finds something."""
    is_one: Callable[[str], bool] = lambda text: True
    """Whether what the pattern found is such a value."""


# How people write an account's groups of four: with a space, also one that does not break, a hyphen, or nothing.
_BETWEEN_GROUPS: Final = "[ \u00a0-]?"


def _compile_ibans() -> re.Pattern[str]:
    """What has the shape of an IBAN: a country that has them, and their length there, in letters and figures.

    Whatever its check digits say: one that is mistyped is still somebody's, and left in clear would tell that it is.
    """
    shapes = []
    for _, country, _, spec, _ in numdb.get("iban").prefixes:
        groups, rest = divmod(sum(map(int, re.findall(r"\d+", spec["bban"]))), 4)
        last = rf"{_BETWEEN_GROUPS}[A-Z0-9]{{{rest}}}" if rest else ""
        shapes.append(rf"{country}\d{{2}}(?:{_BETWEEN_GROUPS}[A-Z0-9]{{4}}){{{groups}}}{last}")
    return re.compile(rf"\b(?:{'|'.join(shapes)})\b", re.IGNORECASE)


def _is_card(text: str) -> bool:
    return bool(luhn.is_valid(re.sub(r"\D", "", text)))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_phone(text: str) -> bool:
    try:
        # Without a country a number is read as a North American one, the only ones written with such groups.
        return phonenumbers.is_possible_number(phonenumbers.parse(text, None if text.startswith("+") else "US"))
    except phonenumbers.NumberParseException:
        return False


# In this order: what one kind has replaced, the next does not see. Every pattern is bounded, since the texts are
# hostile: no part of one can be matched in two ways.
KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "email": Kind(
            "e-mail addresses", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), "@"
        ),
        "iban": Kind(
            "bank accounts",
            _compile_ibans(),
            rf"(?i)[A-Z]{{2}}\p{{Nd}}{{2}}(?:{_BETWEEN_GROUPS}[A-Z0-9]{{4}}){{2}}",
        ),
        "card": Kind(
            "payment cards",
            re.compile(r"(?<![\d.-])\d(?:[ -]?\d){12,18}(?![\d.-]?\d)"),
            r"\p{Nd}(?:[ -]?\p{Nd}){12}",
            _is_card,
        ),
        "ssn": Kind(
            "US social security numbers",
            re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"),
            r"\p{Nd}{3}-\p{Nd}{2}-\p{Nd}{4}",
        ),
        "ip": Kind(
            "network addresses",
            re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"),
            r"\p{Nd}(?:\.\p{Nd}{1,3}){3}",
            _is_address,
        ),
        "phone": Kind(
            "telephone numbers",
            re.compile(r"(?<![\w+.-])(?:\+\d(?:[ ().-]{0,2}\d){6,14}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\w-])"),
            r"\+\p{Nd}|\p{Nd}{3}\)?[ .-]\p{Nd}{3}[ .-]\p{Nd}{4}",
            _is_phone,
        ),
    }
)
"""Every kind by the name that an export's options use."""


def _compile_signs() -> Any:
    """The signs of all kinds, which are looked for in one pass over a text."""
    signs = re2.Set.SearchSet()
    for kind in KINDS.values():
        signs.Add(kind.sign)
    signs.Compile()
    return signs


# Nearly every text holds nothing of any kind, and one pass of RE2 over it costs a thirtieth of six by `re`, whose
# patterns look behind and ahead, as RE2's cannot.
_SIGNS: Final = _compile_signs()

_TOOLS: Final = "tools"
"""Of a case, and kept as it is: documents of tools are their developers' text."""
# What a line tells besides the case and its label: a conversation, a record or a whole run may be named after a person.
_NAMING: Final = ("id", "trace", "group", "source", "tool", "outcome")
_TELLING_APART: Final = ("id", "trace", "group")
"""Of these, what keeps conversations apart and the calls of one together: a placeholder would do neither."""


# A replaced value is known by the words around it; more would tell what else stands there.
_AROUND: Final = 40
"""Characters of an example on either side."""
# One entry shows a kind as well as all of them do.
_EXAMPLES_OF_AN_ENTRY: Final = 3
_MAX_EXAMPLES: Final = 12
"""Examples of a preview."""


@dataclass(frozen=True)
class Example:
    """One replaced value, with the text around it."""

    before: str
    value: str
    after: str
    placeholder: str


@dataclass
class Redactor:
    """What has been replaced in one entry."""

    kinds: Collection[str]
    placeholders: dict[tuple[str, str], str] = field(default_factory=dict)
    replaced: Counter[str] = field(default_factory=Counter)
    numbers: Counter[str] = field(default_factory=Counter)
    """Placeholders of each kind so far."""
    examples: list[Example] = field(default_factory=list)
    """The first values that were replaced, each once."""

    def redact_text(self, text: str) -> str:
        """The text with every value replaced."""
        # None where there is no sign of anything.
        signs = _SIGNS.Match(text) or ()
        for place, (name, kind) in enumerate(KINDS.items()):
            if name in self.kinds and place in signs:
                text = kind.pattern.sub(partial(self._replace_match, name, kind), text)
        return text

    def redact_value(self, value: JsonValue) -> JsonValue:
        """The JSON value with every text in it redacted, keys of objects too."""
        match value:
            case str():
                return self.redact_text(value)
            case list():
                return [self.redact_value(item) for item in value]
            case dict():
                return self._redact_object(value)
        return value

    def _redact_object(self, value: Mapping[str, JsonValue]) -> JsonValue:
        """The object with its keys redacted as well: what maps recipients to roles names people by them."""
        redacted: dict[str, JsonValue] = {}
        duplicates: Counter[str] = Counter()
        for key, item in value.items():
            free = name = self.redact_text(key)
            # Two ways to write one address become one placeholder, and none of what they hold is lost.
            while name != key and (free in redacted or free in value):
                duplicates[name] += 1
                free = f"{name} ({duplicates[name] + 1})"
            redacted[free] = self.redact_value(item)
        return redacted

    def _replace_match(self, name: str, kind: Kind, match: re.Match[str]) -> str:
        original = match.group()
        if not kind.is_one(original):
            return original
        self.replaced[name] += 1
        # Written otherwise it is still the same address or number.
        same = (name, re.sub(r"[\s().-]", "", original).casefold() if name != "email" else original.casefold())
        if same not in self.placeholders:
            self.numbers[name] += 1
            self.placeholders[same] = f"[{name}-{self.numbers[name]}]"
            if len(self.examples) < _EXAMPLES_OF_AN_ENTRY:
                start, end, text = match.start(), match.end(), match.string
                around = text[max(0, start - _AROUND) : start], text[end : end + _AROUND]
                self.examples.append(Example(around[0], original, around[1], self.placeholders[same]))
        return self.placeholders[same]


@dataclass(frozen=True)
class Preview:
    """What an export with these kinds replaced would look like."""

    entries: int
    """Entries that were looked at, the first of the version."""
    replaced: Mapping[str, int]
    """How often each kind was found in them."""
    examples: tuple[Example, ...]
    """The first values that are replaced, a few of an entry."""


def preview_lines(lines: Collection[Mapping[str, Any]], kinds: Collection[str]) -> Preview:
    """What redaction finds in these lines of an export."""
    counts: Counter[str] = Counter()
    examples: list[Example] = []
    for line in lines:
        # An erased entry has no case.
        if line["case"] is not None:
            # How names are told apart is not shown.
            _, redactor = redact_line(line, kinds, secret="")
            counts += redactor.replaced
            examples += redactor.examples
    return Preview(len(lines), dict(counts), tuple(examples[:_MAX_EXAMPLES]))


def redact_line(line: Mapping[str, Any], kinds: Collection[str], *, secret: str) -> tuple[dict[str, Any], Redactor]:
    """A line of an export without personal data of these kinds, and what was replaced in it.

    Conversations named after people get the same pseudonyms in all lines by `secret`, which no export holds.
    Evidence is moved to where its quote now stands; a span that began or ended inside a replaced value is left out.
    """
    redactor = Redactor(kinds)
    case = line["case"]
    redacted = {**line, "case": case and {name: _redact_part(name, part, redactor) for name, part in case.items()}}
    if line.get("label"):
        redacted["label"] = _redact_judgement(line["label"], case, redacted["case"], redactor)
    # Last, so that a value of the case keeps its number.
    redacted |= {name: _redact_name(name, line[name], redactor, secret) for name in _NAMING if name in line}
    return redacted, redactor


def _redact_name(name: str, value: JsonValue, redactor: Redactor, secret: str) -> JsonValue:
    """One of `_NAMING`; a pseudonym for what tells lines apart and holds personal data."""
    redacted = redactor.redact_value(value)
    if redacted == value or name not in _TELLING_APART:
        return redacted
    return f"{name}-{hashlib.sha256(f'{secret}:{value}'.encode()).hexdigest()[:16]}"


def _redact_part(name: str, part: JsonValue, redactor: Redactor) -> JsonValue:
    """A part of a case by its name."""
    return part if name == _TOOLS else redactor.redact_value(part)


def _redact_judgement(
    judgement: Mapping[str, Any], before: JsonValue, after: JsonValue, redactor: Redactor
) -> dict[str, Any]:
    """A label, or one of the single answers in it, whose evidence is moved to where it now stands."""
    moved: dict[str, Any] = {"evidence": list(_move_evidence(judgement.get("evidence") or [], before, after, redactor))}
    if "answers" in judgement:
        moved["answers"] = [_redact_judgement(answer, before, after, redactor) for answer in judgement["answers"]]
    return {**{name: redactor.redact_value(value) for name, value in judgement.items() if name not in moved}, **moved}


def _move_evidence(evidence: list[dict[str, Any]], before: JsonValue, after: JsonValue, redactor: Redactor) -> Any:
    if not evidence or before is None:
        return
    old, new = case_from_json(before).context.sources, case_from_json(after).context.sources
    for span in evidence:
        source = str(span.get("source"))
        if source not in old or source not in new:
            continue
        text = old[source].text
        quote, start = (
            redactor.redact_text(text[span["start"] : span["end"]]),
            len(redactor.redact_text(text[: span["start"]])),
        )
        if new[source].text[start : start + len(quote)] == quote:
            yield {**span, "start": start, "end": start + len(quote), "quote": quote}
