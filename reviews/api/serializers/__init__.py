"""From rows to the JSON of an answer. Nothing is read from the database here that a view did not select."""
