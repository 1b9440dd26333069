"""Orders that hide in data: their disguises, carriers and reach.

What follows for a verdict is the detectors' to say.
"""
