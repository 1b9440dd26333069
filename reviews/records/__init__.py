"""The workspace's record between tables and the engine's values: stored conversations, feeds, locks, transactions.

Not here: the tables themselves (`models`), who may see a row (`access`).
"""
