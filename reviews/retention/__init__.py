"""What is let go of: pruning and erasing conversations, erasing items of datasets, redacting what is exported.

Not here: who may ask for it (`access`), what an export writes (`datasets`).
"""
