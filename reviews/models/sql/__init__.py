"""SQL by hand, one module a table: statements of the hot paths, which the ORM would make slow or cannot say.

Not here: what SQL alone can be put together from a model's columns (`pipeline`), and who runs a statement when.
`tests/models/test_sql.py` has PostgreSQL plan each of them, so that every name in them is a column's.
"""
