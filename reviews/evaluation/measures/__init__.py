"""Each measure once, with its source. How a table shows them is `reports`."""
