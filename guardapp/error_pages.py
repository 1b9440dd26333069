"""What Django's debug page, which exists in development alone, leaves out."""

import re
from typing import Final

from django.views.debug import SafeExceptionReporterFilter

_DJANGOS: Final = SafeExceptionReporterFilter.hidden_settings


class ReportFilter(SafeExceptionReporterFilter):
    """Hides addresses that hold passwords, and the configuration as a whole, beside what Django hides."""

    hidden_settings = re.compile(rf"{_DJANGOS.pattern}|_URL$|^GUARD$", _DJANGOS.flags)
