"""What establishes or refutes, each with what makes it sound and what it assumes. Nothing else here reads language.

Whatever is given a call, and so a context to read, may raise `OutOfBudgetError`; whoever traces the call catches it.
"""
