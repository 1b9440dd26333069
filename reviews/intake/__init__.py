"""From a request's body to a stored action with its checks. Running these is `reviews.scheduling`."""
