"""`python -m guardapp.standby granian|celery ARGUMENT…`: import everything, wait for a line, then be that program.

A program that dies is away for as long as its successor imports, which takes seconds. One that stands by has done so:
it only waits to be told, and ends when whoever would tell it does (`guardapp.supervisor`).
"""

import gc
import os
import runpy
import sys
from collections.abc import Sequence


def main() -> None:
    """Stand by, then begin."""
    command = sys.argv[1:]
    preload_program(command[0])
    if sys.stdin.readline():
        become_program(command)


def become_program(command: Sequence[str]) -> None:
    """Be this program, as `python -m` would make it."""
    sys.argv = list(command)
    # As the main module, which processes that are started from here look at: they must not run this one again.
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)


def preload_program(program: str) -> None:
    """Import what the processes need that this program forks. Opens no connection and starts no thread."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guardapp.settings")
    # Imported here, and not by every process that finds this module as its main one.
    import django  # noqa: PLC0415

    django.setup(set_prefix=False)
    {"granian": _import_site, "celery": _import_tasks}[program]()
    # Kept for ever: a process that is forked now need not look at it, which would give it a copy of its own.
    gc.collect()
    gc.freeze()


def _import_site() -> None:
    from django.urls import get_resolver  # noqa: PLC0415

    import reviews.api.longpoll.long_poll  # noqa: F401, PLC0415

    # Whatever asks for an address by its name has all views imported, and with them nearly everything.
    _ = get_resolver().reverse_dict


def _import_tasks() -> None:
    from guardapp.celery import app  # noqa: PLC0415
    from reviews.scheduling import warmup  # noqa: PLC0415

    app.loader.import_default_modules()
    warmup.warm_up_before_fork()


if __name__ == "__main__":
    main()
