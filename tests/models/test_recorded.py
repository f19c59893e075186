"""Replies of a language model that are kept, and given again without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.errors import OutputInvalid, UsageError
from polyhop.models.accounting import Request, WastedOutput
from polyhop.models.recorded import NotRecorded, Recorder, Replay
from polyhop.ports import Message
from tests.worlds.endpoint import asked, in_turn, says

ASKED = (
    Message("system", "Answer."),
    Message("user", "<<<QUESTION 1a>>>\nWho built the Gull?\n<<<END OF QUESTION 1a>>>"),
)


def test_a_recording_replies_as_the_model_did_at_the_same_cost(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    with asked(in_turn(says("Ada Brook"), says(""))) as (model, server):
        recorder = Recorder(model, file)
        said = recorder.complete(ASKED)
        with pytest.raises(OutputInvalid):
            recorder.complete(ASKED[1:])
        assert (recorder.name, recorder.concurrency, len(server.requests)) == (model.name, model.concurrency, 2)
    replay = Replay(file)
    assert (replay.complete(ASKED), replay.name) == (said, recorder.name)
    with pytest.raises(WastedOutput, match="empty answer"):
        replay.complete(ASKED[1:])
    replay.check()


def test_a_request_that_was_not_recorded_is_named(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    with asked(says("Ada Brook")) as (model, _):
        Recorder(model, file).complete(ASKED)
    replay = Replay(file)
    for request, schema in ((ASKED[:1], None), (ASKED, {"type": "object"})):
        with pytest.raises(NotRecorded, match=r"has no reply to the request “Answer\. …”") as caught:
            replay.complete(request, schema=schema)
    assert "Who built the Gull?" in str(caught.value)
    with pytest.raises(NotRecorded):  # also where whoever asked went on without it
        replay.check()


def test_a_reply_that_a_kill_has_torn_is_asked_for_again(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    with asked(says("Ada Brook")) as (model, _):
        Recorder(model, file).complete(ASKED[1:])
        Recorder(model, file).complete(ASKED)
        file.write_bytes(file.read_bytes()[:-20])
        assert Replay(file).complete(ASKED[1:]).text == "Ada Brook"
        with pytest.raises(NotRecorded):
            Replay(file).complete(ASKED)
        Recorder(model, file).complete(ASKED)
    assert Replay(file).complete(ASKED).text == "Ada Brook"


@pytest.mark.parametrize("content", ["no JSON", '{"model": "sage"}', "[1]"])
def test_what_is_no_recording_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text(content)
    with pytest.raises(UsageError, match="no recording"):
        Replay(tmp_path / "replies.jsonl")
    with pytest.raises(UsageError, match="no recording"):
        Replay(tmp_path / "nowhere.jsonl")


def test_replies_to_one_request_come_in_their_order(tmp_path: Path) -> None:
    """The later ones may have cost nothing, because the first was kept."""
    file = tmp_path / "replies.jsonl"
    with asked(in_turn(says("Ada Brook"), says("Bo Crane"))) as (model, _):
        recorder = Recorder(model, file)
        said = [recorder.complete(ASKED) for _ in range(2)]
    replay = Replay(file)
    assert [replay.complete(ASKED) for _ in range(3)] == [*said, said[1]]


def test_a_request_may_cost_as_much_as_when_it_was_recorded(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    request = Request(messages=ASKED, max_tokens=40)
    with asked(says("Ada Brook"), prompt_price=3.0, completion_price=9.0, reasoning_tokens=200) as (model, _):
        Recorder(model, file).complete(ASKED)
        assert Replay(file).most(request) == model.most(request)


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "in_the_way").touch()
    with asked(says("Ada Brook")) as (model, server):
        with pytest.raises(UsageError, match="cannot be kept"):
            Recorder(model, tmp_path / "in_the_way" / "replies.jsonl")
        Recorder(model, tmp_path / "new" / "replies.jsonl").complete(ASKED)
        assert len(server.requests) == 1
