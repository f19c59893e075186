"""The script that plays a language model with a folder of requests and replies."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

from polyhop.models.endpoint import OpenAICompatible
from polyhop.prompts.answer_step import answer_step
from tests.worlds.prompts import PASSAGES, STEP
from tests.worlds.scripts import benchmark

REPLY = '{"support": [{"passage": 2, "quote": "She was born in Velm."}], "answer": "Velm", "sufficient": true}'


def test_a_request_waits_in_the_folder_for_whoever_answers_it(tmp_path: Path) -> None:
    """What is written in reply is what the model said, and tokens are counted."""
    with benchmark("answered_by_hand").HandServer(tmp_path) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        found: list[Any] = []
        with OpenAICompatible(base_url=server.url, model="by-hand") as model:
            asking = threading.Thread(target=lambda: found.append(answer_step(model, STEP, [], PASSAGES)))
            asking.start()
            request = tmp_path / "0001.request.txt"
            while not (request.exists() and request.read_text(encoding="utf-8").endswith("\n")):
                time.sleep(0.01)
            (tmp_path / "reply").write_text(REPLY, encoding="utf-8")
            (tmp_path / "reply").rename(tmp_path / "0001.reply.txt")
            asking.join()
        server.shutdown()
    text = request.read_text(encoding="utf-8")
    assert text.startswith("[system]\nYou answer one step of a plan")
    assert "[user]\n<<<PASSAGE 1 " in text
    assert STEP in text
    assert "[schema]\n" in text
    [answer] = found
    assert (answer.text, answer.sufficient, model.meter.total.llm_calls) == ("Velm", True, 1)
    assert model.meter.total.prompt_tokens > 300
