"""`python -m guardapp.healthcheck`: asks the site of this container whether it lives. Ends with an error if not."""

import os
from typing import Final

import httpx

ADDRESS: Final = "http://127.0.0.1:8000/healthz"


def main() -> None:
    """Raise what httpx raises when the answer is not a good one."""
    # The site answers to its own names only, and from in here it is called by none of them.
    name = os.environ.get("ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip("*.") or "localhost"
    # Below the five seconds the container's health check gives this command.
    httpx.get(ADDRESS, headers={"Host": name}, timeout=4).raise_for_status()


if __name__ == "__main__":
    main()
