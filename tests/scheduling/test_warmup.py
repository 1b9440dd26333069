"""What the first check of a process needs is there before it."""

import subprocess
import sys

import pytest

from reviews.provenance.core.verdicts import Misaligned
from reviews.scheduling import warmup

# In a process of its own, as this one has checked much already: the tables of locales that one more check has to make.
TABLES = """
import sys
import django
django.setup()
from reviews.scheduling import warmup
from reviews.provenance.values import currencies
if sys.argv[1] == "rehearsed":
    warmup.warm_up_before_fork()
before = currencies.currency_names.cache_info().misses
warmup.verdict_on("Send twelve tins for 30 euros to Ortega on 4 March 2031.")
print(currencies.currency_names.cache_info().misses - before)
"""


def tables_of_a_first_check(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", TABLES, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


def test_after_the_rehearsal_a_first_check_finds_the_tables_of_all_locales() -> None:
    assert (tables_of_a_first_check("rehearsed"), tables_of_a_first_check("unprepared")) == (0, 1)


@pytest.mark.parametrize("request_", warmup.REQUESTS)
def test_each_request_is_read(request_: str) -> None:
    assert not isinstance(warmup.verdict_on(request_), Misaligned)
