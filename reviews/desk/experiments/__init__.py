"""Pages of experiments: the list with a form for another, and one with its figures. How they run is `reviews.lab`."""
