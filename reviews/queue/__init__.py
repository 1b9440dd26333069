"""What waits for people: order, claims, selection, groups. What a decision does is `reviews.decisions`."""
