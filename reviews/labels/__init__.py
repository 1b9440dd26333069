"""The operational label: what a reviewer's decision says about a call.

Not here: blind labels (`annotation`), datasets and their exports (`datasets`).
"""
