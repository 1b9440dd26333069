"""The questions to a judge, each with its typed answer. Their wording is in `prompts`, by version."""
