"""``polyhop keys``, and a server that does not start for everybody without one."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.errors import KeyRefused
from polyhop.serve.keys import KeyRing
from tests.worlds.commands import Run


def test_keys_are_made_listed_and_revoked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "root" / "legal").mkdir(parents=True)
    server = ("--workspaces", tmp_path / "root")
    assert "There are no keys" in run("keys", "list", *server).out
    made = run(
        *("keys", "add", "Ada's notebook", "--scope", "write", "--workspace", "legal", "--days", "90"),
        *("--requests", "60", *server),
    )
    written = made.out.strip()
    assert "shown this once" in made.err
    with KeyRing(tmp_path / "root" / "keys.sqlite") as keys:
        key = keys.checked(written)
        listed = run("keys", "list", *server).out
        assert listed.startswith(f"{key.id}  until ")
        assert "write  legal  Ada's notebook" in listed
        assert "at most 60 requests a minute" in listed
        assert written not in listed
        told = run("keys", "list", "--json", *server).json()["keys"][0]
        assert (told["id"], told["workspace"], told["revoked"]) == (key.id, "legal", None)
        assert "counts no more" in run("keys", "revoke", key.id, *server).out
        with pytest.raises(KeyRefused):
            keys.checked(written)
    assert "revoked" in run("keys", "list", *server).out


def test_a_key_for_a_workspace_that_is_not_there_is_told_how_to_have_it(run: Run, tmp_path: Path) -> None:
    server = ("--workspaces", tmp_path / "root")
    refused = run("keys", "add", "Ada", "--workspace", "legal", *server)
    assert "There is no workspace 'legal': there is none." in refused.err
    assert "Make a folder legal" in refused.err
    (tmp_path / "root" / "legal").mkdir(parents=True)
    assert run("keys", "add", "Ada", "--workspace", "legal", *server).out


@pytest.mark.parametrize("option", ["--index", "--workspaces"])
def test_looking_for_keys_makes_nothing(run: Run, tmp_path: Path, option: str) -> None:
    assert "There are no keys" in run("keys", "list", option, tmp_path / "mistyped").out
    assert "There is no key 'Ada'" in run("keys", "revoke", "Ada", option, tmp_path / "mistyped").err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("revoke", "nobody"), "There is no key 'nobody'"),
        (("add", "Ada", "--workspace", "nowhere"), "There is no workspace"),
        (("add", " "), "needs a label"),
        (("add", "Ada", "--index", "a", "--workspaces", "b"), "not both"),
        (("add", "Ada", "--requests", "0"), "x>=1"),
    ],
)
def test_what_makes_no_sense_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("keys", *arguments)
    assert outcome.code == 2
    assert said in outcome.err


def test_a_server_for_other_machines_needs_a_key(run: Run, world_index: Path) -> None:
    before = (world_index / "server").exists()
    refused = run("serve", "--index", world_index, "--host", "192.0.2.1")
    assert refused.code == 2
    assert "no key that counts" in refused.err
    assert "polyhop keys add" in refused.err
    assert (world_index / "server").exists() == before, "looking makes nothing"


def test_a_server_behind_a_proxy_needs_a_key_too(run: Run, world_index: Path) -> None:
    refused = run("serve", "--index", world_index, "--port", "0", "--set", "server.site=https://poly.example")
    assert refused.code == 2
    assert "At https://poly.example other machines would reach these documents" in refused.err
