from datetime import datetime, timedelta

from reviews.provenance.core.context import Case, Context, ProposedAction, Source, SourceKind, Step
from reviews.provenance.core.findings import Grounding
from reviews.provenance.grounding import ground_arguments
from reviews.provenance.records import cache

NOW = datetime(2026, 3, 5, 9, 0)  # noqa: DTZ001 - the trace's own clock
LIST = Source("history/1/outcome", SourceKind.TOOL_OUTPUT, '[{"name": "Dora", "due": "2026-03-06"}]')
WAIT = Source("history/1/outcome", SourceKind.TOOL_OUTPUT, "Ready in 20 minutes.")


def same(one: Source, other: Source, *, later: timedelta = timedelta(0), asked: frozenset[str] = frozenset()) -> bool:
    return cache.indexed(one, NOW, frozenset()) is cache.indexed(other, NOW + later, asked)


def grounding_of(value: str, text: str, *, now: datetime) -> Grounding:
    context = Context(f"Meet {text}", (), (Step("read", {}, "[]"),), now=now)
    return ground_arguments(Case(context, ProposedAction("book", {"when": value})))[0].how


def test_a_source_is_read_once() -> None:
    assert same(LIST, Source(*(LIST.id, LIST.kind, LIST.text)))


def test_a_later_call_of_the_day_reads_nothing_again() -> None:
    assert same(LIST, LIST, later=timedelta(hours=3))


def test_another_day_reads_again() -> None:
    assert not same(LIST, LIST, later=timedelta(days=1))


def test_what_speaks_of_minutes_is_read_at_each_moment() -> None:
    assert not same(WAIT, WAIT, later=timedelta(minutes=1))


def test_another_kind_text_or_call_is_another_source() -> None:
    assert not same(LIST, Source(LIST.id, SourceKind.MEMORY, LIST.text))
    assert not same(LIST, Source(LIST.id, LIST.kind, LIST.text + " "))
    assert not same(LIST, LIST, asked=frozenset({"dora"}))


def test_what_was_kept_never_answers_for_another_day() -> None:
    assert grounding_of("2026-03-06", "tomorrow", now=NOW) is Grounding.NORMALIZE
    assert grounding_of("2026-03-06", "tomorrow", now=NOW + timedelta(days=1)) is Grounding.UNGROUNDED


def test_only_so_much_is_kept() -> None:
    first = cache.indexed(LIST, NOW, frozenset())
    for page in range(5):
        cache.indexed(Source(f"source/{page}", SourceKind.RETRIEVED, "x" * 900_000), NOW, frozenset())
    assert cache.indexed(LIST, NOW, frozenset()) is not first


def test_a_source_too_long_to_keep_is_read_all_the_same() -> None:
    long = Source("source/long", SourceKind.RETRIEVED, "x" * cache.MOST_CHARACTERS)
    assert cache.indexed(long, NOW, frozenset()).source is long
