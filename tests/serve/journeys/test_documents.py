"""A user brings documents, asks them, and takes them away again; each workspace has its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.worlds.browser import ask, opened
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def upload(page: Page, url: str, files: list[Path], left_out: Sequence[Path] = ()) -> None:
    """Choose files on the page, and wait until all of them are listed."""
    page.goto(f"{url}/#/documents")
    page.set_input_files("#files", [*files, *left_out])
    page.locator(".state[data-state=done]").first.wait_for()
    page.locator(".listing tbody tr").nth(len(files) - 1).wait_for()


def test_documents_are_uploaded_asked_and_deleted(browser: Browser, tmp_path: Path) -> None:
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())
    with serving(tmp_path / "new.index") as served, opened(browser, served.url) as page:
        picture = tmp_path / "photo.xyz"
        picture.write_bytes(b"\x00\x01")
        upload(page, served.url, files, left_out=[picture])
        page.get_by_text("1 file skipped, and why").first.click()
        assert "photo.xyz" in page.locator(".skipped").first.inner_text()

        page.goto(f"{served.url}/#/ask")
        ask(page, HARBOUR_BRIDGE)
        page.locator(".quotation").last.click()
        page.wait_for_selector(".source mark")
        assert page.locator(".source mark").inner_text() in " ".join(HARBOUR.values())
        page.keyboard.press("Escape")

        page.goto(f"{served.url}/#/documents")
        page.fill("#find", "ada")
        page.locator(".listing tbody tr").nth(1).wait_for(state="detached")
        page.locator(".listing tbody button").last.click()
        page.locator("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("No document matches").wait_for()
        page.fill("#find", "")
        page.locator(".listing tbody tr").nth(2).wait_for()
        assert page.locator(".listing tbody tr").count() == 3


def test_each_workspace_has_its_own_documents(browser: Browser, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "spaces" / name).mkdir(parents=True)
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())[:1]
    with serving(workspaces=tmp_path / "spaces") as served, opened(browser, served.url) as page:
        page.locator("#workspace-choice").wait_for()
        page.select_option("#workspace-choice", "one")
        upload(page, served.url, files)
        page.select_option("#workspace-choice", "two")
        page.get_by_text("There are no documents yet.").wait_for()
        page.select_option("#workspace-choice", "one")
        page.locator(".listing tbody tr").wait_for()


def test_threads_of_a_workspace_are_forgotten_and_of_no_other(browser: Browser, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / "spaces" / name).mkdir(parents=True)
    threads = [{"id": name, "workspace": name, "turns": [{"question": "Why?", "answers": []}]} for name in ("one", "two")]
    with serving(workspaces=tmp_path / "spaces") as served, opened(browser, served.url) as page:
        page.evaluate("threads => localStorage.setItem('polyhop.threads', JSON.stringify(threads))", threads)
        page.goto(f"{served.url}/#/settings")
        page.select_option("#workspace-choice", "two")
        page.get_by_text("1 thread of the workspace “two”").wait_for()
        page.get_by_role("button", name="Forget all threads").click()
        page.get_by_text("0 threads of the workspace “two”").wait_for()
        page.select_option("#workspace-choice", "one")
        page.get_by_text("1 thread of the workspace “one”").wait_for()
