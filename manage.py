#!/usr/bin/env python
"""Django's command line."""

import os
import sys

from django.core.management import execute_from_command_line

from guardapp import demo_environment

if __name__ == "__main__":
    demo_environment.adopt()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")
    execute_from_command_line(sys.argv)
