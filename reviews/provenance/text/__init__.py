"""Folding, splitting and comparing texts, with the way back to the raw characters. Meaning is not read here."""
