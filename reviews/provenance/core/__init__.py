"""The engine's vocabulary as frozen values: contexts, spans, findings, verdicts. Nothing here judges."""
