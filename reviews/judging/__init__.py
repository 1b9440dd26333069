"""The judge a profile asks for: which model, what it may spend, what is remembered. What is asked is the engine's."""
