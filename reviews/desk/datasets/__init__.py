"""Pages of datasets, their items, versions and imports. What they do is `reviews.datasets`."""
