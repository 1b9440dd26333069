"""Formats of files whose records are calls: our own items, tables, logs of chats."""
