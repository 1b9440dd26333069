"""Words that say a value to whoever reads them. A judge names such words; code holds the value against them.

Never a proof by itself: `terms.terms.Reading` speaks for a value only where a judge names it.
"""
