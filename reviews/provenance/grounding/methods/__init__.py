"""How a value is traced: one way a module, tried in order."""
