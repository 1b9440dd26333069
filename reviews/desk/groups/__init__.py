"""Items of the queue that are alike, decided together. How they are grouped is `reviews.queue`."""
