"""Filters and tags of the templates. Texts that need a decision are composed in `reviews.desk`."""
