"""ProvenanceGuard's three stages, ours by default and as published. Proofs of values are `grounding` and `proofs`."""
