"""The files of the page, as a browser gets them: their types, their copies, and the rules that they come with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from polyhop.serve import page_routes
from polyhop.serve.page_routes import assets

FOLDER = Path(page_routes.__file__).parent / "page"
SOURCES = sorted(path for path in FOLDER.rglob("*") if path.is_file())
SCRIPTS = [path for path in SOURCES if path.suffix == ".js"]
COLOUR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)")


@pytest.fixture(scope="module")
def client() -> TestClient:
    """A server that has the page and nothing else."""
    app = FastAPI()
    app.include_router(page_routes.router)
    return TestClient(app)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/page/app.js", "text/javascript; charset=utf-8"),
        ("/page/style/base.css", "text/css; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml"),
        ("/favicon.ico", "image/svg+xml"),  # asked for where an answer is no page
    ],
)
def test_each_file_comes_with_its_type_and_the_rules(client: TestClient, path: str, kind: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == kind
    assert response.headers["x-content-type-options"] == "nosniff"
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


def test_a_copy_that_is_current_is_not_sent_again(client: TestClient) -> None:
    first = client.get("/page/app.js")
    again = client.get("/page/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/page/app.js", headers={"If-None-Match": '"old"'}).status_code == 200
    assert client.head("/").status_code == 200


@pytest.mark.parametrize(
    "name", ["none.js", "../page_routes.py", "..%2fpage_routes.py", "%2e%2e/%2e%2e/settings.py", "/etc/passwd", "style"]
)
def test_no_other_file_is_ever_sent(client: TestClient, name: str) -> None:
    assert client.get(f"/page/{name}").status_code == 404


def test_every_file_that_the_page_names_is_there() -> None:
    """A name that leads nowhere would leave the page blank in a browser, and pass every other test."""
    named = set(re.findall(r'(?:href|src)="page/([^"]+)"', (FOLDER / "index.html").read_text(encoding="utf-8")))
    assert named <= set(assets())
    for script in SCRIPTS:
        for name in re.findall(r'from "(\.[^"]+)"', script.read_text(encoding="utf-8")):
            assert (script.parent / name).resolve().is_file(), f"{script.name}: {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_stay_small(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("\n") <= 400


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_can_make_markup_of_a_text(path: Path) -> None:
    """The policy forbids it as well; here it is found before a browser runs."""
    source = path.read_text(encoding="utf-8")
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\(|Function\("
    )
    assert not re.search(forbidden, source)
    assert not re.search(r"\.style\s*=|\"style\"|cssText", source)  # single properties are set, no rules of others


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_page_needs_no_other_host(path: Path) -> None:
    hosts = set(re.findall(r"https?://[\w.]+", path.read_text(encoding="utf-8")))
    assert hosts <= {"http://www.w3.org"}  # the name of SVG, which nobody fetches


def luminance(colour: str) -> float:
    """Of a colour as #rrggbb, as WCAG 2.2 defines it."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_have_the_contrast_that_wcag_asks_for(theme: int) -> None:
    """4.5 to 1 for text (AA), 3 to 1 for the borders of controls."""
    tokens = (FOLDER / "style" / "tokens.css").read_text(encoding="utf-8")
    colours = {name: pair[theme] for name, *pair in COLOUR.findall(tokens)}

    def contrast(one: str, other: str) -> float:
        low, high = sorted((luminance(colours[one]), luminance(colours[other])))
        return (high + 0.05) / (low + 0.05)

    grounds = ("paper", "surface", "sunken")
    for text in ("ink", "muted", "accent", "good", "warn", "bad"):
        for ground in grounds:
            assert contrast(text, ground) >= 4.5, (text, ground)
    for text, ground in (("on-accent", "accent"), ("on-mark", "mark"), ("accent", "accent-soft"), ("bad", "bad-soft")):
        assert contrast(text, ground) >= 4.5, (text, ground)
    for ground in grounds:
        assert contrast("border", ground) >= 3, ground
