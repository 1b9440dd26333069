"""Scripted agents that propose realistic calls, right and wrong, through the HTTP API."""
