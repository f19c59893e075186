r"""The retriever by LangChain's own tests for retrievers.

They come with plugins of pytest that want settings of their own, and are no part of what CI installs:

    pip install langchain-tests
    pytest tests/integrations/test_langchain_standard.py \
        -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function
"""

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

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class TestByTheirStandard(standard.RetrieversIntegrationTests):  # type: ignore[misc, name-defined]
    """What LangChain asks of every retriever."""

    opened: ClassVar[Polyhop]

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
