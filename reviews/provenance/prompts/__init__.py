"""The questions in words, one file a question: `prompt` reads and fills them, `fences` marks what others wrote."""
