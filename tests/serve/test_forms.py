"""What a form in somebody's browser could send by itself does nothing here."""

from __future__ import annotations

import httpx
import pytest

FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
@pytest.mark.parametrize("browser", [{"sec-fetch-site": "same-origin"}, {"sec-fetch-site": "cross-site"}])
def test_a_form_is_refused(client: httpx.Client, content_type: str, browser: dict[str, str]) -> None:
    response = client.post(
        "/v1/search", content=b'{"query": "Edda"}', headers={"content-type": content_type, **browser}
    )
    assert (response.status_code, response.json()["error"]["type"]) == (403, "forbidden")


@pytest.mark.parametrize("own", [{"polyhop-client": "page"}, {"polyhop-workspace": "default"}])
def test_the_page_is_not(client: httpx.Client, own: dict[str, str]) -> None:
    """What it sends comes as far as the routes, which say what is wrong with it."""
    origin = {"origin": str(client.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
    response = client.post("/v1/search", content=b"query=Edda", headers={**FORM, **origin, **own})
    assert response.status_code == 415


def test_programs_need_no_such_header(client: httpx.Client) -> None:
    assert client.post("/v1/search", content=b"query=Edda", headers=FORM).status_code == 415
