"""Writes the pages that are made from the code: the library, the commands, the settings, the errors, the tables.

python docs/make_reference.py            write them
python docs/make_reference.py --check    exit with 1 where one is not current, and name it
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import io
import sys
import textwrap
import tokenize
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import measured
from api_page import api_page
from growth_chart import growth_chart
from prompts_page import prompts_page

from polyhop import errors, registry
from polyhop.cli.main import polyhop
from polyhop.settings import Settings

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOTE = "<!-- Made by docs/make_reference.py: edit the code, not this page. -->"
BEGIN, END = "<!-- {}: made by docs/make_reference.py -->", "<!-- end of {} -->"

# Which registered components read which section of the settings (polyhop.settings.COMPONENT_SECTIONS).
READ_BY: dict[str, registry.Kind] = {
    "planner": "planners",
    "reader": "readers",
    "embedder": "embedders",
    "reranker": "rerankers",
    "span_model": "span_models",
    "parser": "parsers",
    "language_model": "language_models",
    "translator": "constrained_models",
}


def pages() -> dict[Path, str]:
    """Every page that is made or partly made from the code, as it should read."""
    made = {DOCS / "cli.md": cli_page(), DOCS / "settings.md": settings_page(), DOCS / "errors.md": errors_page()}
    made[DOCS / "api.md"] = api_page(NOTE, field_rows, table)
    made[DOCS / "prompts.md"] = prompts_page(NOTE)
    made[DOCS / "images" / "growth.svg"] = growth_chart()
    readme = ROOT / "README.md"
    made[readme] = with_part(readme, "measured", measured_table(), with_part(readme, "strategies", strategies_table()))
    for name in registry.names("strategies"):
        page = DOCS / "strategies" / f"{name}.md"
        if page.is_file():
            settings = with_part(page, "settings", strategy_settings(name))
            made[page] = with_part(page, "measured", strategy_measured(name), settings)
    return made


def with_part(page: Path, name: str, content: str, text: str | None = None) -> str:
    """A page (or ``text``, what has been made of it so far) with what stands between two markers replaced."""
    begin, end = BEGIN.format(name), END.format(name)
    before, _, rest = (page.read_text(encoding="utf-8") if text is None else text).partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} lacks the markers {begin} and {end}.")
    return f"{before}{begin}\n{content.strip()}\n{end}{after}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# -- the command line


def cli_page() -> str:
    """Every command with its arguments, options and examples."""
    parts = [
        NOTE,
        "# The command line",
        *_prose(polyhop),
        CLI_INTRODUCTION.strip(),
        _options(polyhop),
    ]
    for command in polyhop.commands.values():
        parts += _command(command, "polyhop")
    return "\n\n".join(part for part in parts if part) + "\n"


CLI_INTRODUCTION = """
Results go to standard output, progress bars, warnings and errors to standard error. `--json` prints the same as JSON,
an error too: `{"error": ..., "message": ..., "remedy": ...}`. Exit codes, and what to do about each error:
[errors](errors.md). What `--set` and `--config` can change: [settings](settings.md).
"""


def _command(command: click.Command, above: str) -> Iterator[str]:
    path = f"{above} {command.name}"
    yield f"## {path}"
    ours = {
        **polyhop.context_settings,
        "max_content_width": 200,
    }  # a command keeps the first help option
    context = click.Context(command, info_name=path, **ours)
    yield f"```\n{' '.join(command.get_usage(context).removeprefix('Usage: ').split())}\n```"
    yield from _prose(command)
    yield _options(command)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from _command(inner, path)


def _prose(command: click.Command) -> Iterator[str]:
    """The help text; what it shows verbatim (marked for click not to wrap it) becomes a block of code."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    for paragraph in paragraphs:
        if paragraph.startswith("\b"):
            language = "" if isinstance(command, click.Group) else "bash"
            yield f"```{language}\n{textwrap.dedent(paragraph.removeprefix(chr(8)).strip(chr(10)))}\n```"
        else:
            yield " ".join(paragraph.split())


def _options(command: click.Command) -> str:
    rows = [_option(parameter) for parameter in command.params if isinstance(parameter, click.Option)]
    return table(("option", "meaning"), rows) if rows else ""


def _option(option: click.Option) -> tuple[str, str]:
    """An option as it is written, and what it means: the same whatever version of click is installed."""
    kind = option.type
    shown = f"[{'|'.join(kind.choices)}]" if isinstance(kind, click.Choice) else kind.name.partition(" ")[0].upper()
    takes = "" if option.is_flag or option.count else f" {option.metavar or shown}"
    about = " ".join((option.help or "").split())
    if option.show_default:
        about += f" [default: {option.default}]"
    if isinstance(kind, click.IntRange | click.FloatRange) and not option.count:
        least, most = ("above {}", ", at most {}") if kind.min_open else ("{}", " to {}")
        rest = most.format(kind.max) if kind.max is not None else "" if kind.min_open else " or more"
        about += f" [{least.format(kind.min)}{rest}]"
    return f"`{', '.join(option.opts)}{takes}`", about


# -- settings


def settings_page() -> str:
    """All sections with their settings, types and defaults."""
    parts = [NOTE, "# Settings", SETTINGS_INTRODUCTION.strip()]
    for field in dataclasses.fields(Settings):
        if field.name not in ("preset", "components"):
            parts += _section(f"[{field.name}]", type(field.default))
    parts += ["## [strategies.NAME] and [strategy]", STRATEGY_SECTIONS.strip()]
    for name in registry.names("strategies"):
        parts += _section(f"[strategies.{name}]", registry.load("strategies", name), level=3)
    parts.append("## [layers.NAME]")
    for name in registry.names("layers"):
        parts += _section(f"[layers.{name}]", registry.load("layers", name), level=3)
    for section, kind in READ_BY.items():
        parts += [f"## [{section}]", SECTION_NOTES[section]]
        for name in registry.names(kind):
            parts += _section(f"[{section}] of {name}", registry.load(kind, name), level=3)
    return "\n\n".join(parts) + "\n"


SETTINGS_INTRODUCTION = """
Settings come from three places, the later ones on top: a TOML file, `--set`, and, in the library, arguments. Below them
lies a [preset](presets.md), where one is named: with `--preset NAME`, or with `preset = "NAME"` in the first line.

- `polyhop.toml` in the current folder is read by every command; `--config FILE` reads another file instead.
- `--set section.key=value` changes one setting and can be repeated. Lists are written with commas, and `none` stands
  for no value.
- A library user passes `Settings`, which reads no file unless it is told to.

A section or a setting that does not exist is refused, with the nearest name; so is a value of the wrong type.

```toml
[chunking]
tokens = 256
overlap = 32

[models]
embedder = "minilm"

[strategies.paths]
depth = 30
```

```bash
polyhop ask "Who designed the lighthouse?" --set strategies.paths.depth=30
```

```python
from pathlib import Path

from polyhop import Polyhop, Settings

settings = Settings.from_mapping({"strategies": {"paths": {"depth": 30}}})
engine = Polyhop("my.index", settings=settings)

Path("polyhop.toml").write_text("[chunking]\\ntokens = 256\\n")
from_a_file = Settings.read(Path("polyhop.toml"), ["budget.passages=8"])
```

The environment supplies secrets and endpoints only: those of a
[language model](models.md#a-language-model-behind-an-endpoint) and of a [reranker](models.md#another-reranker). Another
embedder or parser makes what was indexed before stale: `polyhop status` counts it, and `polyhop index` makes it again.
After a change of `[chunking]`, `polyhop index` cuts the files that it is given again. What was uploaded or added as an
object stays as it was cut until it is handed over again.

## What an index remembers

An index remembers the settings that its layers were made with, which are those in the sections `[layers.NAME]`. They
hold for every later command on that index, above the defaults and below what you set, so that they are said once:

```bash
polyhop index DOCS --layers text,parsekg,facts --set layers.facts.extractor=language_model
polyhop index DOCS
```

The second command has the language model extract facts from what is new or changed, and leaves all others alone. To
change a remembered setting, set it: `--set layers.facts.extractor=syntax` makes all facts again, by syntax.

`overlay` is not remembered: it says how the facts are looked at, not how they are made. Models are not remembered
either, and facts that a language model was paid for are safe from that:

- Without a language model, `ask`, `search` and `status` work as ever. `polyhop index` brings the other layers up to
  date; where passages then lack facts, it says so and exits with 8.
- With another language model (another name or address), the facts stay as they are, too. `polyhop index` refuses to add
  to them, and to pay for all of them again, unless you say so: `--set layers.facts.extractor=language_model`.
"""

SECTION_NOTES = {
    "planner": "`planner.name` says what takes questions apart, and that one reads this section. By default (`auto`) "
    "a strategy that has a language model plan gets its plan in the form that it prefers; for others `trained` "
    "plans, our own model. Without its weights `rules` plan.",
    "reader": "`reader.name` says what reads answers, and that reader reads this section. By default (`auto`) it is "
    "`grounded` where a language model is configured, else `trained`.",
    "embedder": "The one that `models.embedder` names reads this section.",
    "reranker": "The one that `models.reranker` names reads this section.",
    "span_model": "The one that `models.span_model` names reads this section.",
    "parser": "The one that `models.parser` names reads this section.",
    "language_model": "The one that `models.language_model` names reads this section; `auto` means `openai` where the "
    "environment describes an endpoint, and takes address, model and key from there.",
    "translator": "The one that `models.translator` names reads this section.",
}

STRATEGY_SECTIONS = """
`[strategies.NAME]` holds the settings of one strategy. `[strategy]` is put on top of it, whichever strategy is used:
that is for `--set strategy.depth=30` on the command line. `strategy.name` says which one is used where `--strategy`
does not, `auto` by default. Settings of a step are named after it, as `walk.depth` of `stepchain`: in a file also in a
section of their own (`[strategies.stepchain.walk]`), and in brackets as `stepchain(walk.depth=3)`.
"""


def _section(title: str, component: type[Any], level: int = 2) -> Iterator[str]:
    yield f"{'#' * level} {title}"
    for paragraph in (inspect.getdoc(component) or "").split("\n\n"):
        yield " ".join(paragraph.split()).replace("<", "\\<")
    rows = list(setting_rows(component))
    yield table(("setting", "type", "default", "meaning"), rows) if rows else "No settings."


def setting_rows(component: type[Any], step: str = "") -> Iterator[tuple[str, str, str, str]]:
    """The settings of a component as ``field_rows``, then those of its steps."""
    steps = {field.name: type(field.default) for field in dataclasses.fields(component)}
    steps = {name: inner for name, inner in steps.items() if dataclasses.is_dataclass(inner)}
    for name, kind, default, meaning in field_rows(component):
        if name.strip("`") not in steps:
            yield f"`{step}{name.strip('`')}`", kind, default, meaning
    for name, inner in steps.items():
        yield from setting_rows(inner, f"{step}{name}.")


def field_rows(component: type[Any]) -> Iterator[tuple[str, str, str, str]]:
    """A dataclass's settings: name, type, default, and the comment beside it in the code."""
    comments = {
        name: comment
        for base in reversed(component.__mro__)
        if dataclasses.is_dataclass(base)
        for name, comment in commented(base)
    }
    hints = typing.get_type_hints(component)
    for field in dataclasses.fields(component):
        if field.init and not field.name.startswith("_"):
            yield f"`{field.name}`", _in_words(hints[field.name]), _default(field), comments[field.name]


def commented(component: type[Any]) -> Iterator[tuple[str, str]]:
    """The fields that a class itself declares, each with the comment at the end of its line."""
    source = textwrap.dedent(inspect.getsource(component))
    notes = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith("# noqa")
    }
    (body,) = (node.body for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, notes.get(node.end_lineno or 0, "")


def _in_words(hint: Any) -> str:
    """A type as users would say it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return ", ".join(f"`{choice}`" for choice in arguments)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(map(_in_words, arguments))
    if origin is tuple:
        return f"list of {_in_words(arguments[0])}"
    words = {str: "text", int: "whole number", float: "number", bool: "true or false", types.NoneType: "none"}
    return words.get(hint, f"`{getattr(hint, '__name__', hint)}`")


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING:
        return "required" if field.default_factory is dataclasses.MISSING else "empty"
    if field.default is None:
        return "none"
    if dataclasses.is_dataclass(field.default):
        return "its own defaults"
    text = registry.written(field.default)
    return f"`{text}`" if text else "empty"


# -- errors


def errors_page() -> str:
    """Every error with its exit code, HTTP status and remedy."""
    rows = []
    for error in error_classes():
        above = error.__mro__[1]
        kind = "" if error is errors.PolyhopError else f"`{above.__name__}`"
        codes = (str(error.exit_code), str(error.http_status))
        words = " ".join((error.__doc__ or "").split())  # 3.13 takes the indentation out of docstrings
        rows.append((f"`{error.__name__}`", kind, words, *codes, error.remedy))
    parts = [NOTE, "# Errors and exit codes", ERRORS_INTRODUCTION.strip()]
    parts.append(table(("error", "is a", "what it says", "exit", "HTTP", "usual remedy"), rows))
    return "\n\n".join(parts) + "\n"


ERRORS_INTRODUCTION = """
Everything that Polyhop raises on purpose is a `polyhop.PolyhopError`: a message that says what is wrong, and a `remedy`
that says what to do. The command line prints both and exits with the error's code.

| exit code | meaning |
|---|---|
| 0 | done; for `ask`: answered |
| 1 | nothing came of it (`remove`, `eval`), something is wrong (`doctor`), or an error without a code of its own |
| 2 | asked for something that makes no sense, or that this index cannot do |
| 3 | `ask`: the documents do not answer the question; no error |
| 130 | interrupted; what was done is stored |
| others | an error, see below |

The HTTP status is what `polyhop serve` answers with ([the server](server.md)); its `type` is the error's name in lower
case with underscores. Where an error can say something more exact than the usual remedy, it does.

```python
from polyhop import Polyhop, PolyhopError

try:
    Polyhop("no-such.index").ask("Who designed the lighthouse?")
except PolyhopError as error:
    print(error, error.remedy, error.exit_code)
```
"""


def error_classes() -> list[type[errors.PolyhopError]]:
    """The tree of errors, in the order in which the module defines them."""
    found = [value for value in vars(errors).values() if inspect.isclass(value)]
    return [error for error in found if issubclass(error, errors.PolyhopError)]


# -- strategies


def strategies_table() -> str:
    """The registered strategies, for the README."""
    rows = []
    for name in registry.names("strategies"):
        strategy = registry.load("strategies", name)
        about = (inspect.getdoc(strategy) or "").partition("\n")[0]
        rows.append((f"[`{name}`](docs/strategies/{name}.md)", ", ".join(strategy.needs), about))
    return table(("strategy", "layers it reads", "what it does"), rows)


def strategy_settings(name: str) -> str:
    """The settings of a strategy, for its page."""
    rows = list(setting_rows(registry.load("strategies", name)))
    return table(("setting", "type", "default", "meaning"), rows) if rows else "None."


def measured_table() -> str:
    """What the README shows of benchmarks/results."""
    recall = table(measured.RECALL_HEAD, measured.recall_rows())
    latency = table(measured.LATENCY_HEAD, measured.latency_rows())
    indexing = table(measured.INDEXING_HEAD, measured.indexing_rows())
    return f"{recall}\n\n{latency}\n\n{indexing}"


def strategy_measured(name: str) -> str:
    """What a strategy's page shows of benchmarks/results."""
    parts = (
        (measured.BY_TYPE_HEAD, list(measured.by_type_rows(name))),
        (measured.READ_HEAD, list(measured.read_rows(name))),
        (measured.LATENCY_HEAD, list(measured.latency_rows(name))),
    )
    return "\n\n".join(table(head, rows) for head, rows in parts if rows) or "No figures in `benchmarks/results`."


def stale(made: Mapping[Path, str]) -> list[Path]:
    """The pages that do not read as they should."""
    return [page for page, text in made.items() if not page.is_file() or page.read_text(encoding="utf-8") != text]


def main() -> None:
    """Write what is not current, or (``--check``) only name it."""
    made = pages()
    old = stale(made)
    for page in old:
        if "--check" not in sys.argv:
            page.write_text(made[page], encoding="utf-8", newline="\n")
        sys.stdout.write(f"{page.relative_to(ROOT).as_posix()}\n")
    sys.exit(1 if old and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
