"""What the processes of imports and exports are forked from: Django, set up, and all that they need, imported."""

import importlib

import django

django.setup()
# Only now: models cannot be imported before.
importlib.import_module("reviews.datasets.job_worker")
