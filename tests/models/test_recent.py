"""What was read a moment ago is not read again."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from polyhop.models.recent import Recent


def test_each_key_is_read_once() -> None:
    recent: Recent[str, int] = Recent(10)
    read: list[str] = []

    def lengths(keys: Sequence[str]) -> list[int]:
        read.extend(keys)
        return [len(key) for key in keys]

    assert recent.readings(["lamp", "bell", "lamp"], lengths) == [4, 4, 4]
    assert recent.readings(["bell", "tower"], lengths) == [4, 5]
    assert read == ["lamp", "bell", "tower"]


def test_what_was_not_asked_for_longest_is_forgotten() -> None:
    recent: Recent[str, str] = Recent(2)
    for keys in (["a", "b"], ["a"], ["c"]):
        recent.readings(keys, list)
    assert len(recent) == 2
    assert recent.readings(["a"], lambda keys: [f"{key} again" for key in keys]) == ["a"]
    assert recent.readings(["b"], lambda keys: [f"{key} again" for key in keys]) == ["b again"]


def test_what_is_forgotten_is_read_anew() -> None:
    recent: Recent[str, str] = Recent(2)
    recent.readings(["a"], list)
    recent.forget()
    assert recent.readings(["a"], lambda keys: [f"{key} again" for key in keys]) == ["a again"]


def test_more_keys_than_are_kept_are_all_read() -> None:
    recent: Recent[int, int] = Recent(2)
    assert recent.readings(range(5), lambda keys: [key * key for key in keys]) == [0, 1, 4, 9, 16]
    assert len(recent) == 2


def test_threads_get_readings_of_their_own_keys() -> None:
    recent: Recent[int, int] = Recent(3)
    wrong: list[int] = []

    def ask(start: int) -> None:
        for at in range(200):
            keys = [start + at % 7, at % 5]
            wrong.extend(set(recent.readings(keys, list)) ^ set(keys))

    threads = [threading.Thread(target=ask, args=[start]) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
