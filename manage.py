#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from guardapp import demo_environment
from guardapp.config import ConfigurationError

if __name__ == "__main__":
    demo_environment.adopt_variables()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")
    try:
        execute_from_command_line(sys.argv)
    except ConfigurationError as error:
        # It names the variables; where it was raised tells an operator nothing.
        sys.exit(str(error))
