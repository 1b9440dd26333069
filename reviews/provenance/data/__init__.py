"""What tools returned, as one model of records, and every source of a context with what it says."""
