"""Reading what agents send: formats, shapes, bounds. Nothing is stored here."""
