"""Kinds of arguments that commands share."""

from argparse import ArgumentTypeError


def positive(text: str) -> int:
    """A whole number above 0. Raises `ArgumentTypeError`."""
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is not a positive whole number")
    return int(text)
