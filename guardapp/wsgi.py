"""WSGI entry point. Long-poll needs the ASGI one."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")

application = get_wsgi_application()
