"""The guard around the tools of agent frameworks, each in a module of its own that needs its framework."""
