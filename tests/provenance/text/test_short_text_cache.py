from reviews.provenance.text.short_text_cache import MAX_REMEMBERED, cache_short_texts


def test_a_short_text_is_read_once_and_a_long_one_each_time() -> None:
    texts: list[str] = []

    def read(text: str) -> int:
        texts.append(text)
        return len(text)

    remembering, long = cache_short_texts(read), "x" * (MAX_REMEMBERED + 1)
    assert [remembering("short"), remembering("short"), remembering(long), remembering(long)] == [
        5, 5, len(long), len(long),
    ]  # fmt: skip
    assert texts == ["short", long, long]
