"""Where a record is: told without what only its owner may know."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from polyhop.errors import StorageFull, UsageError
from polyhop.store.place import NOTE, place_of, without_password


@pytest.mark.parametrize("name", ["pg_temp", "$user", "a" * 64])
def test_a_name_that_is_no_schemas_own_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be called"):
        place_of(tmp_path, f"postgresql://me@host/db#{name}")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://me:sesame@host/db", "postgresql://me@host/db"),
        ("postgresql://me:ses?ame@host/db#notes", "postgresql://me@host/db#notes"),
        ("postgresql://me:ses@me@host/db", "postgresql://me@host/db"),
        ("postgresql://me:sesame@one:1,two:2/db?sslmode=require", "postgresql://me@one:1,two:2/db?sslmode=require"),
        ("postgresql://me:sesame@host?options=a@b", "postgresql://me@host?options=a@b"),
        (
            "postgresql://host/db?password=sesame&sslpassword=sesame&sslmode=require",
            "postgresql://host/db?sslmode=require",
        ),
        ("postgresql://host:5432/db?user=a@b", "postgresql://host:5432/db?user=a@b"),
    ],
)
def test_an_address_is_told_and_noted_without_passwords(tmp_path: Path, address: str, told: str) -> None:
    place = place_of(tmp_path, address)
    assert place is not None
    place.note()
    assert str(place) == json.loads((tmp_path / NOTE).read_text())["store"] == told
    again = place_of(tmp_path, address)
    assert again is not None
    assert again.url == place.url


def test_a_password_that_an_earlier_version_noted_is_not_told(tmp_path: Path) -> None:
    address = "postgresql://me:ses?ame@host/db"
    (tmp_path / NOTE).write_text(json.dumps({"store": address, "key": "k"}))
    assert str(place_of(tmp_path, address)) == str(place_of(tmp_path)) == "postgresql://me@host/db"


@pytest.mark.parametrize(
    "password", ["ses%zzame", "ses/ame", "ses#ame", "12#ame", "12/ame", "ses ame", "s@s/ame", "ses\udce4ame"]
)
def test_a_password_with_characters_that_mean_something_is_refused_and_not_told(tmp_path: Path, password: str) -> None:
    """The library of the database would take its end for a host, a port or a name, and say so."""
    with pytest.raises(UsageError, match="cannot be read") as caught:
        place_of(tmp_path, f"postgresql://me:{password}@host/db")
    assert "%2F" in caught.value.remedy
    assert "ame" not in f"{caught.value}"
    assert without_password(f"--store=postgresql://me:{password}@host/db") == "--store=postgresql://..."


def test_a_folder_that_is_closed_to_us_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "read_text", closed)
    with pytest.raises(StorageFull, match=r"cannot be opened \(Permission denied\)"):
        place_of(tmp_path)
