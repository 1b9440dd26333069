"""What the user says: references, clauses that select, the words that compare."""
