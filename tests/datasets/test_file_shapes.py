import io
import json
import zipfile

import pytest

from reviews.datasets.file_shapes import check_shape, propose_reader, recognise_file
from reviews.errors import InvalidError
from tests.datasets.collections import line


def packed(name: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, "{}")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "reader", "says"),
    [
        (json.dumps(line(0)).encode(), "items", "a case each"),
        (b'{"messages": []}', "openai-chats", "messages each"),
        (b'{"question": "?", "answer": "!"}', "", "'question', 'answer'"),
        (b"id,query,tool\n1,a,b\n", "", "table"),
        (b'[\n{"case": {}}]', "", "several lines"),
        (b"", "", "empty"),
        (b"\xff\xfe\x00", "", "no text"),
        (packed("data/agentdojo/run.json"), "agentdojo", "zip archive"),
        (packed("other.txt"), "", "zip archive"),
    ],
)
def test_a_file_is_recognised_by_its_shape(content: bytes, reader: str, says: str) -> None:
    file = io.BytesIO(content)
    shape = recognise_file(file)
    assert (shape.reader, file.tell()) == (reader, 0)
    assert says in shape.kind


@pytest.mark.parametrize(
    ("reader", "content", "says"),
    [
        ("items", packed("a.json"), "Unpack it first"),
        ("agentdojo", json.dumps(line(0)).encode(), "packed as a zip"),
        ("items", b'{"messages": []}', "OpenAI chat logs"),
        ("items", b"id,query\n", "which is not"),
        ("table", packed("a.json"), "Unpack it first"),
        ("table", b"just words", "has no rows"),
    ],
)
def test_a_wrong_format_is_named_at_once(reader: str, content: bytes, says: str) -> None:
    with pytest.raises(InvalidError, match=says) as refused:
        check_shape(reader, recognise_file(io.BytesIO(content)))
    assert refused.value.errors[0].pointer == "/file"


def test_an_unknown_shape_has_no_proposal() -> None:
    with pytest.raises(InvalidError, match="Choose one above"):
        propose_reader(recognise_file(io.BytesIO(b"just words")))


@pytest.mark.parametrize("content", [b"a,b\n1,2", b'{"q": 1}\n', b'[{"q": 1}]', b"[\n{\n"])
def test_what_has_rows_is_proposed_as_a_table(content: bytes) -> None:
    assert propose_reader(recognise_file(io.BytesIO(content))) == "table"
