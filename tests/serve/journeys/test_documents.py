"""A user brings documents, asks them, and takes them away again; each workspace has its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

from tests.worlds.browser import ask, opened
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.serving import serving
from tests.worlds.waiting import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

SPACES = ("one", "two")


def spaces(folder: Path) -> Path:
    """A folder of workspaces, which are empty."""
    for name in SPACES:
        (folder / "spaces" / name).mkdir(parents=True)
    return folder / "spaces"


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
        page.get_by_text("1 file skipped, and why").first.wait_for()
        assert "photo.xyz" in page.locator(".skipped").first.inner_text()

        page.goto(f"{served.url}/#/ask")
        ask(page, HARBOUR_BRIDGE)
        page.locator(".quotation").last.click()
        page.wait_for_selector(".source mark")
        assert page.locator(".source mark").inner_text() in " ".join(HARBOUR.values())
        page.keyboard.press("Escape")

        page.goto(f"{served.url}/#/documents")
        page.locator(".listing tbody tr", has_text="ada_brisk").wait_for()  # the list is there, and then shorter
        page.fill("#find", "ada")
        page.locator(".listing tbody tr").nth(1).wait_for(state="detached")
        page.locator(".listing tbody button").last.click()
        page.locator("dialog").get_by_role("button", name="Delete").click()
        page.get_by_text("No document matches").wait_for()
        assert "Removing documents: ada_brisk.txt" in page.locator(".job").first.inner_text()
        page.fill("#find", "")
        page.locator(".listing tbody tr").nth(2).wait_for()
        assert page.locator(".listing tbody tr").count() == 3
        page.reload()
        page.get_by_text("Removing documents: ada_brisk.txt").wait_for()  # the job knows it


def test_a_file_that_is_too_large_is_named_and_the_others_are_sent(browser: Browser, tmp_path: Path) -> None:
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())
    large = tmp_path / "large.txt"
    large.write_text("Rain. " * 20_000)
    with serving(tmp_path / "new.index", upload=50_000) as served, opened(browser, served.url) as page:
        page.goto(f"{served.url}/#/documents")
        page.set_input_files("#files", [files[0], large, *files[1:]])
        page.locator(".alert", has_text="Not sent, because too large: large.txt.").wait_for()
        page.locator(".listing tbody tr").nth(len(files) - 1).wait_for()


def test_a_portion_that_is_not_read_keeps_no_other_from_being_sent(browser: Browser, tmp_path: Path) -> None:
    pictures = [f"photo {number:03}.xyz" for number in range(100)]  # as many as a request has
    files = sorted(
        write(tmp_path / "harbour", {**dict.fromkeys(pictures, "no text"), "tide.txt": "It rises."}).iterdir()
    )
    with serving(tmp_path / "new.index") as served, opened(browser, served.url) as page:
        page.goto(f"{served.url}/#/documents")
        page.set_input_files("#files", files)
        page.locator(".alert", has_text="None of the files is read").wait_for()
        page.locator(".listing tbody tr", has_text="tide.txt").wait_for()


def test_what_is_sent_at_once_has_a_panel_each(browser: Browser, tmp_path: Path) -> None:
    held: list[Route] = []
    with serving(tmp_path / "new.index") as served, opened(browser, served.url) as page:
        page.goto(f"{served.url}/#/documents")
        page.route("**/v1/documents", lambda route: held.append(route))
        for number, name in enumerate(("tide.txt", "rain.txt")):
            page.set_input_files("#files", {"name": name, "mimeType": "text/plain", "buffer": name.encode()})
            page.locator(".sending").nth(number).wait_for()
        while len(held) < 2:
            page.wait_for_timeout(50)
        held[0].continue_()
        page.locator(".sending").nth(1).wait_for(state="detached")
        assert page.locator(".sending").count() == 1
        held[1].continue_()
        page.locator(".listing tbody tr").nth(1).wait_for()


def test_each_workspace_has_its_own_documents(browser: Browser, tmp_path: Path) -> None:
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())[:1]
    with serving(workspaces=spaces(tmp_path)) as served, opened(browser, served.url) as page:
        page.locator("#workspace-choice").wait_for()
        page.select_option("#workspace-choice", "one")
        upload(page, served.url, files)
        page.select_option("#workspace-choice", "two")
        page.get_by_text("There are no documents yet.").wait_for()
        page.select_option("#workspace-choice", "one")
        page.locator(".listing tbody tr").wait_for()


def test_threads_of_a_workspace_are_forgotten_and_of_no_other(browser: Browser, tmp_path: Path) -> None:
    threads = [{"id": name, "workspace": name, "turns": [{"question": "Why?", "answers": []}]} for name in SPACES]
    with serving(workspaces=spaces(tmp_path)) as served, opened(browser, served.url) as page:
        page.evaluate("threads => localStorage.setItem('polyhop.threads', JSON.stringify(threads))", threads)
        page.goto(f"{served.url}/#/settings")
        page.select_option("#workspace-choice", "two")
        page.get_by_text("1 thread of the workspace “two”").wait_for()
        page.get_by_role("button", name="Forget all threads").click()
        page.get_by_text("0 threads of the workspace “two”").wait_for()
        page.select_option("#workspace-choice", "one")
        page.get_by_text("1 thread of the workspace “one”").wait_for()


def test_what_was_indexed_before_the_page_looked_is_listed(browser: Browser, tmp_path: Path) -> None:
    """A job that the page never saw under way is over all the same."""
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())
    with serving(tmp_path / "new.index") as served, opened(browser, served.url) as page:
        page.goto(f"{served.url}/#/documents")
        page.get_by_text("There are no documents yet").wait_for()

        def over() -> bool:
            return all(job["state"] == "done" for job in served.client.get("/v1/jobs").json()["jobs"])

        def late(route: Route) -> None:
            until(over)
            route.continue_()

        page.route("**/v1/jobs*", late)
        page.set_input_files("#files", files)
        page.locator(".listing tbody tr").nth(len(files) - 1).wait_for()


def test_a_link_brings_its_workspace_along(browser: Browser, tmp_path: Path) -> None:
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())
    with serving(workspaces=spaces(tmp_path)) as served, opened(browser, served.url) as page:
        page.locator("#workspace-choice").wait_for()
        page.select_option("#workspace-choice", "two")
        upload(page, served.url, files)
        page.goto(f"{served.url}/#/ask")
        ask(page, HARBOUR_BRIDGE)
        page.get_by_role("button", name="Copy link").click()
        link = page.evaluate("navigator.clipboard.readText()")
        page.select_option("#workspace-choice", "one")
        page.get_by_text("Nothing to ask yet").wait_for()
        page.goto(link)
        page.get_by_text("documents in this index").wait_for()
        assert page.input_value("#workspace-choice") == "two"
        assert page.input_value("#question") == HARBOUR_BRIDGE
        assert "workspace" not in page.url, "it is chosen now, and may be changed"


def test_a_workspace_that_is_gone_is_named_with_the_one_in_its_place(browser: Browser, tmp_path: Path) -> None:
    with serving(workspaces=spaces(tmp_path)) as served, opened(browser, served.url) as page:
        with page.expect_response("**/v1/workspaces"):  # it is still there then
            page.select_option("#workspace-choice", "two")
        (tmp_path / "spaces" / "three").mkdir()
        rmtree(tmp_path / "spaces" / "two")
        page.reload()
        page.locator(".alert", has_text="The workspace “two” is not there any more.").wait_for()
        assert "“one” is shown instead." in page.locator(".alert").inner_text()
        assert page.input_value("#workspace-choice") == "one"
        page.locator(".alert button").click()
        page.reload()
        page.get_by_text("Nothing to ask yet").wait_for()
        assert page.locator(".alert").count() == 0, "it is told once"


def test_jobs_are_looked_at_while_their_view_is_shown(page: Page) -> None:
    job = {
        "id": "a",
        "kind": "upload",
        "state": "running",
        "about": [],
        "created": "2031-01-01T00:00:00Z",
        "progress": {},
    }
    looks: list[Route] = []

    def looked(route: Route) -> None:
        looks.append(route)
        route.fulfill(json={"jobs": [job]})

    page.route("**/v1/jobs", looked)
    page.locator(".views a[data-view=documents]").click()
    page.locator(".job").wait_for()
    while len(looks) < 2:
        page.wait_for_timeout(50)
    page.locator(".views a[data-view=settings]").click()
    page.get_by_role("button", name="Use this key").wait_for()
    looks.clear()
    page.wait_for_timeout(2500)
    assert len(looks) <= 1, "one may have been under way"


def late(route: Route) -> None:
    """Go on with a request half a second later."""
    time.sleep(0.5)
    route.continue_()


def test_the_first_thread_belongs_to_the_workspace_that_is_shown(browser: Browser, tmp_path: Path) -> None:
    files = sorted(write(tmp_path / "harbour", HARBOUR).iterdir())
    with serving(workspaces=spaces(tmp_path)) as served, opened(browser, served.url) as page:
        upload(page, served.url, files)
        page.evaluate("sessionStorage.clear()")  # as in a tab that is new
        page.route("**/v1/workspaces", late)
        page.goto(served.url)
        page.get_by_text("documents in this index").wait_for()
        ask(page, HARBOUR_BRIDGE)
        page.reload()
        page.locator(".turn .asked", has_text=HARBOUR_BRIDGE).wait_for()
