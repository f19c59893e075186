"""Makes docs/images/page.png: the server's page with a demo question, its hops, and the document of the first one.

    PYTHONPATH=. python docs/make_page_picture.py

It needs what the journeys in tests/serve need: Playwright and a Chromium; the typeface is Inter where it is installed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from polyhop.engine import Polyhop
from tests.worlds.browser import ask, chromium, opened
from tests.worlds.documents import BRIDGE, EXAMPLES
from tests.worlds.serving import serving

TARGET = Path(__file__).parent / "images" / "page.png"
SIZE = (1280, 860)


def main() -> None:
    """Ask, open the document of the first hop, and take the picture."""
    width, height = SIZE
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "polyhop.index"
        with Polyhop(index) as engine:
            engine.index(EXAMPLES)
        with (
            serving(index) as served,
            chromium() as browser,
            opened(browser, served.url, width=width, height=height) as page,
        ):
            ask(page, BRIDGE)
            page.locator(".hop .quotation").first.click()
            page.locator(".source mark").wait_for()
            page.mouse.move(0, 0)
            page.screenshot(path=TARGET)


if __name__ == "__main__":
    main()
