"""Signals and counters between processes: what is published and counted. Nothing here is needed for correctness."""
