"""Opens ONNX graphs on the processor, in the way that suits machines which do other work as well."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from polyhop.errors import ModelError
from polyhop.models.saturation import products_saturate
from polyhop.models.weights import DAMAGED
from polyhop.ports import Ints
from polyhop.settings import without_reports


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux only
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def open_session(model: Path, threads: int, gives: Sequence[str] = ()) -> Any:
    """An inference session; ``threads`` is how many one run may use, ``gives`` what its graph has to give.

    Idle threads sleep (spinning would take the core from others), and no memory plan is kept for each input length.
    Products of 8-bit numbers are exact: where they would saturate, rankings would be others than on other machines.
    Exactness costs such processors a fifth of a model's time or more.
    Raises ModelError where the file is no graph that this onnxruntime can run, or that of a model of another kind.
    """
    without_reports()
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    options = onnxruntime.SessionOptions()
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if products_saturate():
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.log_severity_level = 3  # errors: they are raised anyway
    failures = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile)
    try:
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except (*failures, state.NotImplemented, state.RuntimeException) as error:
        raise ModelError(f"The model {model} cannot be loaded: {error}", remedy=DAMAGED) from error
    given = [value.name for value in session.get_outputs()]
    if missing := [name for name in gives if name not in given]:
        raise ModelError(
            f"The model {model} is of another kind: it gives {', '.join(given)}, and not {', '.join(missing)}.",
            remedy="Name the folder of a model that was trained for this.",
        )
    return session


def feed_of(ids: Sequence[int], first: int) -> dict[str, Ints]:
    """What a graph that training wrote reads, one sequence of tokens; what is behind so many is of the second text."""
    tokens = np.array([ids], np.int64)
    second = (np.arange(len(ids)) >= first).astype(np.int64)
    return {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": second[None]}
