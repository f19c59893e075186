"""What clients of a server do again and again: send files, wait for jobs, look at errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from tests.worlds.serving import parsed

ENDED = {"done", "failed", "cancelled"}


def sent(files: Mapping[str, str | bytes]) -> list[tuple[str, tuple[str, bytes]]]:
    """Files as httpx sends them."""
    return [
        ("files", (name, content.encode() if isinstance(content, str) else content)) for name, content in files.items()
    ]


def ended(client: httpx.Client, job: Mapping[str, Any], **headers: str) -> dict[str, Any]:
    """A job when it has ended, as its stream of events tells."""
    with client.stream("GET", f"/v1/jobs/{job['id']}/events", headers=headers) as response:
        assert response.status_code == 200, response.read()
        told = [event.data for event in parsed(response.iter_lines()) if event.kind == "job"]
    assert told[-1]["state"] in ENDED
    return dict(told[-1])


def uploaded(client: httpx.Client, files: Mapping[str, str | bytes], **headers: str) -> dict[str, Any]:
    """The job of an upload when it has ended."""
    response = client.post("/v1/documents", files=sent(files), headers=headers)
    assert response.status_code == 202, response.text
    return ended(client, response.json()["job"], **headers)


def sources(client: httpx.Client, **headers: str) -> dict[str, str]:
    """The documents there are: the ids by source."""
    response = client.get("/v1/documents", headers=headers)
    assert response.status_code == 200, response.text
    return {each["source"]: each["id"] for each in response.json()["documents"]}


def problem(response: httpx.Response) -> tuple[int, str]:
    """The status and the type of an error, which has the one shape."""
    error = response.json()["error"]
    assert set(error) == {"type", "message", "remedy", "request_id"}
    assert "Traceback" not in response.text
    return response.status_code, error["type"]


def bearer(written: str) -> dict[str, str]:
    """The header with a key."""
    return {"Authorization": f"Bearer {written}"}
