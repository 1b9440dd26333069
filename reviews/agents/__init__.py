"""What agents run: the client package they install, and scripted agents that use it.

What answers them is `reviews.api`.
"""
