"""Blind judgements by people: campaigns, assignment, answers, adjudication, agreement, the gold label of an item.

Not here: what is judged (`datasets`), the label of a reviewer's decision (`labels`), the coefficients
(`evaluation.measures`).
"""
