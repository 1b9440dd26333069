"""Readers of public benchmarks, one module each, from their files to cases and labels."""
