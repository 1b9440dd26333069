from tests.api.conftest import agent, cast, outsider, script, stranger

__all__ = ["agent", "cast", "outsider", "script", "stranger"]
