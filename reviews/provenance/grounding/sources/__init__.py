"""One source read: its literals, records, series and entries, made searchable."""
