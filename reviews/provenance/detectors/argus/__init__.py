"""ARGUS, module by module as its paper names them: segments, arguments, invariants, entailment."""
