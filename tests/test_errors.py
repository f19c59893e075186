"""Errors travel whole: worker processes and pools hand them on, and what they carry arrives."""

from __future__ import annotations

import copy
import pickle

import pytest

from polyhop.errors import EndpointError, IndexMissing, LimitReached, Overloaded, PolyhopError
from polyhop.models.accounting import WastedOutput
from polyhop.types import Cost


@pytest.mark.parametrize(
    "error",
    [
        IndexMissing("There is no index."),
        EndpointError("It refuses.", remedy="Pay.", status=402),
        LimitReached("Enough for today.", retry_after=60),
        Overloaded("Too many.", retry_after=3),
        WastedOutput("Nothing.", text="{", cost=Cost(llm_calls=1)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_pickled_and_copied_with_all_it_carries(error: PolyhopError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):  # noqa: S301
        assert type(again) is type(error)
        assert (str(again), again.remedy, vars(again)) == (str(error), error.remedy, vars(error))
