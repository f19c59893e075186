"""Calendars and contacts are read: each event and each contact is a row, with days and times in words."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.ics import IcsLoader
from polyhop.documents.loaders.vcf import VcfLoader
from polyhop.errors import DocumentError
from polyhop.types import Document

LONDON = "X-WR-TIMEZONE:Europe/London\n"
BEGIN = "DTSTART;TZID=Europe/London:20310527T160000\n"


def events(folder: Path, *inner: str, head: str = "") -> list[Document]:
    parts = "".join(f"BEGIN:VEVENT\nSUMMARY:Regatta\n{lines}\nEND:VEVENT\n" for lines in inner)
    return written_events(folder, f"BEGIN:VCALENDAR\n{head}{parts}END:VCALENDAR\n".replace("\n", "\r\n").encode())


def written_events(folder: Path, content: bytes) -> list[Document]:
    (folder / "club.ics").write_bytes(content)
    return [item for item in IcsLoader().load(folder / "club.ics", "club.ics") if isinstance(item, Document)]


def contact(folder: Path, lines: str) -> Document:
    file = folder / "people.vcf"
    file.write_bytes(f"BEGIN:VCARD\n{lines}\nEND:VCARD\n".replace("\n", "\r\n").encode())
    (item,) = VcfLoader().load(file, "people.vcf")
    assert isinstance(item, Document)
    return item


def test_an_event_is_a_row_above_what_is_noted_about_it(tmp_path: Path) -> None:
    lines = (
        f"UID:7@club\n{BEGIN}DTEND;TZID=Europe/London:20310527T163000\n"
        "LOCATION:Boathouse\\, 3 Mill Lane\nORGANIZER;CN=\"Brisk, Ada\":mailto:ada@club.example\n"
        "ATTENDEE;PARTSTAT=ACCEPTED;CN=Otto Fell:mailto:otto@club.example\nATTENDEE:mailto:eva@club.example\n"
        "STATUS:CANCELLED\nDESCRIPTION:Bring oars.\\nIf it ra\n ins\\, ring bef\n orehand.\n"
        "BEGIN:VALARM\nDESCRIPTION:Reminder\nEND:VALARM"
    )  # fmt: skip
    (event,) = events(tmp_path, lines, head="X-WR-CALNAME:Rowing club\n")
    assert (event.uri, event.title, event.metadata) == ("club.ics#7@club", "Regatta", {"calendar": "Rowing club"})
    assert event.text == (
        "Event: Regatta; When: Tuesday 27 May 2031, 16:00 to 16:30; Where: Boathouse, 3 Mill Lane; "
        "Invited by: Brisk, Ada; With: Otto Fell, eva@club.example; Status: cancelled\n\n"
        "Bring oars.\nIf it rains, ring beforehand."
    )


def test_who_declined_is_not_with_those_who_come(tmp_path: Path) -> None:
    invited = (
        "ATTENDEE;PARTSTAT=DECLINED;CN=Otto Fell:mailto:otto@club.example\nATTENDEE;CN=Ada Brisk:mailto:a@club.example"
    )
    (event,) = events(tmp_path, f"{BEGIN}{invited}")
    assert event.text.endswith("16:00; With: Ada Brisk")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (BEGIN, "Tuesday 27 May 2031, 16:00"),
        (f"{BEGIN}DURATION:PT1H30M", "Tuesday 27 May 2031, 16:00 to 17:30"),
        (f"{BEGIN}DTEND;TZID=Europe/London:20310528T010000",
         "Tuesday 27 May 2031, 16:00 to Wednesday 28 May 2031, 01:00"),
        ("DTSTART;VALUE=DATE:20310616\nDTEND;VALUE=DATE:20310621", "Monday 16 June 2031 to Friday 20 June 2031"),
        ("DTSTART;VALUE=DATE:20310616\nDTEND;VALUE=DATE:20310617", "Monday 16 June 2031"),
        ("DTSTART;VALUE=DATE:20310616\nDURATION:P3D", "Monday 16 June 2031 to Wednesday 18 June 2031"),
        ("DTSTART;VALUE=DATE:20310616", "Monday 16 June 2031"),
        ("DTSTART:20310527T150000Z", "Tuesday 27 May 2031, 16:00"),  # in London, in summer
        ("DTSTART:20311127T150000Z", "Thursday 27 November 2031, 15:00"),
        ("DTSTART;TZID=Asia/Tokyo:20310527T160000", "Tuesday 27 May 2031, 16:00 (Asia/Tokyo)"),
    ],
)  # fmt: skip
def test_days_and_times_are_told_in_words(tmp_path: Path, lines: str, said: str) -> None:
    (event,) = events(tmp_path, lines, head=LONDON)
    assert event.text == f"Event: Regatta; When: {said}"


def test_a_time_of_the_whole_world_stays_one_where_nobody_says_where_the_calendar_is(tmp_path: Path) -> None:
    (event,) = events(tmp_path, "DTSTART:20310527T150000Z")
    assert event.text == "Event: Regatta; When: Tuesday 27 May 2031, 15:00 (UTC)"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=YEARLY", "every year"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR", "every 2 weeks on Monday, Wednesday and Friday"),
        ("FREQ=MONTHLY;BYDAY=1MO", "every month on the first Monday"),
        ("FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20320101T000000Z", "every month on the last Friday until 1 January 2032"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last working day"),
        ("FREQ=MONTHLY;BYMONTHDAY=1,15", "every month on the 1st and the 15th"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "every month on the last day"),
        ("FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=2;COUNT=10", "every year in January and July on the 2nd 10 times"),
    ],
)
def test_what_comes_again_says_how_often(tmp_path: Path, rule: str, said: str) -> None:
    (event,) = events(tmp_path, f"{BEGIN}RRULE:{rule}")
    assert event.text.endswith(f"; Repeats: {said}")


def test_a_day_on_which_it_is_otherwise_is_an_event_of_its_own(tmp_path: Path) -> None:
    series = f"UID:7\n{BEGIN}RRULE:FREQ=WEEKLY\nEXDATE;TZID=Europe/London:20310603T160000"
    moved = "UID:7\nRECURRENCE-ID;TZID=Europe/London:20310610T160000\nDTSTART;TZID=Europe/London:20310611T170000"
    first, second = events(tmp_path, series, moved)
    assert first.text.endswith("Repeats: every week; Not on: Tuesday 3 June 2031, 16:00")
    assert second.text.endswith("When: Wednesday 11 June 2031, 17:00; Instead of: Tuesday 10 June 2031, 16:00")
    assert first.id != second.id


def test_a_task_says_when_it_is_due_and_whether_it_is_done(tmp_path: Path) -> None:
    task = b"BEGIN:VTODO\nSUMMARY:Oil it\nDUE;VALUE=DATE:20310616\nSTATUS:COMPLETED\nEND:VTODO\n"
    (item,) = written_events(tmp_path, b"BEGIN:VCALENDAR\n" + task + b"END:VCALENDAR")
    assert item.text == "Task: Oil it; Due: Monday 16 June 2031; Status: completed"


def test_a_line_may_be_folded_within_a_letter(tmp_path: Path) -> None:
    head, tail = "é".encode()[:1], "é".encode()[1:]
    content = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Caf" + head + b"\r\n " + tail + b"\nEND:VEVENT\nEND:VCALENDAR"
    assert [event.title for event in written_events(tmp_path, content)] == ["Café"]


def test_a_note_that_is_a_web_page_is_read_as_one(tmp_path: Path) -> None:
    (event,) = events(tmp_path, "DESCRIPTION:Bring <b>oars</b>.<br>Ring &amp\\; wait.")
    assert event.text == "Event: Regatta\n\nBring oars.\nRing & wait."
    (plain,) = events(tmp_path, "DESCRIPTION:If a < b and c > d\\, wait.")
    assert plain.text == "Event: Regatta\n\nIf a < b and c > d, wait."


@pytest.mark.parametrize("content", [b"The regatta is in May.", b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Cut sho"])
def test_what_is_no_whole_calendar_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DocumentError, match="has nothing from BEGIN:VCALENDAR to END:VCALENDAR"):
        written_events(tmp_path, content)


def test_a_file_of_genes_is_no_contact(tmp_path: Path) -> None:
    (tmp_path / "genes.vcf").write_text("##fileformat=VCFv4.2\n#CHROM\tPOS\n1\t1742\n", encoding="utf-8")
    with pytest.raises(DocumentError, match="has nothing from BEGIN:VCARD to END:VCARD"):
        list(VcfLoader().load(tmp_path / "genes.vcf", "genes.vcf"))


def test_a_contact_is_a_row_above_what_is_noted_about_it(tmp_path: Path) -> None:
    lines = (
        "VERSION:3.0\nFN:Ada Brisk\nORG:Orla Mill\\, Ltd;Weirs\nTITLE:Miller\nTEL;TYPE=CELL,VOICE:01632 960001\n"
        "EMAIL;TYPE=INTERNET;TYPE=WORK:ada@mill.example\nADR;TYPE=HOME:;;3 Mill Lane;Quillmouth;;QM1 2AB;\n"
        "BDAY:1990-05-04\nitem1.X-ABRELATEDNAMES:Otto Fell\nitem1.X-ABLabel:_$!<Brother>!$_\n"
        "PHOTO;ENCODING=b:/9j/4AAQ\n SkZJ\nNOTE:Likes rye.\\nAnd tea."
    )
    item = contact(tmp_path, lines)
    assert item.title == "Ada Brisk"
    assert item.text == (
        "Name: Ada Brisk; Company: Orla Mill, Ltd, Weirs; Job: Miller; Phone (mobile): 01632 960001; "
        "Email (work): ada@mill.example; Address (home): 3 Mill Lane, Quillmouth, QM1 2AB; Birthday: 4 May 1990; "
        "Related (brother): Otto Fell\n\nLikes rye.\nAnd tea."
    )


def test_a_contact_of_an_old_phone_is_read(tmp_path: Path) -> None:
    lines = (
        "VERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gr=C3=BCn;Ida;;Dr.;\n"
        "TEL;HOME:1742\nNOTE;ENCODING=QUOTED-PRINTABLE:Likes rye=0D=0Aand =\ntea"
    )
    item = contact(tmp_path, lines)
    assert item.text == "Name: Dr. Ida Grün; Phone (home): 1742\n\nLikes rye\nand tea"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("BDAY:--0504", "4 May"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-04", "4 May"),
        ("BDAY:19900504", "4 May 1990"),
        ("BDAY;VALUE=text:in spring", "in spring"),
    ],
)
def test_a_birthday_is_told_in_words(tmp_path: Path, line: str, said: str) -> None:
    assert contact(tmp_path, f"FN:Ada\n{line}").text == f"Name: Ada; Birthday: {said}"


@pytest.mark.parametrize("hostile", ["BEGIN:A\n" * 50_000, ';"' * 50_000, "A;ENCODING=QUOTED-PRINTABLE:=\n" * 20_000])
def test_lines_that_never_end_what_they_begin_are_read_in_time(tmp_path: Path, hostile: str) -> None:
    began = time.process_time()
    written_events(tmp_path, f"BEGIN:VCALENDAR\nEND:VCALENDAR\n{hostile}".encode())
    assert time.process_time() - began < 10
