"""Tokenizers whose tokens are bytes and merges of bytes: the grammar of the translator counts on that.

Such a tokenizer can say every text, and its tokens joined are the text. One that puts spaces in, or has a token for
what it does not know, is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from polyhop.errors import ModelError
from polyhop.models.json_file import json_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER: Final = "tokenizer.json"
CUTTING: Final = ("Split", "Digits", "ByteLevel")  # steps before the merges that lose nothing
REMEDY: Final = "Take a model whose tokenizer is byte-level BPE, as those of Llama 3, Qwen2 and SmolLM2 are."
MISSING: Final = (
    "Take a folder that has one: any loading and saving of the model with a fast tokenizer writes it, "
    "and a tokenizer.model alone is not read."
)


def read_tokenizer(folder: Path, vocabulary: int) -> dict[str, Any]:
    """The tokenizer of a folder. Raises ModelMissing where it has none, ModelError where the tokens are not bytes.

    ``vocabulary``: number of tokens that the network knows.
    """
    content = json_of(folder / TOKENIZER, MISSING)
    try:
        fault = next(_faults(content, vocabulary), None)
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        fault = f"it cannot be read ({error!r})"
    if fault is not None:
        raise ModelError(f"{folder / TOKENIZER} cannot be used: {fault}.", remedy=REMEDY)
    return content


def plain(content: dict[str, Any]) -> dict[str, Any]:
    """The same tokenizer for texts alone: nothing is put around them, cut off, composed, or read as more than text.

    Accents stay as they are written (NFC would compose them): what is said is looked up in the text. All tokens beside
    the merges count as control tokens, those that a text may spell, too: a document gives no orders.
    """
    added = [{**token, "special": True, "normalized": False} for token in content.get("added_tokens") or []]
    model = {**content["model"], "dropout": None, "unk_token": None}
    whole = {"normalizer": None, "truncation": None, "padding": None, "post_processor": None}
    return {**content, **whole, "added_tokens": added, "model": model}


def write_tokenizer(content: dict[str, Any], target: Path) -> None:
    """Write a tokenizer. Raises OSError."""
    target.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def opened(content: dict[str, Any], path: Path) -> Tokenizer:
    """The tokenizer, ready to use; control tokens in a text are read as such. Raises ModelError."""
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_str(json.dumps(content))
    except Exception as error:  # the library has no class of its own
        raise ModelError(f"{path} cannot be read: {error}.", remedy="Copy or download it again.") from error


def cuts_at_spaces(tokenizer: Tokenizer) -> bool:
    """Whether a text may be cut before each space between two words, and its tokens are those of the pieces.

    That is sure where nothing but digits and the pattern of ByteLevel itself, that of GPT-2, cuts a text before the
    merges: the pattern has a space only at the beginning of what it matches, and looks neither back nor past a space.
    """
    added = tokenizer.get_added_tokens_decoder().values()
    if tokenizer.normalizer is not None or tokenizer.pre_tokenizer is None or not all(token.special for token in added):
        return False
    *before, last = _steps(json.loads(tokenizer.pre_tokenizer.__getstate__()), "pretokenizers")
    return bool(last["type"] == "ByteLevel" and last.get("use_regex", True)) and all(
        step["type"] == "Digits" for step in before
    )


def _faults(content: dict[str, Any], vocabulary: int) -> Iterator[str]:
    model, normalizer = content["model"], content.get("normalizer")
    if model.get("type") != "BPE":
        yield f"its model is {model.get('type')}, not BPE"
    yield from (f"its merges have a {key}" for key in AFFIXES if model.get(key))
    if normalizer is not None and normalizer["type"] != "NFC":
        yield f"it changes texts before it reads them ({normalizer['type']})"
    steps = _steps(content.get("pre_tokenizer"), "pretokenizers")
    if not steps or steps[-1]["type"] != "ByteLevel":
        yield "its tokens are not bytes: it has no step ByteLevel before its merges"
    for step in steps:
        if step["type"] not in CUTTING or step.get("behavior") == "Removed":
            yield f"it cuts texts by a step that is not known ({step['type']})"
        if step.get("add_prefix_space"):
            yield "it puts a space before each text"
    if [step["type"] for step in _steps(content.get("decoder"), "decoders")] != ["ByteLevel"]:
        yield "it does not put bytes together to texts: its decoder is not ByteLevel"
    ids = [*model["vocab"].values(), *(token["id"] for token in content.get("added_tokens") or [])]
    if max(ids) >= vocabulary:
        yield f"it has a token {max(ids)}, and the network knows {vocabulary} tokens"


AFFIXES: Final = ("byte_fallback", "continuing_subword_prefix", "end_of_word_suffix")


def _steps(step: dict[str, Any] | None, several: str) -> list[dict[str, Any]]:
    """A step, or those that it consists of."""
    if step is None:
        return []
    return list(step[several]) if step["type"] == "Sequence" else [step]
