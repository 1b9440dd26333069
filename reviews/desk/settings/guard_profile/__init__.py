"""The page that edits a guard profile. Which values are valid is `reviews.profiles`."""
