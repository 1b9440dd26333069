"""Every end of an action and what follows from it: decisions, holds, edits, expiry, execution.

Who is next is `reviews.queue`.
"""
