"""Texts in quotation marks."""

import re

# Between two letters a mark is an apostrophe: it neither opens nor closes.
_APOSTROPHE = r"(?<=\w)['’](?=\w)"
# A quotation within one in the same marks: a space stands before it, and its end touches no word.
_INNER = r"(?<=\s)'(?=\w)[^'\n]{1,200}(?<=\S)'(?!\w)"

QUOTATION = re.compile(
    rf"(?<!\w)'(?=\S)(?P<single>(?:[^'\n]|{_APOSTROPHE}|{_INNER})+)'(?!\w)"
    r"|\"(?P<double>[^\"\n]+)\"|“(?P<curly>[^“”\n]+)”"
    rf"|‘(?P<high>(?:[^‘’\n]|{_APOSTROPHE})+)’(?!\w)|«(?P<angle>[^«»\n]+)»"
)
"""A quotation in any marks, as it stands in a text; its only filled group is what stands between the marks.

It stays within one line, since a mark that is never closed would swallow the rest of a message.
"""

LISTED_OPTION = re.compile(r"\"([\w .-]{1,40})\"|'([\w .-]{1,40})'|`([\w .-]{1,40})`")
"""One member of a list of options in a schema's description, in one of three groups.

Options are short words; backticks are how Markdown marks them.
"""
