"""Claims about where a value comes from: their types, what proposes them, and the one function that verifies them.

Whatever is given a text or evidence may raise `OutOfBudgetError`.
"""
