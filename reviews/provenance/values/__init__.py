"""How numbers, days, money, phones and identifiers are written, by CLDR and libraries.

Where they stand is `data` and `terms`.
"""
