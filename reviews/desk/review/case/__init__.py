"""The parts of the review page, one module a part. Nothing here judges: the check did."""
