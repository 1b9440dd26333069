"""Texts in quotation marks: the patterns of every reader that looks for them or past them.

Each pattern stays within one line, since a mark that is never closed would swallow the rest of a message. They differ
in what a missed or a mistaken quotation costs their reader, which is said beside each.
"""

import re

# Between two letters a ' is an apostrophe: it neither opens nor closes.
_APOSTROPHE = r"(?<=\w)'(?=\w)"
# Between two letters the mark is an apostrophe and closes nothing.
_HIGH_APOSTROPHE = r"(?<=\w)’(?=\w)"

QUOTATION = re.compile(
    rf"(?<!\w)'(?=\S)(?P<single>(?:[^'\n]|{_APOSTROPHE})+)'(?!\w)"
    r"|\"(?P<double>[^\"\n]+)\"|“(?P<curly>[^“”\n]+)”"
    rf"|‘(?P<high>(?:[^‘’\n]|{_HIGH_APOSTROPHE})+)’(?!\w)|«(?P<angle>[^«»\n]+)»"
)
"""A quotation in any marks, as it stands in a text; its only filled group is what stands between the marks.

For texts that are dictated to the letter: no mark may be missed and no character may be lost.
"""

FOLDED_QUOTATION = re.compile(rf"(?<!\w)'(?:[^'\n]|{_APOSTROPHE}){{1,400}}'(?!\w)|\"[^\"\n]{{1,400}}\"")
"""A quotation in a folded text, where typographic marks have become ' and ".

Its inside is masked for good, so that a stray mark may hide a sentence (400 characters) and never a whole message.
"""

REPORTED_SPEECH = re.compile(r"(?<!\w)'[^'\n]{2,}?'(?!\w)|\"[^\"\n]{2,}\"|“[^”\n]{2,}”|‘[^’\n]{2,}’")
"""What somebody else is to read, left out when a request's own verbs are looked for.

A single character in marks is an option or a label, not speech. It ends at the first mark that may close it: to leave
out too little only offers one verb more.
"""

LISTED_OPTION = re.compile(r"\"([\w .-]{1,40})\"|'([\w .-]{1,40})'|`([\w .-]{1,40})`")
"""One member of a list of options in a schema's description, in one of three groups.

Options are short words; backticks are how Markdown marks them.
"""
