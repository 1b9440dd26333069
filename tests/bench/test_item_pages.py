"""The pages of a dataset's items at a thousand and a million of them."""

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from reviews.models import Dataset, DatasetItem
from tests.annotation.study import dataset_of
from tests.bench.report import report
from tests.cast import Cast

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600)]

FEW: Final = 1_000
MANY: Final = int(os.environ.get("BENCH_ITEMS", "1000000"))
LOOKS: Final = 9
QUERIES: Final = ("", "?tool=money_transfer", "?label=none", "?text=daniel", "?text=nothing-of-this-kind")


def test_item_pages_grow_with_what_they_show_and_not_with_the_dataset(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.admin.user)
    few, many = (grown(dataset_of(cast, 1, name), items) for name, items in (("few", FEW), ("many", MANY)))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE reviews_datasetitem")
    pages = [("dataset-items", query) for query in QUERIES] + [("dataset-distributions", ""), ("dataset", "")]
    for name, query in pages:
        paths = [reverse(name, args=[dataset.pk]) + query for dataset in (few, many)]
        before, now = (milliseconds(partial(client.get, path)) for path in paths)
        title = f"{name}{query} at {MANY:,} items"
        report(title, ours=now / before, unit=f"of {FEW:,}", goal=1.3, lower=True, ms=now, few=before)


def grown(dataset: Dataset, items: int) -> Dataset:
    """Copies of the dataset's one item, made by the database, until there are so many."""
    model = dataset.items.get()
    columns = [field.column for field in DatasetItem._meta.concrete_fields]
    values = dict.fromkeys(columns) | {
        "id": "uuidv7()",
        "content_key": "encode(sha256(convert_to(n::text || o.id::text, 'UTF8')), 'hex')",
        "conversation": "'conv-' || n",
        "source_line": "n",
    }
    listed = ", ".join(values[column] or f'o."{column}"' for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO reviews_datasetitem ({names}) SELECT {listed}"  # noqa: S608 - the model's own columns
            " FROM reviews_datasetitem AS o, generate_series(2, %s) AS n WHERE o.id = %s",
            [items, model.pk],
        )
    return dataset


def milliseconds(look: Callable[[], object]) -> float:
    """The quickest third of some looks, as what disturbs one only ever adds."""
    look()
    times = []
    for _ in range(LOOKS):
        begun = time.perf_counter()
        look()
        times.append(1000 * (time.perf_counter() - begun))
    return sorted(times)[LOOKS // 3]
