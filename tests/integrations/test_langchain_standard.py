"""The retriever by LangChain's own tests for retrievers, which CI does not install: ``pip install langchain-tests``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from polyhop.engine import Polyhop
from tests.worlds.settings import QUICK

pytest.importorskip("langchain_core", reason="needs the extra 'langchain'")
standard = pytest.importorskip("langchain_tests.integration_tests", reason="needs the package langchain-tests")

from polyhop.integrations.langchain import PolyhopRetriever  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning"), pytest.mark.anyio]


class TestByTheirStandard(standard.RetrieversIntegrationTests):  # type: ignore[misc, name-defined]
    """What LangChain asks of every retriever."""

    opened: ClassVar[Polyhop]

    @pytest.fixture(scope="class")
    def anyio_backend(self) -> str:
        """What runs those of them that are coroutines."""
        return "asyncio"

    @pytest.fixture(scope="class", autouse=True)
    def _index(self, world_index: Path) -> Iterator[None]:
        with Polyhop(world_index, settings=QUICK) as engine:
            type(self).opened = engine
            yield

    @property
    def retriever_constructor(self) -> type[PolyhopRetriever]:
        """What is tested."""
        return PolyhopRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        """How it is made."""
        return {"engine": self.opened, "strategy": "bm25"}

    @property
    def retriever_query_example(self) -> str:
        """What it is asked."""
        return "the lighthouse of Harrowmere"
