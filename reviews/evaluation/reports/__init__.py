"""Tables of figures for people and papers. What the figures are is `measures`."""
