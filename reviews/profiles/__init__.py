"""Guard profiles: what they may say, their versions, which one holds. Their page is in `reviews.desk.settings`."""
