"""Templates without their indentation, which is for those who read the source and was a third of a long page."""

import re
from typing import Final

from django.template import Origin
from django.template.loaders import filesystem

# A line break stays where one was: it is a space to a browser, and counts the lines in a traceback.
_INDENTATION: Final = re.compile(r"\n[ \t]+")
# Where white space shows, it stays.
_SHOWN: Final = ("<pre", "<textarea")


class Loader(filesystem.Loader):
    """The templates of the product's own directory."""

    def get_contents(self, origin: Origin) -> str:
        """The source, its lines moved to the margin. Raises `TemplateDoesNotExist`."""
        source: str = super().get_contents(origin)
        return source if any(tag in source for tag in _SHOWN) else _INDENTATION.sub("\n", source)
