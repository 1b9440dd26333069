"""What the first check of a process needs is there before it."""

import subprocess
import sys

import pytest

from reviews.checks import rehearsal
from reviews.provenance.core.findings import Misaligned
from reviews.provenance.language.base import languages

# In a process of its own, as this one has checked much already: the words that one more check has to stem.
STEMS = """
import sys
import django
django.setup()
from reviews.checks import rehearsal
from reviews.provenance.language import base
if sys.argv[1] == "rehearsed":
    rehearsal.rehearse()
before = base._stemmed.cache_info().misses
rehearsal.verdict_on("Send twelve tins to Ortega on 4 March 2031.")
print(base._stemmed.cache_info().misses - before)
"""


def stems_of_a_first_check(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", STEMS, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


def test_after_the_rehearsal_a_first_check_finds_the_tables_of_all_languages() -> None:
    assert stems_of_a_first_check("rehearsed") < stems_of_a_first_check("unprepared") / 20


@pytest.mark.parametrize("request_", rehearsal.REQUESTS)
def test_each_request_is_read(request_: str) -> None:
    assert not isinstance(rehearsal.verdict_on(request_), Misaligned)


def test_each_language_has_a_request() -> None:
    assert len(rehearsal.REQUESTS) == len(languages())
