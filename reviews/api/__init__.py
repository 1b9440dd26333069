"""The HTTP API for agents and scripts: reads requests, words answers.

What happens then is in the use cases it calls.
"""
