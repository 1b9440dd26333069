"""How values are written: days, times, lengths of time, numbers, spellings."""
