"""A browser a module: a running one would disturb tests that start event loops of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.worlds.browser import chromium, opened
from tests.worlds.serving import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser, or a skipped test."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """The page of the world, which is not to be changed."""
    with opened(browser, served.url) as page:
        yield page
