"""The guard profile's own page: edit a draft, see what it changes and what it would have done, look back."""
