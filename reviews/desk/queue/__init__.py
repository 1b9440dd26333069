"""The list of what waits. Its order and claims are `reviews.queue`, one item's page is `reviews.desk.review`."""
