"""What the loader takes out of the product's own templates."""

from pathlib import Path

import pytest
from django.template import Engine


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    loaders = [("guardapp.templating.Loader", [str(tmp_path)])]
    (tmp_path / "list.html").write_text("<ul>\n    <li>\n      {{ text }}</li>\n\n  </ul>\n")
    (tmp_path / "code.html").write_text("<pre>\n    {{ text }}</pre>\n")
    return Engine(loaders=loaders)


def test_lines_begin_at_the_margin_and_stay_as_many(engine: Engine) -> None:
    assert engine.render_to_string("list.html", {"text": "a"}) == "<ul>\n<li>\na</li>\n\n</ul>\n"


def test_what_is_put_in_keeps_its_white_space(engine: Engine) -> None:
    assert "a\n    b" in engine.render_to_string("list.html", {"text": "a\n    b"})


def test_where_white_space_shows_it_stays(engine: Engine) -> None:
    assert engine.render_to_string("code.html", {"text": "a"}) == "<pre>\n    a</pre>\n"
