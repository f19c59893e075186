"""What the user may configure, from three places: ``polyhop.toml``, then ``--set``, then keyword arguments.

Below them lies a preset where one is named (``presets/``), below it what an index remembers of how its layers were made
(``Settings.above``), and below that the defaults. The environment supplies secrets and endpoints only, and is read
nowhere but here; the model that it names comes before a preset's.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, Literal, Self, cast
from urllib.parse import urlsplit

from polyhop.errors import ComponentBroken, SettingError, UnknownComponent, nearest
from polyhop.presets import shipped
from polyhop.presets.laying_over import laid_over, replaced
from polyhop.registry import Kind, configured, load, names, setting_fields, values_of
from polyhop.types import Budget

AUTO = "auto"  # the name of whatever suits
PRESET = "preset"  # the one setting that stands in no section
COMPONENT_SECTIONS = (
    "strategy",
    "planner",
    "reader",
    "embedder",
    "reranker",
    "span_model",
    "parser",
    "language_model",
    "translator",
)
NESTED_SECTIONS = ("strategies", "layers")  # [strategies.paths], [layers.parsekg]
_KINDS: Mapping[str, Kind] = {"strategy": "strategies", "translator": "constrained_models"}  # others: with an s
_LOGIN = re.compile(r"(?<=://)[^/\s]*@")  # who logs in at an address, and the password


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """Which model serves which port, by registered name, and where converted weights are kept."""

    embedder: str = "bge-small"  # makes vectors; changing it re-embeds the index; also hub:owner/name
    reranker: str = "minilm-l12"  # the cross-encoder that judges passages; also hub:owner/name, or endpoint
    span_model: str = "polyhop-reader"  # points at answers, for the reader named trained
    parser: str = "spacy-sm"  # finds sentences and entities; changing it parses the index again
    translator: str = "polyhop-translator"  # the model that speaks under constraints
    language_model: str = "auto"  # auto: the endpoint where one is configured, else none
    cache: str | None = None  # a folder; by default the user's cache folder


@dataclass(frozen=True, kw_only=True)
class Chunking:
    """How documents are cut into passages; a token is a word, a piece of a long word, or a CJK character."""

    tokens: int = 512  # of a passage, at most; at least 16
    overlap: int = 64  # tokens that a passage shares with the one before it, at most; less than half of tokens
    longest_row: int | None = 4096  # tokens of a row (jsonl, json, csv) that stays one passage; none: never cut

    def __post_init__(self) -> None:
        if self.tokens < 16:
            raise ValueError("tokens must be at least 16")
        if not 0 <= self.overlap < self.tokens // 2:
            raise ValueError("overlap must be at least 0 and less than half of tokens")
        if self.longest_row is not None and self.longest_row < 1:
            raise ValueError("longest_row must be at least 1, or none")


_PREFIX = re.compile(r"(?:/[\w.~-]+)*", re.ASCII)
_SITE = re.compile(r"(?:https?://[a-z0-9.-]+(?::\d{1,5})?)?")


@dataclass(frozen=True, kw_only=True)
class Serving:
    """What ``polyhop serve`` listens to, and how much it takes on at once."""

    host: str = "127.0.0.1"  # another address than this machine's own is served only to whoever has a key
    port: int = 8642  # 0: any that is free
    prefix: str = ""  # the path under which a proxy hands it on, such as /poly: links to the server begin with it
    site: str = ""  # where browsers reach a proxy, such as https://poly.example.org: whoever comes needs a key then
    workers: int = 2  # answers worked on at the same time
    waiting: int = 16  # questions that may wait for their turn beside them; further ones are told to come back
    patience: float = 30.0  # seconds that a question waits for its turn, at most
    question: int = 20_000  # characters of a question, at most
    body: int = 2_000_000  # bytes of a request without files, at most
    upload: int = 200_000_000  # bytes of a request with files, at most
    silence: float = 60.0  # seconds that a request may pause while it is being sent, and that its head may take
    farewell: float = 20.0  # seconds that answers under way have to finish when the server stops
    file: int = 100_000_000  # bytes of one uploaded file, at most; larger ones are left out
    files: int = 2000  # files of one request, at most
    quota: int | None = None  # bytes of all uploaded files of a workspace, at most; none: what the disk has
    spare: int = 500_000_000  # bytes of the disk that uploads leave free
    file_seconds: float = 120.0  # that reading one uploaded file may take
    file_memory: int = 2048  # mebibytes that reading one uploaded file may take, at least 256
    file_text: int = 64  # mebibytes of text that one uploaded file may hold
    jobs: int = 2  # workspaces whose jobs are worked on at the same time
    queue: int = 2000  # jobs of a workspace that may wait, at most

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError("port must be 0 to 65535")
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError("prefix must be a path that begins with a slash and ends with none, such as /poly")
        if not _SITE.fullmatch(self.site):
            raise ValueError("site must be a scheme and a host in lower case, such as https://poly.example.org")
        if min(self.workers, self.question, self.body, self.upload) < 1 or min(self.waiting, self.patience) < 0:
            raise ValueError("workers, question, body and upload must be at least 1, waiting and patience at least 0")
        if min(self.file, self.files, self.file_text, self.jobs, self.queue) < 1:
            raise ValueError("file, files, file_text, jobs and queue must be at least 1")
        if min(self.file_seconds, self.silence) <= 0 or self.spare < 0:
            raise ValueError("file_seconds and silence must be more than 0, spare not below 0")
        if not isfinite(self.farewell):
            raise ValueError("farewell must be finite")
        if not isfinite(self.file_seconds):
            raise ValueError("file_seconds must be finite")
        if self.file_memory < 256 or (self.quota is not None and self.quota < 1):
            raise ValueError("file_memory must be at least 256, and quota at least 1 or none")


@dataclass(frozen=True, kw_only=True)
class Indexing:
    """What ``polyhop index`` derives from documents, unless ``--layers`` says it, in how much memory, and where to."""

    layers: tuple[str, ...] = ("text", "parsekg")  # besides those that the index has
    store: str | None = field(default=None, repr=False)  # postgresql://...: has the record; none: as the folder says
    objects: str | None = field(default=None, repr=False)  # s3://bucket/...: has generations; none: as the record says
    grace: float = 24.0  # hours that others have to pull what is no longer current from there
    executor: Literal["processes", "ray"] = "processes"  # where passages are worked on; ray: on a cluster
    cluster: str | None = None  # the address of a Ray cluster; none: one on this machine, for the time being
    memory: int | None = None  # mebibytes that gathering a layer may take, at least 64; none: a quarter of all there is

    def __post_init__(self) -> None:
        if self.memory is not None and self.memory < 64:
            raise ValueError("memory must be at least 64, or none")
        if self.grace < 0:
            raise ValueError("grace must not be below 0")


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where an OpenAI-compatible server is and how to be let in."""

    base_url: str
    model: str
    api_key: str = field(repr=False)

    @classmethod
    def from_environment(cls, otherwise: str = "") -> Endpoint | None:
        """The endpoint that POLYHOP_BASE_URL, POLYHOP_MODEL and POLYHOP_API_KEY describe (or OPENAI_*), if any.

        ``otherwise``: the model where they name none. Raises SettingError for an address that is none.
        """
        base_url = _address_in("POLYHOP_BASE_URL") or _address_in("OPENAI_BASE_URL")
        model = model_of_environment() or otherwise
        key = os.environ.get("POLYHOP_API_KEY") or os.environ.get("OPENAI_API_KEY") or ""
        if not model or not (base_url or key):
            return None
        return cls(base_url=base_url or "https://api.openai.com/v1", model=model, api_key=key)


def address_without_model() -> str:
    """The variable of the environment that says where a language model is, where none says which; else empty."""
    names = ("POLYHOP_BASE_URL", "OPENAI_BASE_URL")
    return "" if model_of_environment() else next((name for name in names if os.environ.get(name)), "")


def model_of_environment() -> str:
    """The name of the language model that the environment gives; empty where it gives none."""
    return os.environ.get("POLYHOP_MODEL") or os.environ.get("OPENAI_MODEL") or ""


def reranker_of_environment() -> dict[str, str]:
    """Where a reranker is served, and the key to it, as far as the environment says so. Raises SettingError."""
    found = {"base_url": _address_in("POLYHOP_RERANKER_URL"), "api_key": os.environ.get("POLYHOP_RERANKER_API_KEY", "")}
    return {setting: value for setting, value in found.items() if value}


def _address_in(name: str) -> str:
    """The address that a variable of the environment has; empty where it is not set. Raises SettingError."""
    written = os.environ.get(name, "")
    try:
        parts = urlsplit(written.strip())
        is_one = (
            parts.scheme in ("http", "https") and bool(parts.hostname) and not any(mark in written for mark in "?#")
        )
    except ValueError:  # brackets that do not close, say
        is_one = False
    if written and not is_one:
        raise SettingError(
            f"The environment's {name} is no address of a server.",
            remedy="Write it in full, without ? and #, as in: http://localhost:11434/v1",
        )
    return written


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything configurable; ``components`` holds each component's own section, checked when it is built.

    ``preset`` is the name of the preset that lies below, if any; what it says is in the other fields.
    """

    preset: str = ""
    models: ModelChoice = ModelChoice()
    index: Indexing = Indexing()
    chunking: Chunking = Chunking()
    budget: Budget = Budget()
    server: Serving = Serving()
    components: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path | None = None, changes: Iterable[str] = ()) -> Settings:
        """Settings from a TOML file (none: the defaults) with ``section.key=value`` changes on top.

        Both may name a preset, as ``preset=NAME``, which lies below them. Raises SettingError for a file that cannot be
        read and for unknown sections or settings, UnknownComponent for an unknown preset.
        """
        tree: dict[str, Any] = {}
        if file is not None:
            try:
                tree = tomllib.loads(file.read_text(encoding="utf-8-sig"))  # Windows' own editor writes the mark
            except (OSError, ValueError) as error:  # no UTF-8, no TOML, or numbers with too many digits
                raise SettingError(f"{file} cannot be read: {error}.") from error
        for change in changes:
            _apply(tree, change)
        return cls.from_mapping(tree)

    @classmethod
    def from_mapping(cls, tree: Mapping[str, Any]) -> Settings:
        """Settings from nested mappings, as TOML gives them. Raises SettingError, UnknownComponent."""
        plain = {item.name: item.default for item in fields(cls) if item.name not in (PRESET, "components")}
        components: dict[str, Mapping[str, object]] = {}
        values: dict[str, Any] = {}
        if name := str(tree.get(PRESET, "")):
            values[PRESET] = name
            tree = laid_over(_as_the_environment_says(shipped.content(name)), tree)
        for section, content in tree.items():
            if section == PRESET:
                continue
            if not isinstance(content, Mapping):
                raise SettingError(f"{section!r} must be a section, as in [{section}].")
            if section in plain:
                values[section] = configured(type(plain[section]), content, section)
            elif section in COMPONENT_SECTIONS:
                components[section] = dict(content)
            elif section in NESTED_SECTIONS:
                components.update(_nested(section, content))
            else:
                known = (*plain, *COMPONENT_SECTIONS, *NESTED_SECTIONS)
                raise SettingError(f"There is no section {section!r}.", remedy=nearest(section, known))
        return cls(components=components, **values)

    def checked(self) -> Self:
        """These settings; raises SettingError for components that nobody has, and settings that one lacks.

        They would change nothing.
        """
        for section, content in self.components.items():
            kind, name = self._component(section)
            if "." in section:
                if name not in (known := names(kind)):
                    said = f"There is nothing that the settings {section!r} are for."
                    raise SettingError(said, remedy=nearest(name, known))
                if content:
                    configured(load(kind, name), content, section)
            elif section != "strategy" and name in names(kind):  # those are for any, and checked where one is used
                values_of(load(kind, name), self.choice(section)[1], f"{kind}.{name}")
            elif section == "planner" and name == AUTO and content.keys() - {"name"}:
                raise SettingError("No planner is named that reads [planner].", remedy="Name it with planner.name.")
        return self

    def to_mapping(self) -> dict[str, Any]:
        """These settings as nested mappings, such that ``from_mapping`` gives them back."""
        tree: dict[str, Any] = {item.name: asdict(getattr(self, item.name)) for item in fields(self)[1:-1]}
        if self.preset:
            tree[PRESET] = self.preset
        for section, content in self.components.items():
            outer, _, name = section.partition(".")
            if name:
                tree.setdefault(outer, {})[name] = dict(content)
            else:
                tree[outer] = dict(content)
        return tree

    def published(self) -> dict[str, Any]:
        """These settings as nested mappings for whoever reads a result: without secrets.

        Those are keys, who logs in at an address, and what the ``repr`` of a component hides. Where the record and the
        generations are may hold a password, too, and says nothing about results.
        """
        shown = {name: _without(content, self._hidden(name)) for name, content in self.components.items()}
        tree = replace(self, components=shown).to_mapping()
        del tree["index"]["store"], tree["index"]["objects"]
        return tree

    def _component(self, section: str) -> tuple[Kind, str]:
        """The kind and the name of what reads a section."""
        outer, _, name = section.partition(".")
        kind = cast("Kind", outer) if name else _KINDS.get(outer, cast("Kind", f"{outer}s"))
        name = name or str(getattr(self.models, outer, self.choice(outer)[0])).partition(":")[0]  # hub:owner/name
        return kind, "openai" if (outer, name) == ("language_model", AUTO) else name

    def _hidden(self, section: str) -> frozenset[str]:
        """The settings of a section that nobody is to see."""
        hidden = {"api_key"}
        with suppress(ComponentBroken, UnknownComponent):
            hidden.update(key for key, each in setting_fields(load(*self._component(section))).items() if not each.repr)
        return frozenset(hidden)

    @property
    def replaced(self) -> tuple[str, ...]:
        """What of the preset these settings replace, one line each."""
        return tuple(replaced(shipped.content(self.preset), self.to_mapping())) if self.preset else ()

    def of(self, *sections: str) -> dict[str, object]:
        """The settings of a component from one or more sections, the later ones on top."""
        return {key: value for section in sections for key, value in self.components.get(section, {}).items()}

    def choice(self, section: str) -> tuple[str, dict[str, object]]:
        """The component that a section names (``auto`` where it names none), and the settings that it is to have."""
        own = self.of(section)
        return str(own.pop("name", AUTO)), own

    def above(self, remembered: Mapping[str, Mapping[str, object]]) -> Settings:
        """These settings with others of components below them, by section: they hold for what these leave open."""
        below = {section: {**content, **self.of(section)} for section, content in remembered.items() if content}
        return replace(self, components={**self.components, **below})

    def with_models(self, **choice: str | None) -> Settings:
        """These settings with other models where one is given."""
        return replace(self, models=replace(self.models, **{key: value for key, value in choice.items() if value}))


def _as_the_environment_says(preset: Mapping[str, Any]) -> Mapping[str, Any]:
    """A preset, but with the language model that the environment names: an endpoint has not every model."""
    model = model_of_environment()
    if not model or "language_model" not in preset:
        return preset
    return {**preset, "language_model": {**preset["language_model"], "model": model}}


def _without(content: Mapping[str, object], hidden: Collection[str], step: str = "") -> dict[str, object]:
    """Settings of a component without those that are hidden, and addresses without who logs in there."""
    shown: dict[str, object] = {}
    for key, value in content.items():
        if isinstance(value, Mapping):
            shown[key] = _without(value, hidden, f"{step}{key}.")
        elif f"{step}{key}" not in hidden:
            shown[key] = _LOGIN.sub("", value) if isinstance(value, str) else value
    return shown


def _nested(section: str, content: Mapping[str, Any]) -> dict[str, Mapping[str, object]]:
    for name, inner in content.items():
        if not isinstance(inner, Mapping):
            raise SettingError(f"'{section}.{name}' must be a section, as in [{section}.{name}].")
    return {f"{section}.{name}": dict(inner) for name, inner in content.items()}


def _apply(tree: dict[str, Any], change: str) -> None:
    path, equals, value = change.partition("=")
    *sections, key = path.strip().split(".")
    if not equals or not key or (not sections and key != PRESET):
        raise SettingError(f"{change!r} is not a setting.", remedy="Write --set section.key=value.")
    for depth, section in enumerate(sections, start=1):
        tree = tree.setdefault(section, {})
        if not isinstance(tree, dict):
            raise SettingError(f"{'.'.join(sections[:depth])} is a setting, so {change!r} cannot be one.")
    tree[key] = value.strip()


def without_reports() -> None:
    """Have libraries that report their use to their makers not do so, unless the user has said that they may.

    It counts only before they are imported: as soon as onnxruntime is (from 1.32 on, on Linux, too), it makes up an id
    of the machine and looks for its maker's server.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def wants_no_colours() -> bool:
    """Whether the user's terminals are to show none (https://no-color.org)."""
    return bool(os.environ.get("NO_COLOR"))


def cache_folder(models: ModelChoice) -> Path:
    """Where converted weights live."""
    if models.cache:
        return Path(models.cache).expanduser()
    from platformdirs import user_cache_path  # imported when used: start-up time

    return user_cache_path("polyhop")
