"""A text that the agent words itself gives a day, a time of day, a link or an identifier that nothing says.

What an agent composes needs no source, and what it tells of the world does: a meeting at 15:20 where 14:20 is said, a
link whose last figures differ. Nobody reads here what a text means. A time that languages say without figures (noon,
half past), a day near today, and what follows from a length of time that somebody says may well be told; so may what
another value of the call is, which is looked at by itself. Any other figure may follow from what is known, and is
looked at where it is a slip of one that the user says and the text leaves out: 41 pallets of 14; and so is a code, or a
long figure, with two figures exchanged of one that stands anywhere.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time, timedelta
from itertools import chain, combinations, groupby, islice, product

from reviews.provenance.core.context import Span
from reviews.provenance.core.shortening import shorten_text
from reviews.provenance.core.trust import SourceKind
from reviews.provenance.data.sources import SourceText
from reviews.provenance.doubts.composed_text import doubt_difference, read_composed, texts_beside_calls
from reviews.provenance.doubts.doubt import Doubt
from reviews.provenance.doubts.part_of_moment import find_words_for
from reviews.provenance.proofs.call import MAX_READ, ProposedCall, is_bare
from reviews.provenance.terms.argument_leaf import Leaf
from reviews.provenance.terms.readings.mentions import find_readings
from reviews.provenance.terms.search import propose_terms
from reviews.provenance.terms.terms import spans_of
from reviews.provenance.terms.value_mentions import mentions_of
from reviews.provenance.text.boundaries import Place, overlaps
from reviews.provenance.values.durations import seconds_of_units_in
from reviews.provenance.values.locales import weekday_abbreviations
from reviews.provenance.values.moments import ANY_DAY, moment_of
from reviews.provenance.values.numbers import number_of
from reviews.provenance.values.relative_days import quoted_weekdays_in

RULE = "doubts.unknown_fact"
# Facts of one text that are traced, each through every source.
_MAX_FACTS = 16
_LINK = re.compile(r"https?://[^\s<>()\"'\]]+[^\s<>()\"'\].,;:!?]")
# Minutes that languages name by the hour, and hours that they have a word for.
_QUARTER, _NAMED_HOURS = 15, (0, 12)
# Days on either side of today that are told by words: tomorrow, and with the weekday's name Friday next week.
_NEAREST, _NEAR = range(-2, 3), range(-2, 15)
_DAY = 86_400  # seconds
# A short name of a weekday: two Latin letters are another word as often.
_NAME = re.compile(r"[^\W\d_a-z]+|[^\W\d_]{3,}")
# A figure with the signs within; of a single digit every other one is a slip.
_FIGURE = re.compile(r"[0-9]+(?:[.,:][0-9]+)*")
_MIN_DIGITS = 2
# Such figures of one text, each of which is held against its moments and all that is known.
_MAX_SLIPS = 64
# Letters and figures in groups, such as R-20931-B; codes of one text, and signs of one, in which figures may be
# exchanged: so many of one, and of a figure that is so long that another one of the data hardly has all of them.
_CODE = re.compile(r"(?<![\w.:/@-])[^\W_]+(?:[-_.][^\W_]+)+(?![\w@/-])")
_MAX_CODES, _MAX_CODE, _MAX_EXCHANGED, _MIN_LONG = 64, 64, 16, 4
# Characters that are searched for figures in one step, and numbers of which two are put together.
_CHARACTERS_A_STEP = 16
_MAX_KNOWN = 32


def facts_of(leaf: Leaf, call: ProposedCall) -> tuple[Span, ...]:
    """Where the amounts, moments and identifiers stand that a text names which the agent words itself."""
    if (text := read_composed(leaf, call)) is None:
        return ()
    amounts = (Leaf(float(amount.value), "/amount") for amount in text.amounts)
    facts = islice(chain(amounts, chain.from_iterable(list_facts(text))), _MAX_FACTS)
    terms = (propose_terms(fact, call.latest_request, call.evidence) for fact in facts)
    spans = (next(chain.from_iterable(map(spans_of, proposed)), None) for proposed in terms)
    return tuple(dict.fromkeys(filter(None, spans)))


def raise_doubt(leaf: Leaf, call: ProposedCall) -> Doubt | None:
    """The doubt about the first such fact of a text; the value itself stands nowhere."""
    if (text := read_composed(leaf, call)) is None:
        return None
    for readings in islice(list_facts(text), _MAX_FACTS):
        if not any(fact.folded == leaf.folded or _is_told(fact, call) or _is_derived(fact, call) for fact in readings):
            return Doubt(RULE, _word_unknown(readings[-1], text))
    return _doubt_slip(text, call) or _doubt_day(text, call) or _doubt_exchange(text, call)


def _word_unknown(fact: Leaf, text: SourceText) -> str:
    words, meant = fact.text, ""
    for moment in text.moments:
        parts = moment.day and moment.day.isoformat(), moment.clock and moment.clock.isoformat("minutes")
        quote = text.span(*moment.place).quote
        if fact.text in parts and quote != fact.text:
            words, meant = quote.strip(" .,;:"), f" ({fact.text})"
    return f"The text says “{shorten_text(words, 60)}”{meant}; nothing else does. Is that right?"


def _doubt_slip(text: SourceText, call: ProposedCall) -> Doubt | None:
    """The doubt about a figure with one digit changed, or two exchanged, of one that the user says."""
    # The days of a text are looked at by themselves.
    days = [moment.day_place or moment.place for moment in text.moments if moment.day]
    slips = [(hit, span) for hit, span in _list_slips(text, call) if not overlaps(days, *hit.span())][:_MAX_SLIPS]
    known_figures = _find_known({_digits_of(hit[0]) for hit, _ in slips}, _FIGURE, _digits_of, call)
    for hit, span in slips:
        moments = (moment for moment in text.moments if moment.clock and overlaps(moment.parts, *hit.span()))
        clocks = (Leaf(f"{moment.clock:%H:%M}", "/time") for moment in moments)
        is_known = _digits_of(hit[0]) in known_figures or _is_computed(hit[0], call)
        # Somebody may say it in words, or a length of time that leads there.
        if not is_known and not any(_is_moved(clock, call) or find_words_for(clock, call) for clock in clocks):
            return doubt_difference(RULE, hit[0], span)
    return None


def _list_slips(text: SourceText, call: ProposedCall) -> Iterator[tuple[re.Match[str], Span]]:
    """The figures of a text that are slips of one that the user says and the text leaves out, which comes with each."""
    messages = call.evidence.user_messages
    call.evidence.budget.spend(1 + sum(len(message.folded) for message in messages) // _CHARACTERS_A_STEP)
    figures = [(_digits_of(hit[0]), hit) for hit in _FIGURE.finditer(text.folded)]
    hits = ((message, hit) for message in messages for hit in _FIGURE.finditer(message.folded))
    user_figures = {_digits_of(hit[0]): message.span(*hit.span()) for message, hit in hits}
    left_out = [(digits, span) for digits, span in user_figures.items() if digits not in dict(figures)][:_MAX_FACTS]
    for figure, hit in figures:
        slips = (span for digits, span in left_out if _is_slip(figure, digits))
        yield from ((hit, span) for span in islice(slips, 1))


def _doubt_day(text: SourceText, call: ProposedCall) -> Doubt | None:
    """The doubt about a day that the text writes in place of one that the user writes, and that nobody may tell."""
    text_days = _written_days(text)
    moments = (moment_of(argument.value) for argument in call.leaves if is_bare(argument))
    call_days = set(chain(*text_days.values(), *((moment or ())[:1] for moment in moments)))
    left_out = (
        message.span(*place)
        for message in call.evidence.user_messages
        for place, days in _written_days(message).items()
        if call_days.isdisjoint(days)
    )
    if not text_days or (span := next(left_out, None)) is None:
        return None
    known_days = {moment.day for beside in texts_beside_calls(call) for moment in beside.moments}
    for place, days in text_days.items():
        if known_days.isdisjoint(days) and not any(_is_derived(Leaf(day.isoformat(), "/day"), call) for day in days):
            return doubt_difference(RULE, text.folded[slice(*place)], span)
    return None


def _written_days(text: SourceText) -> dict[Place, set[date]]:
    """The days that a text writes in figures, by their place each in all of its readings."""
    days: dict[Place, set[date]] = {}
    for moment in text.moments:
        place = moment.day_place or moment.place
        if moment.day and any(map(str.isdigit, text.folded[slice(*place)])):
            days.setdefault(place, set()).add(moment.day)
    return days


def _doubt_exchange(text: SourceText, call: ProposedCall) -> Doubt | None:
    """The doubt about a code or a long figure that is one of the data with two figures exchanged, and stands nowhere.

    With one figure changed a code may as well be the next of its kind, and a figure be computed.
    """
    moments = [moment.place for moment in text.moments]
    codes = [hit[0] for hit in _CODE.finditer(text.folded) if any(map(str.isalpha, hit[0]))]
    hits = (hit for hit in _FIGURE.finditer(text.folded) if not overlaps(moments, *hit.span()))
    figures = [hit[0] for hit in hits if len(_digits_of(hit[0])) >= _MIN_LONG and not _is_computed(hit[0], call)]
    return _find_exchanged(codes, _CODE, str, call) or _find_exchanged(figures, _FIGURE, _digits_of, call)


def _find_exchanged(
    codes: Iterable[str], pattern: re.Pattern[str], read: Callable[[str], str], call: ProposedCall
) -> Doubt | None:
    distinct = map(read, islice(dict.fromkeys(codes), _MAX_CODES))
    exchanged = {code: tuple(_exchange_figures(code)) for code in distinct}
    listed = _find_known({*exchanged, *chain.from_iterable(exchanged.values())}, pattern, read, call)
    for code in (code for code in exchanged if code not in listed):
        spans = (listed[variant] for variant in exchanged[code] if variant in listed and variant not in exchanged)
        if span := next(spans, None):
            return doubt_difference(RULE, code, span, "is known")
    return None


def _exchange_figures(code: str) -> Iterator[str]:
    places = [at for at, sign in enumerate(code[:_MAX_CODE]) if sign.isdigit()][:_MAX_EXCHANGED]
    for a, b in combinations(places, 2):
        if code[a] != code[b]:
            yield f"{code[:a]}{code[b]}{code[a + 1 : b]}{code[a]}{code[b + 1 :]}"


def _find_known(
    wanted: set[str], pattern: re.Pattern[str], read: Callable[[str], str], call: ProposedCall
) -> dict[str, Span]:
    """Where any of what is wanted stands outside of calls; of a long history nothing else is kept."""
    spans: dict[str, Span] = {}
    for text in texts_beside_calls(call) if wanted else ():
        text.budget.spend(1 + len(text.folded) // _CHARACTERS_A_STEP)
        hits = ((read(hit[0]), hit) for hit in pattern.finditer(text.folded))
        spans.update((name, text.span(*hit.span())) for name, hit in hits if name in wanted)
    return spans


def _digits_of(figure: str) -> str:
    """The figure without its signs: 1,284 and 1284 are one."""
    return "".join(filter(str.isdigit, figure))


def _is_slip(digits: str, meant: str) -> bool:
    if len(digits) != len(meant) or len(digits) < _MIN_DIGITS:
        return False
    apart = [at for at, (a, b) in enumerate(zip(digits, meant, strict=True)) if a != b]
    is_exchange = len(apart) == 2 and apart[1] == apart[0] + 1  # noqa: PLR2004 - two digits
    return len(apart) == 1 or (is_exchange and sorted(digits) == sorted(meant))


def _is_computed(figure: str, call: ProposedCall) -> bool:
    """Whether the number is the sum, the difference or the product of two that are known."""
    number = number_of(figure)
    texts = (*call.evidence.user_messages, *call.evidence.data)
    numbers = list(islice(dict.fromkeys(chain.from_iterable(text.numbers for text in texts)), _MAX_KNOWN))
    call.evidence.budget.spend(1 + len(numbers) ** 2)
    return any(number in (a + b, a - b, a * b) for a, b in product(numbers, repeat=2))


def list_facts(text: SourceText) -> Iterator[tuple[Leaf, ...]]:
    """The days, times of day, links and identifiers of a text: each in all of its readings, as values by themselves."""
    text.budget.spend(1 + len(text.folded))
    moments = sorted(text.moments, key=lambda moment: moment.place)
    for place, group in groupby(moments, key=lambda moment: moment.place):
        readings = list(group) if any(map(str.isdigit, text.folded[slice(*place)])) else []
        days = [Leaf(moment.day.isoformat(), "/day") for moment in readings if moment.day]
        clocks = [Leaf(f"{moment.clock:%H:%M}", "/time") for moment in readings if moment.clock]
        yield from (tuple(facts) for facts in (days, clocks) if facts)
    yield from ((Leaf(hit[0], "/link"),) for hit in _LINK.finditer(text.source.text))
    yield from ((Leaf(text.folded[slice(*place)], "/id"),) for place in text.opaque)


def _is_told(fact: Leaf, call: ProposedCall) -> bool:
    """Whether any text says it, or may say it to whoever reads it, or another value of the call is it."""
    meant = set(moment_of(fact.text) or ()) - {None}
    moments = (set(moment_of(argument.value) or ()) for argument in call.leaves if is_bare(argument))
    return (
        any(mentions_of(fact, text) for text in texts_beside_calls(call))
        or any(any(find_readings(fact, text, call.evidence)) for text in call.evidence.user_messages)
        or any(meant and meant <= moment for moment in moments)
    )


def _is_derived(fact: Leaf, call: ProposedCall) -> bool:
    """Whether a day or a time of day may be said without its figures, or follows from a length of time."""
    day, clock = moment_of(fact.text) or (None, None)
    now = call.evidence.presumed_now
    is_named = clock and clock.minute % _QUARTER == 0 and (clock.minute or clock.hour in _NAMED_HOURS)
    is_near = day and (now is None or _may_be_near(day, now.date(), call))
    return bool(is_named or is_near) or _is_moved(fact, call)


def _may_be_near(day: date, today: date, call: ProposedCall) -> bool:
    """Whether words may tell a day near today: by themselves, or where its weekday or a length of days is named."""
    ahead = (day - today).days
    if ahead not in _NEAR or ahead in _NEAREST:
        return ahead in _NEAR
    beside = (text for text in texts_beside_calls(call) if text.source.kind is not SourceKind.TOOL_DOC)
    texts = [text.folded[:MAX_READ] for text in beside]
    call.evidence.budget.spend(1 + sum(map(len, texts)) // _CHARACTERS_A_STEP)
    return any(
        any(weekday.value == day.weekday() for weekday in quoted_weekdays_in(text))
        or any(day.weekday() in weekday_abbreviations(quoted=True).get(word, ()) for word in _NAME.findall(text))
        or any(length >= _DAY for length in seconds_of_units_in(text))
        for text in texts
    )


def _is_moved(fact: Leaf, call: ProposedCall) -> bool:
    """Whether a day or a time of day follows from another one and a length of time that somebody says."""
    day, clock = moment_of(fact.text) or (None, None)
    texts = (*call.evidence.user_messages, *call.evidence.data)
    lengths = [timedelta(seconds=float(length.value)) for text in texts for length in text.durations][:_MAX_FACTS]
    for moment, by in product((moment for text in texts for moment in text.moments), lengths):
        begin = datetime.combine(moment.day or ANY_DAY, moment.clock or time())
        for met in (begin + by, begin - by):
            if (moment.day and day == met.date()) or (moment.clock and clock == met.time()):
                return True
    return False
