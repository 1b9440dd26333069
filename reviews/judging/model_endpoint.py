"""The installation's endpoint as a judge: its address and key, and how each model is asked."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from django.conf import settings
from pydantic import SecretStr

from reviews.judging.prices import prices_of
from reviews.provenance.judges import ModelOptions

if TYPE_CHECKING:
    from reviews.provenance.judges.openai import OpenAIJudge

# Two cover a dropped connection and a short overload. What lasts longer is the breaker's and the next attempt's.
RETRIES: Final = 2
"""By the endpoint's client, within one question."""
READINGS: Final = 2
"""How often a question is asked whose answer cannot be read."""


def options_of(model: str, *, is_sampled: bool = False) -> ModelOptions:
    """How the installation asks this model: by GUARD_MODEL_OPTIONS, else as most models take it.

    With `is_sampled` at the endpoint's default temperature, whatever is configured.
    """
    configured = settings.GUARD.guard_model_options.get(model)
    options = ModelOptions(**configured.model_dump()) if configured else ModelOptions()
    return replace(options, temperature=None) if is_sampled else options


def build_endpoint(
    model: str,
    *,
    key: SecretStr | None = None,
    options: ModelOptions | None = None,
    timeout: float | None = None,
    max_retries: int = RETRIES,
    readings: int = READINGS,
) -> "OpenAIJudge":
    """The model at the configured address, under the first key unless another is given."""
    # Not at the top: its client takes as long to import as all of ours, and only who asks a model needs it.
    from reviews.provenance.judges.openai import OpenAIJudge  # noqa: PLC0415

    guard = settings.GUARD
    used = key or guard.openai_api_key
    return OpenAIJudge(
        model=model,
        api_key=used.get_secret_value() if used else None,
        base_url=guard.openai_base_url,
        timeout=timeout or guard.judge_timeout_seconds,
        max_retries=max_retries,
        options=options or options_of(model),
        prices=prices_of(model),
        readings=readings,
    )
