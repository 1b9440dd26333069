"""What establishes or refutes, each with what makes it sound and what it assumes. Nothing else here reads language."""
