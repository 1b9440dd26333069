import gc

from guardapp.celery import app as celery_app

__all__ = ["celery_app"]

# What a process imports stays for as long as it lives: to look for garbage at every 700 new objects is a fifth of its
# start, and a twelfth of the CPU of a submission. 25,000 are a few megabytes.
gc.set_threshold(25_000, 20, 20)
