"""Exports of chats as JSON are conversations: who said what, and when."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from polyhop.documents.conversations.transcripts import transcript_of
from polyhop.documents.loaders.jsonl import JsonlLoader
from polyhop.types import Document

AT = 1_927_000_000  # 24 January 2031, 05:46 in UTC


def documents(file: Path, value: object) -> list[Document]:
    file.write_text(json.dumps(value), encoding="utf-8")
    return [item for item in JsonlLoader().load(file, file.as_posix()) if isinstance(item, Document)]


def message(author: object, text: object, **others: object) -> dict[str, object]:
    return {"from": author, "text": text, "date": "2031-02-04T17:30:00+01:00", **others}


def test_each_message_has_who_said_it_and_when(tmp_path: Path) -> None:
    """Notices that somebody came are nothing that was said; ids in messages are names."""
    ada = {"user": "U1", "user_profile": {"real_name": "Ada Brisk"}}
    otto = {"user": "U2", "user_profile": {"real_name": "Otto Fell"}}
    export = [
        {"type": "message", **ada, "ts": f"{AT}.0001", "text": "I decided against oak.\nIt warps."},
        {"type": "message", **otto, "ts": f"{AT + 60}.0001", "text": "<@U1> then elm?"},
        {"type": "message", "user": "U3", "ts": f"{AT + 90}.0001", "text": "<@U3> has joined the channel"},
        {"type": "message", **ada, "ts": f"{AT + 120}.0001", "text": "Elm."},
    ]
    (chat,) = documents(tmp_path / "wheel.json", export)
    assert chat.title == "wheel"
    assert chat.text == (
        "[24 January 2031, 05:46] Ada Brisk: I decided against oak.\nIt warps.\n"
        "[24 January 2031, 05:47] Otto Fell: @Ada Brisk then elm?\n[24 January 2031, 05:48] Ada Brisk: Elm."
    )
    transcript = transcript_of(chat.text)
    assert transcript is not None
    assert [turn.speaker for turn in transcript.turns] == ["Ada Brisk", "Otto Fell", "Ada Brisk"]
    assert {turn.date for turn in transcript.turns} == {"20310124"}


@pytest.mark.parametrize(
    "messages",
    [
        [{"author": {"id": "7", "name": "ada"}, "timestamp": "2031-02-04T17:30:00.123+00:00", "content": "The gate."}],
        [{"sender_name": "ada", "timestamp_ms": AT * 1000, "content": "The gate."}],
        [message("ada", ["The ", {"type": "bold", "text": "gate"}, "."])],
        [
            {
                "from": {"user": {"displayName": "ada"}},
                "createdDateTime": "2031-02-04T17:30:00Z",
                "body": {"content": "The gate."},
            }
        ],
        [{"creator": {"name": "ada"}, "created_date": "Tuesday, February 4, 2031 at 5:30 PM", "text": "The gate."}],
    ],
    ids=["nested author", "milliseconds", "text in pieces", "author within", "a date in words"],
)
def test_messages_are_known_however_an_export_calls_their_parts(
    tmp_path: Path, messages: list[dict[str, object]]
) -> None:
    (chat,) = documents(tmp_path / "a.json", {"channel": {"id": 1}, "messages": messages})
    transcript = transcript_of(chat.text)
    assert transcript is not None
    (turn,) = transcript.turns
    assert (turn.speaker, chat.text[turn.start : turn.end], turn.date[:4]) == ("Ada", "The gate.", "2031")


def test_a_chat_may_have_a_list_of_who_takes_part_beside_it(tmp_path: Path) -> None:
    messages = [message(who, "The gate.") for who in ("ada", "otto", "ada")]
    export = {"participants": [{"name": "ada"}, {"name": "otto"}], "messages": messages, "title": "Mill"}
    (chat,) = documents(tmp_path / "message_1.json", export)
    assert (chat.title, chat.text.count("The gate.")) == ("Mill", 3)
    assert transcript_of(chat.text) is not None


def test_links_and_entities_of_slack_are_read_as_they_are_seen(tmp_path: Path) -> None:
    said = (
        "<!here> oak &amp; elm are &lt; 40, see <https://mill.example/wood|the list>",
        "and <https://mill.example/wood>, in <#C1|gates>; &amp;lt; is a sign",
        "<file> is none",
    )
    export = [{"user": "ada", "ts": f"{AT + 60 * number}.0001", "text": text} for number, text in enumerate(said)]
    (chat,) = documents(tmp_path / "wheel.json", export)
    assert [line.partition("] ada: ")[2] for line in chat.text.split("\n")] == [
        "@here oak & elm are < 40, see the list",
        "and https://mill.example/wood, in gates; &lt; is a sign",
        "<file> is none",
    ]


def test_the_oldest_message_is_the_first_whatever_the_order_of_the_export(tmp_path: Path) -> None:
    export = [{"sender": "Ada", "time": AT - n, "text": f"Part {n}."} for n in range(3)]
    (chat,) = documents(tmp_path / "a.json", export)
    assert [line.rpartition(": ")[2] for line in chat.text.split("\n")] == ["Part 2.", "Part 1.", "Part 0."]


@pytest.mark.parametrize(
    "rows",
    [
        [message("Ada", "The gate is shut.", title="Gate"), message("Ada", "The lamp is lit.", title="Lamp")],
        [{**message("Ada", "The gate is shut."), "date": "2031-02-04"}] * 2,
        [message(f"Ada {n}", "The gate is shut.") for n in range(8)],
        [{"from": "Orla", "text": "The gate is shut."}, {"from": "Fenn", "text": "The lamp is lit."}],
    ],
    ids=["with titles", "a day without a time", "nobody comes back", "without a time"],
)
def test_rows_that_only_look_like_messages_are_rows(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    found = documents(tmp_path / "a.json", rows)
    assert [one.text for one in found] == [row["text"] for row in rows]
    assert all(one.whole for one in found)
