"""What a model costs, as the installation is configured."""

from django.conf import settings

from reviews.provenance.judges import Prices


def prices_of(model: str) -> Prices | None:
    """The model's price in US dollars for a million tokens; None where GUARD_PRICES names none."""
    # No table of our own: a price that is out of date would let a budget be overspent.
    price = settings.GUARD.guard_prices.get(model)
    return Prices(price.prompt, price.completion) if price else None
