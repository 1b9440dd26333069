"""Signing in, setting up and joining, over django-allauth. Membership and roles are `reviews.workspaces`."""
