"""Django's settings. What an operator may choose comes from `guardapp.config`; everything else is fixed here."""

import os
import warnings
from pathlib import Path
from typing import Any

import dj_database_url
import structlog
from csp.constants import NONE, SELF

from guardapp import accounts
from guardapp.accounts import *  # noqa: F403  # a subject of its own: people, sign-in, mail
from guardapp.beat_schedule import beat_schedule
from guardapp.config import ConfigurationError, config
from guardapp.secret_redaction import redact_rendered

BASE_DIR = Path(__file__).resolve().parent.parent
_config = config()

SECRET_KEY = _config.secret_key.get_secret_value()
SECRET_KEY_FALLBACKS = [secret.get_secret_value() for secret in _config.secret_key_fallbacks]
DEBUG = _config.debug
DEFAULT_EXCEPTION_REPORTER_FILTER = "guardapp.error_pages.ReportFilter"
ALLOWED_HOSTS = list(_config.allowed_hosts)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "template_partials",
    "corsheaders",
    "csp",
    "axes",
    *accounts.APPS,
    "reviews.apps.ReviewsConfig",
]

# The order matters: a request has its name before anything can go wrong with it; static files are answered before
# anything costs a query; the security headers go around them too. What a page of another site asks first is answered
# before anything could redirect it. Axes comes last, as its documentation asks.
MIDDLEWARE = [
    "reviews.api.request_ids.named_requests",
    "reviews.api.trailing_slash.canonical_paths",
    "corsheaders.middleware.CorsMiddleware",
    "reviews.api.compression.CompressedAnswers",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "guardapp.content_policy.content_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "reviews.desk.form_addresses.explained_refusals",
    "reviews.desk.accounts.single_sign_on.ProviderFailures",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "guardapp.urls"
ASGI_APPLICATION = "guardapp.asgi.application"
WSGI_APPLICATION = "guardapp.wsgi.application"

# The order of Django's own: the directory first, so that it may stand before a package's template.
_LOADERS = ["guardapp.templating.Loader", "django.template.loaders.app_directories.Loader"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [("template_partials.loader.Loader", [("django.template.loaders.cached.Loader", _LOADERS)])],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reviews.desk.navigation.navigation",
            ],
        },
    },
]

DATABASES = {
    "default": {
        **dj_database_url.parse(_config.database_url, engine="guardapp.database"),
        # Use cases open their own, as short as they can: no lock is held while an answer is written.
        "ATOMIC_REQUESTS": False,
        # At most 32 for each process: the server takes 300, and there are a web server, a worker for the sweep, beat, a
        # shell, and the processes of checks, which need two each.
        # The pool tries a server that is away ever more rarely; giving up in time, it starts over with a later request.
        "OPTIONS": {
            "pool": {"min_size": 1, "max_size": 32, "max_idle": 30, "timeout": 15, "reconnect_timeout": 15},
            # Statements of `reviews.models.pipeline` are prepared at their first use, the ORM's never.
            "prepare_threshold": 0,
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
# One language: texts to people stand in the templates.
USE_I18N = False

# WhiteNoise hands small files over as synchronous iterators; under ASGI Django warns at each of them.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Serve straight from the packages and `static/`, so that no collect step stands between a clone and a running site.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = _config.debug

# Uploaded collections and exports. No address leads to them: a view hands a file out after it has looked who asks.
MEDIA_ROOT = BASE_DIR / _config.files_folder
FILE_UPLOAD_PERMISSIONS = 0o600
# Beside them and not in the machine's own folder for such files, which in a container is memory.
FILE_UPLOAD_TEMP_DIR = MEDIA_ROOT / "scratch"
FILE_UPLOAD_HANDLERS = ["reviews.desk.datasets.upload.BoundedUploadHandler"]

CSRF_FAILURE_VIEW = "reviews.desk.sign_in_again.csrf_failure"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _config.https
SECURE_SSL_REDIRECT = _config.https
# Probes come from inside, over plain HTTP, and follow no redirect.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# No header is believed here. TLS ends at a proxy: `guardapp.asgi` takes scheme and client from TRUSTED_PROXIES only.
SECURE_PROXY_SSL_HEADER = None
# A year, the usual length: long enough that a browser which comes by now and then never asks in plain text.
SECURE_HSTS_SECONDS = 31_536_000 if _config.https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = _config.https
SECURE_HSTS_PRELOAD = _config.https and _config.hsts_preload
# Preloading is an operator's choice (HSTS_PRELOAD), and no fault where it was not made.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# What agents and tools wrote is shown on these pages: nothing in it may run, load or post anywhere.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
# Pages of the sites that an operator names may call the API with a key. No cookie is sent or believed there, and every
# other address stays closed to them.
CORS_ALLOWED_ORIGINS = list(_config.cors_origins)
CORS_URLS_REGEX = r"^/api/"
CORS_ALLOW_METHODS = ["GET", "PATCH", "POST", "PUT"]
CORS_ALLOW_HEADERS = [
    "accept",
    "authorization",
    "content-encoding",
    "content-type",
    "idempotency-key",
    "if-none-match",
    "last-event-id",
    "prefer",
    "x-request-id",
]
# Beside the few that every page may read: what the API's document tells of, and how a field's end is announced.
CORS_EXPOSE_HEADERS = [
    "Continue-Behind",
    "Continue-From",
    "Deprecation",
    "ETag",
    "Idempotency-Replayed",
    "Link",
    "Location",
    "Preference-Applied",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Sunset",
    "Tools-Digest",
    "X-Request-ID",
]
DATA_UPLOAD_MAX_MEMORY_SIZE = _config.max_body_bytes
# The guard profile's page sends two fields a tool and five a critical action: 500 ratings, 100 critical actions and a
# thousand standing orders are 3,500, beside some sixty others.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4_000

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["reviews.api.authentication.AgentKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["reviews.api.parsers.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "reviews.api.problems.problem_response",
    # Agents are no Django users: a request without a key has no user at all.
    "UNAUTHENTICATED_USER": None,
    # The format is chosen by the Accept header alone.
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "ProvenanceGuard Review",
    "DESCRIPTION": "Submit each proposed tool call; run only what is approved.",
    "VERSION": "1",
    # The document describes the API, not itself.
    "SERVE_INCLUDE_SCHEMA": False,
    # From 3.1 on, OpenAPI's schemas are JSON Schema, which is what pydantic writes.
    "OAS_VERSION": "3.1.0",
    # The first is the library's own.
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "reviews.api.docs.openapi.require_bodies",
        "reviews.api.docs.openapi.inline_any_json",
    ],
}

CELERY_BROKER_URL = _config.redis_url
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Redis hands a message out again when it was not acknowledged within the hour, far above any check's time and
# any delay of a retry. A broker that does not connect in two seconds or answer in ten is treated as away.
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "socket_timeout": 10, "socket_connect_timeout": 2}
# A submission must not hang on a dead broker: the row is stored, and the sweep enqueues it again.
CELERY_TASK_PUBLISH_RETRY = False
# Results stand in the database.
CELERY_TASK_IGNORE_RESULT = True
# Acknowledged when done, and handed out again when the worker died: tasks are idempotent.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# A worker's process ends itself at the deadline of the check it has taken, which is known only then. This is for a
# process that could not: above the longest deadline that a profile may set.
CELERY_TASK_TIME_LIMIT = 1800
# No more than a worker has processes for: a message that it holds back is one no other worker can take.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Two a core, because a check also waits for the database and for a model; four keep a few slow checks from stopping all
# others on a small machine. Workers of other queues name their own number.
CELERY_WORKER_CONCURRENCY = _config.check_processes or max(4, 2 * (os.cpu_count() or 1))
# The loggers below are the ones we want.
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Two queues with a worker each: sweep and heartbeat must not wait behind checks, which wait for a model.
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "reviews.tasks.run_due_jobs": {"queue": "checks"},
    "reviews.tasks.settle_action": {"queue": "checks"},
}
CELERY_BEAT_SCHEDULE = beat_schedule(_config)
CELERY_TIMEZONE = "UTC"

REDIS_URL = _config.redis_url
DEMO = _config.demo
GUARD = _config
"""The validated configuration, for code that needs one of its values."""

if _config.metrics_directory:
    # Read by prometheus_client when it is first imported, which is behind the settings in every process.
    try:
        Path(_config.metrics_directory).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"METRICS_DIRECTORY cannot be made: {error.strerror}") from None
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = _config.metrics_directory

# What every line tells, whoever wrote it: the request's name, and in a worker the check's; how bad, where and when.
_LINE: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]
# Lines with fields of their own go through the standard library too, so that one handler writes everything.
structlog.configure(
    processors=[*_LINE, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    wrapper_class=structlog.stdlib.BoundLogger,
)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _LINE,
            # Redacted is the line as it is written: a secret may stand in any field, in a list, or in a traceback.
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.dev.ConsoleRenderer() if _config.debug else structlog.processors.JSONRenderer(),
                redact_rendered,
            ],
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": _config.log_level},
    "loggers": {
        # These log each attempt and each request, which the judge's own records hold already.
        "axes": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        # The web server has a handler of its own, whose lines nobody would redact.
        "_granian": {"handlers": ["console"], "propagate": False},
    },
}
