"""The shell's commands: `manage.py NAME`. Each reads its options and calls a use case."""
