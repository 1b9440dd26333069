"""The agent says that it took the value from somewhere, and it does not stand there."""

RULE = "doubts.false_claim"
