"""What the README says of other tools is true: it is taken from there, and done."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import anyio
import httpx
import pytest

from tests.worlds.documents import BRIDGE
from tests.worlds.serving import parsed, serving

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The one block of that language."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(found)


def test_claude_desktop_starts_a_server_with_tools(world_index: Path) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    told = json.loads(block("json"))["mcpServers"]["polyhop"]
    assert told["command"] == "polyhop"
    arguments = ["-m", "polyhop.cli.main", *told["args"][:-1], str(world_index)]

    async def talk() -> set[str]:
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=arguments))) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert anyio.run(talk) >= {"ask", "search", "read"}


def test_open_webui_finds_the_models_and_streams_an_answer(world_index: Path) -> None:
    """What it sends, as its source has it: its own fields, and a system message, among them."""
    address, key = (re.search(rf"{name}=(\S+)", block("sh")) for name in ("OPENAI_API_BASE_URL", "OPENAI_API_KEY"))
    assert address is not None
    assert key is not None
    assert address[1].endswith(":8642/v1")
    body = {
        "stream": True,
        "model": "polyhop/auto",
        "messages": [
            {"role": "system", "content": "User: Ada"},
            {"role": "user", "content": [{"type": "text", "text": BRIDGE}]},
        ],
        "stream_options": {"include_usage": True},
        "temperature": 0.8,
        "metadata": {"chat_id": "1"},
    }
    with serving(world_index) as served:
        base = address[1].replace("http://127.0.0.1:8642", served.url)
        with httpx.Client(headers={"Authorization": f"Bearer {key[1]}"}, timeout=60) as client:
            models = [each["id"] for each in client.get(f"{base}/models").json()["data"]]
            assert "polyhop/auto" in models
            with client.stream("POST", f"{base}/chat/completions", json=body) as response:
                events = [event.data for event in parsed(response.iter_lines())]
    said = "".join(event["choices"][0]["delta"].get("content", "") for event in events[:-1] if event["choices"])
    assert "Pellingrove" in said
    assert events[-1] == "[DONE]"


def test_langchain_retrieves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world_index: Path) -> None:
    pytest.importorskip("langchain_core", reason="needs the extra 'langchain'")
    names: dict[str, object] = {}
    monkeypatch.chdir(tmp_path)
    code = block("py").replace('"my.index"', repr(str(world_index)))
    exec(compile(code, "README.md", "exec", dont_inherit=True), names)  # noqa: S102
    assert names["documents"]
