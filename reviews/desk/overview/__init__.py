"""Charts for whoever leads, and one's own figures. What is counted is `reviews.lab`."""
