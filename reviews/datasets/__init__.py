"""Datasets of proposed calls: what comes in, versions that never change, cards, imports, exports, their jobs.

Not here: people's answers (`annotation`), what is erased or pruned (`retention`), readers of public collections
(`evaluation.benchmarks`).
"""
