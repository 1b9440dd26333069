"""The pages for people. Use cases and rights are elsewhere: a page reads, words and draws."""
