"""What is worth showing and proves nothing: each doubt is a question to a judge or a person, never a verdict.

Whatever is given a call may raise `OutOfBudgetError`, as proofs do.
"""
