"""The adaptive attacker: payloads by family, composed against a detector. Known attacks come with `benchmarks`."""
