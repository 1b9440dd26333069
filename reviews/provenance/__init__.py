"""The engine: pure functions over frozen values. It knows no database, queue, framework or clock."""
