"""What a model costs, by the installation's word."""

from django.conf import settings

from reviews.provenance.judges import (
    Prices,
)


def prices_of(model: str) -> Prices | None:
    """What the installation says the model costs."""
    price = settings.GUARD.guard_prices.get(model)
    return Prices(price.prompt, price.completion) if price else None
