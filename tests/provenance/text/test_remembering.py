from reviews.provenance.text.remembering import MAX_REMEMBERED, remember_short_texts


def test_a_short_text_is_read_once_and_a_long_one_each_time() -> None:
    texts: list[str] = []
    read = remember_short_texts(lambda text: texts.append(text) or len(text))
    long = "x" * (MAX_REMEMBERED + 1)
    assert [read("short"), read("short"), read(long), read(long)] == [5, 5, len(long), len(long)]
    assert texts == ["short", long, long]
