"""What the first check of a process needs is there before it."""

import subprocess
import sys

import pytest

from reviews.provenance.core.verdicts import Misaligned
from reviews.scheduling import warmup

# In a process of its own, as this one has checked much already: the tables of locales that one more check has to make.
TABLES = """
import os
import django
django.setup()
from reviews.scheduling import warmup
from reviews.provenance.values import currencies, measures, numerals

def check_first():
    before = currencies.currency_names.cache_info().misses
    warmup.verdict_on("Send twelve tins for 30 euros to Ortega on 4 March 2031.")
    print(currencies.currency_names.cache_info().misses - before, flush=True)

# A copy of this process, before it has rehearsed anything.
if not os.fork():
    check_first()
    os._exit(0)
os.wait()
warmup.warm_up_before_fork()
check_first()
tables = (numerals._written_numerals, measures._names, measures._quoted_names)
print(sum(not table.cache_info().currsize for table in tables))
"""


def test_after_the_rehearsal_a_first_check_finds_the_tables_of_all_locales() -> None:
    done = subprocess.run([sys.executable, "-c", TABLES], capture_output=True, text=True, check=True, timeout=60)
    unprepared, rehearsed, empty = map(int, done.stdout.split())
    assert (rehearsed, unprepared, empty) == (0, 1, 0)


@pytest.mark.parametrize("request_", warmup.REQUESTS)
def test_each_request_is_read(request_: str) -> None:
    assert not isinstance(warmup.verdict_on(request_), Misaligned)
