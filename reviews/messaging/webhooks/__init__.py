"""Webhooks after Standard Webhooks: signed messages to a workspace's receivers about what becomes of its calls.

The database is the outbox: a message's row is written with its event (`messaging.events`), a worker sends what is
due (`deliveries`), by requests that reach public addresses only (`addresses`, `requests`), signed (`signing`).
Administrators manage the receivers (`endpoints`).
"""
