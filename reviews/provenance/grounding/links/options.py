"""What the tool's own schema offers: defaults, constants, and the members of an enum that the user names."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from reviews.provenance.core.context import JsonValue, Span
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding.call import Call
from reviews.provenance.grounding.links.quotation import quotations
from reviews.provenance.grounding.results import Found
from reviews.provenance.language.base import languages_of
from reviews.provenance.language.en_options import sign_of, synonyms_of
from reviews.provenance.records.literals import Branch, Scalar, literals_in
from reviews.provenance.request.leaf import Leaf, alternatives
from reviews.provenance.request.mentions import References
from reviews.provenance.text.fold import words_of
from reviews.provenance.text.stems import stem

# Words before a switch that ask for it to be off.
_NEGATIONS = frozenset({"no", "not", "without", "never", "don", "dont", "disable", "skip", "except"})
# Words before an option that is not the one asked for.
_ASIDE = frozenset({"instead", "rather", "than", "from", "if", "whether", "unless"})
# Words of a parameter's name that do not tell what it is about.
_CATEGORIES = frozenset({"type", "kind", "name", "value", "mode", "option", "field", "to", "of", "the", "new"})
# An option and what it is an option of stand in one sentence.
_BREAK = re.compile(r"[.?!;:\n]")
# Characters around a mention in which the parameter's own word makes it an option.
_NEAR = 32
# Characters of a message in which options are looked for.
_READ = 20_000
# Mentions of one option that are looked at: one that speaks for it is enough.
_MANY = 16
# How the signs that tell options apart are read out.
_SIGNS = {"+": frozenset({"positive", "plus"}), "-": frozenset({"negative", "minus"})}
# With more options than that their names are no longer everyday words.
_MOST_OPTIONS = 100


def offered(leaf: Leaf) -> Found | None:
    """The value as the schema's default or only permitted value."""
    for part in alternatives(leaf.schema):
        for word in ("const", "default"):
            if word in part and same(part[word], leaf.value):
                return Found(Grounding.COPY, _doc_span(leaf, word), f"The tool's {word} for this parameter.")
    return None


def chosen(leaf: Leaf, references: References) -> Found | None:
    """A member of an enum, when the user's words fit it and fit no other member as well."""
    if not leaf.choices:
        return None
    if spans := _by_another_word(leaf, references):
        return Found(Grounding.NORMALIZE, spans, f"“{spans[0].quote}” means this option.")
    rivals = [choice for choice in leaf.choices if choice != leaf.text]
    if any(words_of(choice) == leaf.words for choice in rivals):
        # Options that differ in a sign alone are chosen by its name.
        alike = [choice for choice in leaf.choices if words_of(choice) == leaf.words]
        named = [choice for choice in alike if _signed(choice) & references.spoken.keys()]
        spans = tuple(references.spoken[word] for word in _signed(leaf.text) if word in references.spoken)
        note = f"The option that “{spans[0].quote}” names." if spans else ""
        return Found(Grounding.NORMALIZE, spans, note) if named == [leaf.text] else None
    own = _stems(leaf.text)
    others = frozenset().union(*(_stems(choice) for choice in rivals))
    mentioned = own & references.naming
    if not mentioned - others and mentioned != own:
        return None
    spans = references.spans(mentioned)
    return Found(Grounding.NORMALIZE, spans, f"The option that “{spans[0].quote}” names.") if spans else None


def contradicted(leaf: Leaf, call: Call, references: References) -> Found | None:
    """The user's words that name another option than the one taken, next to what this parameter is called.

    Only where they name exactly one option, and nothing in the request speaks for the option taken.
    """
    parameter = _stems(leaf.name) - _CATEGORIES
    if not 1 < len(leaf.choices) <= _MOST_OPTIONS or outside(leaf) or not parameter:
        return None
    if _speaks_for(leaf, call, references):
        return None
    others = (choice for choice in leaf.choices if words_of(choice) != leaf.words)
    named = {
        choice: spans[0]
        for choice in others
        # A sign such as € names its option wherever it stands; a word does beside what the parameter is called.
        if (spans := [*_sign_spans(choice, references), *_spoken(choice, call, parameter)])
    }
    if len(named) != 1:
        return None
    [(choice, span)] = named.items()
    note = f"“{span.quote}” names the option {choice[:40]}, not {leaf.text[:40]}."
    return Found(Grounding.UNGROUNDED, (), note, nearest=span, against=(span,))


def outside(leaf: Leaf) -> bool:
    """Whether the schema lists the options and the value is none of them, however spelled."""
    return bool(leaf.text and leaf.choices) and leaf.words not in [words_of(choice) for choice in leaf.choices]


def blank(leaf: Leaf, references: References) -> Found | None:
    """A switch, a null or nothing.

    True holds when the user's words name the switch; False, null and empty containers hold when the parameter is
    optional (they ask for no more than leaving it out), or when the user's words name a switch and deny it.
    Everything else is without source: an agent that turns on what nobody asked for should be seen. So is an
    empty string, which writes a blank where leaving out would write nothing, unless it is the default.
    """
    named = _stems(leaf.name) & references.mentions.keys()
    spans = references.spans(named)
    if isinstance(leaf.value, bool) and spans and leaf.value != _denied(references, named):
        return Found(Grounding.NORMALIZE, spans, f"“{spans[0].quote}” asks for this setting.")
    left_out = leaf.value is None or leaf.value is False or isinstance(leaf.value, list | dict)
    if leaf.required or not left_out:
        return None
    return Found(Grounding.DERIVE, _doc_span(leaf, ""), "Optional, and left out or switched off.")


def _by_another_word(leaf: Leaf, references: References) -> tuple[Span, ...]:
    option = "_".join(leaf.words)
    spans = references.spans({stem(word) for word in synonyms_of(option)} & references.mentions.keys())
    return spans or _sign_spans(leaf.text, references)


def _sign_spans(option: str, references: References) -> tuple[Span, ...]:
    """Where the sign for an option stands: € for EUR."""
    sign = sign_of("_".join(words_of(option)))
    return references.sign(sign) if sign else ()


def _speaks_for(leaf: Leaf, call: Call, references: References) -> bool:
    """Whether any word of the request may mean the option taken."""
    others = frozenset().union(*(_stems(choice) for choice in leaf.choices if words_of(choice) != leaf.words))
    own = _stems(leaf.text)
    telling = (own - others or own) & references.mentions.keys()
    return bool(telling) or bool(_by_another_word(leaf, references)) or any(_spoken(leaf.text, call, None))


def _signed(choice: str) -> frozenset[str]:
    """The stems of the words for the sign that an option ends with."""
    return _SIGNS.get(choice.strip()[-1:], frozenset())


def _spoken(choice: str, call: Call, beside: frozenset[str] | None) -> Iterator[Span]:
    """Where the user names an option: outside quoted texts, not denied, near one of the words `beside`."""
    spellings = [words_of(choice), *(word.split("_") for word in synonyms_of("_".join(words_of(choice))))]
    # A sign's own letters only: an option of no words matches nothing.
    pattern = re.compile("|".join(_pattern(words) for words in spellings if words) or r"(?!)")
    for text in call.messages:
        quoted = [span for span in quotations(text) if " " in span.quote]
        for hit in islice(pattern.finditer(text.folded.text[:_READ]), _MANY):
            span = text.span(*hit.span())
            # A single letter names an option as it is written, unless it is a word: "a" is an article.
            if len(choice) == 1 and (span.quote != choice or _is_small_word(choice, text.folded.text)):
                continue
            if _asserted(text.folded.text, hit, beside) and not any(q.start <= span.start < q.end for q in quoted):
                yield span


def _is_small_word(letter: str, text: str) -> bool:
    """Whether a letter, as it is written, is a word of the text's language that joins others."""
    return any(letter in each.function | each.small for each in languages_of(text))


def _pattern(words: Sequence[str]) -> str:
    return r"\b" + r"[\W_]{1,3}".join(f"{re.escape(stem(word))}s?" for word in words) + r"\b"


def _asserted(text: str, hit: re.Match[str], beside: frozenset[str] | None) -> bool:
    before = _BREAK.split(text[max(0, hit.start() - _NEAR) : hit.start()])[-1]
    after = _BREAK.split(text[hit.end() : hit.end() + _NEAR])[0]
    denied = (_NEGATIONS | _ASIDE).intersection(words_of(before)[-3:])
    return not denied and (beside is None or bool(beside & (_stems(before) | _stems(after))))


def same(one: JsonValue, other: JsonValue) -> bool:
    """Equality as JSON has it: true is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _denied(references: References, named: frozenset[str]) -> bool:
    return any(
        _NEGATIONS & set(words_of(mention.text.folded.text[max(0, mention.start - 16) : mention.start]))
        for word in named
        for mention in references.mentions[word]
    )


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words_of(text) if len(word) > 1)


def _doc_span(leaf: Leaf, word: str) -> tuple[Span, ...]:
    """Where the tool document declares the parameter, or its `word` (default, const)."""
    if leaf.tool is None:
        return ()
    text = leaf.tool.text
    node = _node(text, ["properties", *leaf.pointer.split("/")[1:2], *([word] if word else [])], leaf.tool.description)
    if isinstance(node, Scalar) and node.end > node.start:
        return (Span(f"tool/{leaf.tool.name}", node.start, node.end, text[node.start : node.end]),)
    at = text.find(json.dumps(leaf.name, ensure_ascii=False)) + 1
    return (
        (Span(f"tool/{leaf.tool.name}", at, at + len(leaf.name), leaf.name),)
        if at and text.startswith(leaf.name, at)
        else ()
    )


def _node(text: str, path: list[str], description: str) -> Branch | Scalar | None:
    # The document's text is name, description, schema: the schema is the last literal.
    branches = [branch for branch in literals_in(text) if branch.is_object]
    node: Branch | Scalar | None = branches[-1] if branches else None
    for key in path:
        node = next((child for name, child in node.children if name == key), None) if isinstance(node, Branch) else None
    return node
