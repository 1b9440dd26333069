"""What is let go of: pruning and erasing conversations, erasing items of datasets, files left
behind, redacting what is exported.

Not here: who may ask for it (`access`), what an export writes (`datasets`).
"""
