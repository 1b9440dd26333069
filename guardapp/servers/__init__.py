"""PostgreSQL and Redis on one machine without an administrator, for the demonstration and the tests."""
