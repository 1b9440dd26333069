"""Submitting recorded conversations again, as their agents did. Trials that store no action are beside it."""
