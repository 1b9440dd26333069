"""The annotator's workspace and the pages of a campaign.

Agreement and assignment are computed in `reviews.annotation`.
"""
