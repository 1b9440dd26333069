"""Trials on recorded calls: previews of a draft profile, replays of benchmarks, fitting of thresholds.

Not here: what decides about live calls (`checks`), measures and benchmark readers (`evaluation`).
"""
