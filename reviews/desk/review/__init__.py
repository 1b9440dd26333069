"""The page of one action, and what a reviewer answers on it. What a decision does is `reviews.decisions`."""
