"""Django's PostgreSQL backend with a pool that outlives its server."""
