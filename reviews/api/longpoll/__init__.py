"""Waiting for a decision, in front of Django. Whatever does not wait goes on to `reviews.api.views`."""
