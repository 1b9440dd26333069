"""Measuring detectors on recorded calls, without a database. Experiments that are stored are `reviews.lab`."""
