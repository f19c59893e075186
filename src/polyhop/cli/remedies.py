"""Commands that remedies name: with the index and settings that this command was given, so that they can be pasted."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise

import click

OPTIONS = ("--index", "--store", "--workspaces", "--config", "--preset", "--set")
_SECRET = re.compile(r"[\w.-]*key=|index\.(?:store|objects)=|.*@")  # settings that are not said again
_COMMAND = re.compile(r"\bpolyhop ([a-z]+)(?: (add|list|revoke))?(?: PATH\.\.\.)?")


def completed(text: str) -> str:
    """A text whose commands have the options of the one that runs now, as far as each of them takes these."""
    context = click.get_current_context(silent=True)
    root = context.find_root() if context else None
    given = _given(root.obj or ()) if root else []
    if root is None or not given:
        return text

    def whole(found: re.Match[str]) -> str:
        command: click.Command | None = root.command
        for word in filter(None, found.groups()):
            command = command.commands.get(word) if isinstance(command, click.Group) else None
        known = {name for parameter in command.params for name in parameter.opts} if command else set()
        options = (f"{name} {value}" for name, value in given if name in known)
        return " ".join([found[0], *(option for option in options if option not in text)])

    return _COMMAND.sub(whole, text)


def _given(words: Sequence[str]) -> list[tuple[str, str]]:
    """What the words of a command give for these options, as a shell takes it; a password is not said again."""
    from polyhop.store.place import without_password  # imported when used: start-up time

    found = []
    for word, following in pairwise([*words, ""]):
        name, sign, value = word.partition("=")
        if name in OPTIONS:
            said = value if sign else following
            if name != "--set" or not _SECRET.match(said):
                found.append((name, shlex.quote(without_password(said) if name == "--store" else said)))
    return found
