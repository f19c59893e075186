"""The description of the routes: complete, with examples that work, and told in the documentation, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from polyhop.serve.admission import scope_for

PAGE = Path(__file__).parents[2] / "docs" / "server.md"


@pytest.fixture
def described(client: httpx.Client) -> dict[str, Any]:
    """What the server says of itself."""
    content: dict[str, Any] = client.get("/openapi.json").json()
    return content


def test_every_route_says_what_it_does_and_how_it_fails(described: dict[str, Any]) -> None:
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["description"], (method, path)
            assert operation["tags"], (method, path)
            failed = operation["responses"]["4XX"]["content"]["application/json"]["schema"]
            assert failed == {"$ref": "#/components/schemas/ErrorBody"}, (method, path)


def test_every_route_that_takes_a_key_says_so(described: dict[str, Any]) -> None:
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            told: list[dict[str, list[str]]] = [] if scope_for(method.upper(), path) is None else [{"key": []}]
            assert operation.get("security", []) == told, (method, path)


def test_every_schema_is_described(described: dict[str, Any]) -> None:
    ours = {name: schema for name, schema in described["components"]["schemas"].items() if "Validation" not in name}
    assert {name for name, schema in ours.items() if not schema.get("description")} == set()


def test_examples_of_requests_are_answered(described: dict[str, Any], client: httpx.Client) -> None:
    asked = 0
    for path, operations in described["paths"].items():
        content = operations.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            continue
        schema = described["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        for example in schema.get("examples", ()):
            assert client.post(path, json=example).status_code == 200, path
            asked += 1
    assert asked >= 3


@pytest.mark.parametrize("tag", ["asking", "reading", "graph", "OpenAI-compatible", "watching"])
def test_the_documentation_has_the_routes(described: dict[str, Any], tag: str) -> None:
    told = re.sub(r"\?[\w=&]+|_id", "", PAGE.read_text(encoding="utf-8"))
    paths = [
        (method.upper(), path)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if tag in operation["tags"]
    ]
    assert paths
    for method, path in paths:
        short = re.sub(r"\{document_id(:path)?\}", "{id}", path).replace("{number}", "{n}")
        assert f"`{method} {short}`" in told, f"{method} {short}"
