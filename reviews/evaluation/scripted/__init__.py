"""Judges and agents that follow a script, for evaluations that ask no model. Real judges are the engine's."""
