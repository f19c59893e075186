"""What every object around a language model shares: it is named, priced and shared out as that model is."""

from __future__ import annotations

from collections.abc import Iterable

from polyhop.models.accounting import Prices, Request, forecast_of, most_of
from polyhop.models.side_by_side import concurrency_of
from polyhop.ports import LanguageModel
from polyhop.types import Cost


class Around:
    """Stands before a language model; how requests are passed on is what each subclass adds."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """That of the model."""
        return self.model.name

    @property
    def concurrency(self) -> int:
        """How many requests the model takes at once."""
        return concurrency_of(self.model)

    @property
    def prices(self) -> Prices:
        """What a million tokens cost; nothing where the model does not say."""
        prices: Prices = getattr(self.model, "prices", Prices())
        return prices

    def most(self, request: Request) -> Cost:
        """The most that one request may cost."""
        return most_of(self.model, request)

    def forecast(self, requests: Iterable[Request]) -> Cost:
        """The most that requests would cost now; a model that can tell leaves out those whose answers it keeps."""
        return forecast_of(self.model, requests)
