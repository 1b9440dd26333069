"""Changes of a case that must not move its verdict. Changes that make it wrong are `mutants`."""
