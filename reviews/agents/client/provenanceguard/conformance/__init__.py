"""Whether a client of the guard keeps its promises, tried with a test key against a guard that runs.

```python
for result in check_client("https://guard.example", "pgr_test_…", my_client):
    print(result.name, result.has_held, result.observed)
```

`my_client(trial)` proposes `trial.call` at `trial.url`, runs `trial.function(**arguments)` if it may, and returns what
the model is told; what it raises counts as told. So an adapter is tried as its user has it. Decisions are forced and
trouble is made on the way to the guard: the client knows of neither.
"""

from .api_checks import check_api
from .client_checks import Client, Trial, check_client, run_with_guard
from .results import Result, UnusableTestKeyError, require_test_key

__all__ = [
    "Client",
    "Result",
    "Trial",
    "UnusableTestKeyError",
    "check_api",
    "check_client",
    "require_test_key",
    "run_with_guard",
]
