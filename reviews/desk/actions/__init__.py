"""Every action, whatever became of it: lists, search, a conversation, an agent. What waits is `reviews.desk.queue`."""
