"""What kind of action a tool carries out, and what kinds a request speaks of.

A verb may stand for several kinds ("book" makes an event or spends money), so everything here is a set, and only a
clear absence of overlap is worth anything.
"""

import re
from collections.abc import Iterator
from enum import StrEnum

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.text.quotations import REPORTED_SPEECH
from reviews.provenance.text.stems import base_forms


class ActionClass(StrEnum):
    """Kinds of action that exclude one another in effect."""

    READ = "look something up"
    CREATE = "create"
    DELETE = "delete"
    CHANGE = "change"
    SEND = "send"
    PAY = "pay"
    REQUEST = "request money"
    SHARE = "give access"
    CONTROL = "start or stop"


Classes = frozenset[ActionClass]

# Short, so that the table below can be read as one.
_R, _C, _D, _U = ActionClass.READ, ActionClass.CREATE, ActionClass.DELETE, ActionClass.CHANGE
_S, _P, _Q, _A, _X = ActionClass.SEND, ActionClass.PAY, ActionClass.REQUEST, ActionClass.SHARE, ActionClass.CONTROL

# What people may mean by each verb: sets, because most verbs stand for several kinds.
_TABLE: tuple[tuple[str, Classes], ...] = (
    (
        "search find list read show view display summarize summarise count retrieve fetch lookup query browse",
        frozenset({_R}),
    ),
    ("create generate draft open register draw plot chart graph sketch record log plan schedule", frozenset({_C, _U})),
    ("add insert append include", frozenset({_C, _U, _A, _S})),
    ("book reserve order buy purchase rent subscribe hire", frozenset({_C, _P})),
    ("upload save write post publish submit file", frozenset({_C, _U, _S, _A})),
    ("make", frozenset({_C, _U, _P, _A})),
    ("delete remove erase purge trash discard wipe clear drop clean", frozenset({_D, _U})),
    ("cancel revoke archive terminate unsubscribe uninvite", frozenset({_D, _U, _X})),
    (
        "update change edit modify rename adjust correct amend revise set mark tag flag label extend shorten postpone",
        frozenset({_U}),
    ),
    ("delay reschedule replace swap convert merge split reopen complete close", frozenset({_U, _C, _D, _X})),
    ("move shift push bring reassign assign promote demote", frozenset({_U, _C, _D, _P})),
    ("send give", frozenset({_S, _P, _A, _U, _Q})),
    (
        "email mail reply respond forward notify inform tell message text ping remind contact ask announce",
        frozenset({_S, _C}),
    ),
    ("pay transfer wire reimburse remit donate tip settle deposit withdraw repay", frozenset({_P, _U})),
    ("refund", frozenset({_P, _U})),
    ("request charge invoice bill collect", frozenset({_Q, _S, _C})),
    ("share grant invite", frozenset({_A, _S, _C, _U})),
    ("stop start restart reboot launch run scale deploy pause resume kill enable disable", frozenset({_X, _U, _C})),
    ("lock unlock block unblock freeze activate deactivate suspend", frozenset({_X, _U})),
)
_VERBS = {verb: classes for verbs, classes in _TABLE for verb in verbs.split()}
# "Send" moves money where an amount follows.
_SENDING = _VERBS["send"]
_TOOL_VERBS = _VERBS | {
    # A tool's name says one thing: what a person may mean by the word besides does not count.
    "send": frozenset({_S}),
    "request": frozenset({_Q, _S}),
    **dict.fromkeys(("create", "add", "insert", "schedule"), frozenset({_C})),
    **dict.fromkeys(("delete", "remove", "cancel"), frozenset({_D})),
    **dict.fromkeys(("reply", "forward", "email", "notify"), frozenset({_S})),
    **dict.fromkeys(("get", "return", "check", "search", "list", "read"), frozenset({_R})),
}
# Verbs that name a thing as well: in a tool's name another verb goes first.
_NOUNS = frozenset(
    "email mail message invoice order file chart plot graph record log plan schedule request bill text post reply "
    "contact label flag tag charge transfer".split()
)
# A tool with such a verb pays where its name or parameters speak of money.
_MOVES_MONEY = frozenset("send transfer wire pay make remit".split())
_MONEY = frozenset("money payment payments fund funds cash amount iban transaction salary".split())
# What several words say together, and each alone would not.
_PHRASES: tuple[tuple[re.Pattern[str], Classes], ...] = tuple(
    (re.compile(pattern), classes)
    for pattern, classes in (
        (r"\bget rid of\b|\btake [\w ]{1,30} off\b", frozenset({_D, _U})),
        (r"\blet (?!me\b|us\b)[\w ]{1,40} know\b|\bget back to\b|\bwrite (?:to|back)\b|\breach out\b", frozenset({_S})),
        (
            r"\blook up\b|\btell me\b|\blet me know\b|\bshow me\b|\bcheck (?:if|whether|what|when|how|who)\b",
            frozenset({_R}),
        ),
        (r"\bset (?:up|a|an)\b|\bput [\w ]{1,40} (?:on|in|into)\b", frozenset({_C, _U})),
        (r"\btak(?:e|ing) over\b|\bhand (?:it |them )?over\b", frozenset({_U, _A})),
        (
            r"\b(?:turn|switch|shut) (?:it |them )?(?:on|off|down)\b|\bspin (?:up|down)\b|\broll ?back\b",
            frozenset({_X, _U}),
        ),
        (r"\bcall (?:it |them )?off\b", frozenset({_D, _U, _X})),
        (r"\bpay back\b|\bsplit the\b", frozenset({_P, _Q})),
    )
)
# Words that leave open what is to be done: a request that has one rules nothing out.
_VAGUE = re.compile(
    r"\b(?:handle|handl\w+|process|deal with|take care|sort (?:it|this|that|them|out)|fix|solve|resolve|manage|arrange|"
    r"organi[sz]e|prepare|finish|follow|perform|execute|proceed|continue|go ahead|do (?:it|this|that|so|the|what|all|"
    r"everything)|as (?:discussed|usual|planned|described)|todo|to-do|tasks? (?:on|in|from|listed)|instructions?|steps|"
    r"accept|reject|approve|decline|confirm|yes|sure|please do|the (?:first|second|third|other) one)\b"
)
# What stands before a noun: behind it "order" and "charge" are things.
NOUN_BEFORE = re.compile(
    r"(?:\b(?:the|a|an|my|your|his|her|its|our|their|this|these|those|last|latest|next|first|second|recent|new|old|"
    r"every|each|any|some|all|no|of|open|pending|overdue|unread|\d+)|'s|s')\s+$"
)
# What takes a verb back; one word may stand between.
_NEGATED = re.compile(r"(?:\b(?:do not|don'?t|never|without|not|instead of|rather than|no need to)\s+(?:\w+\s+)?)$")
# What follows "send" or "give" when it is money that is sent.
_SENDS_MONEY = re.compile(
    r"(?: (?!request|invoice|bill|reminder|receipt|e?mail|message|note|text|link|quote)\w+){0,3}? "
    r"(?:[$€£¥] ?\d|\d[\d.,]* ?(?:dollars?|euros?|pounds?|francs?|bucks|usd|eur|gbp|chf)\b|(?:money|funds|cash)\b)"
)
# Sentences are told apart to see what each of them asks.
_SENTENCE = re.compile(r"[.?!;\n]+(?:\s|$)")
# "Can you" and "could you" open requests for deeds as well: they are left out.
_ASKING = re.compile(
    r"(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|has|have|am)(?:'s|'re)?\b"
)
# What opens a statement, which asks for nothing.
_STATING = re.compile(r"(?:it|they|he|she|there|this|that|these|those|the|my|our|i|we)(?:'s|'re|'m|'ve)?\b")
# Verbs of the tables are plain letters.
_WORD = re.compile(r"[a-z]+")
# Characters of a request that are looked at: what it asks for is said early.
_LONGEST = 8_000


def tokens_of(name: str) -> tuple[str, ...]:
    """The words of an identifier, lower case: `sendEmail`, `send_email`, `mail.send-email`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name[:200])
    return tuple(re.findall(r"[a-z]+|\d+", spaced.lower()))


def classes_of_tool(tool: ToolDoc) -> Classes:
    """What the tool does, by the verb in its name, else by the first verb of its description; empty when unclear."""
    words = tokens_of(re.split(r"[./:]|__", tool.name)[-1])
    if _MOVES_MONEY & set(words) and _MONEY & {*words, *tool.properties}:
        return frozenset({_P})
    verbs = sorted((word for word in words if word in _TOOL_VERBS), key=_NOUNS.__contains__)
    first = _WORD.findall(tool.description[:200].lower())[:1]
    spoken = (form for word in first for form in base_forms(word) if form in _TOOL_VERBS)
    verb = next(iter(verbs), None) or next(spoken, None)
    return _TOOL_VERBS[verb] if verb else frozenset()


def is_verb(word: str) -> bool:
    """Whether the word of a tool's name says what it does rather than to what."""
    return word in _TOOL_VERBS and word not in _NOUNS


def unquoted(text: str) -> str:
    """What the text says itself: quotations are what others should read."""
    return REPORTED_SPEECH.sub(" … ", text[:_LONGEST])


def classes_in(text: str) -> Classes:
    """Every kind of action the text may speak of."""
    lowered = text[:_LONGEST].lower()
    found = (classes for _, classes in _mentions(lowered))
    return frozenset().union(*found)


def clearly_asked(text: str) -> Classes:
    """The kinds of action the text asks for outside quotations and negations."""
    lowered = unquoted(text).lower()
    found = (classes for at, classes in _mentions(lowered) if not _NEGATED.search(lowered[max(0, at - 30) : at]))
    return frozenset().union(*found)


def only_asks(text: str) -> bool:
    """Whether the text asks to know something and nothing else: it speaks of no deed and leaves none open.

    Each sentence is a question, a command to look something up, or a statement; where one may be anything else, False.
    """
    plain = unquoted(text).lower()
    if is_vague(plain) or classes_in(plain) - {ActionClass.READ}:
        return False
    sentences = [sentence.strip(" \t-*\"'") for sentence in _SENTENCE.split(plain)]
    asking = [
        _ASKING.match(sentence) or _classes_of_verb((_WORD.match(sentence) or [""])[0])
        for sentence in sentences
        if sentence
    ]
    return any(asking) and all(
        asks or _STATING.match(sentence) for asks, sentence in zip(asking, filter(None, sentences), strict=True)
    )


def is_vague(text: str) -> bool:
    """Whether the text leaves open what is to be done."""
    return _VAGUE.search(text[:_LONGEST].lower()) is not None


def _mentions(text: str) -> Iterator[tuple[int, Classes]]:
    for pattern, classes in _PHRASES:
        yield from ((hit.start(), classes) for hit in pattern.finditer(text))
    for hit in _WORD.finditer(text):
        kinds = _classes_of_verb(hit.group())
        if kinds is _SENDING and _SENDS_MONEY.match(text, hit.end()):
            kinds = frozenset({_P})
        if kinds and not NOUN_BEFORE.search(text[max(0, hit.start() - 16) : hit.start()]):
            yield hit.start(), kinds


def _classes_of_verb(word: str) -> Classes | None:
    return next((_VERBS[form] for form in base_forms(word) if form in _VERBS), None)
