"""How checks and plans get their turn: taken under a lease, held, watched, ended, and taken again when a process died.

Not here: what a check looks at and what follows from its verdict (`checks`); what a question costs (`judging`).
"""
