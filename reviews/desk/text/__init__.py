"""Marking, cutting and comparing texts for a page. What a text means is the engine's."""
