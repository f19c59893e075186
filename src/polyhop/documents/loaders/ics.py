"""Calendars (iCalendar): each event, task and entry is a document that says when, where and with whom in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from polyhop.documents.loaders.calendar_times import CalendarTime, length_of, moments, span
from polyhop.documents.loaders.content_lines import Component, ContentLine, components
from polyhop.documents.loaders.html import content_of, read_page
from polyhop.documents.loaders.repeats import repeats
from polyhop.documents.loading import one_line, row_document, summed_up
from polyhop.documents.tables import pairs
from polyhop.reports import Skipped
from polyhop.types import Document

_KINDS: Final = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Entry"}
_SAID_OF_STATUS: Final = frozenset(("CANCELLED", "TENTATIVE", "COMPLETED", "IN-PROCESS", "NEEDS-ACTION", "DRAFT"))
_ADDRESS: Final = re.compile(r"mailto:", re.IGNORECASE)
_MARKED_UP: Final = re.compile(r"<(?:br|p|a|b|i|u|ul|ol|li|div|span|html)\b[^<>]*>", re.IGNORECASE)
_MOST_PEOPLE: Final = 50  # whose names an event has


@dataclass(frozen=True, kw_only=True)
class IcsLoader:
    """Reads one document an event, as a row with the names of its values, above what is noted about it.

    Times are those of the calendar's own place, as far as it says where that is; others have their zone with them.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".ics", ".ical")
    media_type: ClassVar[str] = "text/calendar"
    version: ClassVar[str] = "2"

    def load(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        """The events in their order, known by their own ids. Raises DocumentError for what is no calendar."""
        yield from summed_up(self._items(path, uri), uri, "events")

    def _items(self, path: Path, uri: str) -> Iterator[Document | Skipped]:
        number = 0
        for calendar in components(path, "VCALENDAR"):
            zone = _own_zone(calendar)
            for event in calendar.inner:
                if event.name not in _KINDS:
                    continue
                number += 1
                values = _values(event, zone)
                if not values:
                    yield Skipped(f"{uri}#{number}", "says nothing that can be read")
                    continue
                title = event.said("SUMMARY") or next(iter(values.values()))
                row = "; ".join(pairs(values.keys(), values.values()))
                yield row_document(
                    uri,
                    number,
                    "\n\n".join(filter(None, (row, _description(event)))),
                    self.media_type,
                    name=" ".join(filter(None, (event.said("UID"), event.said("RECURRENCE-ID")))),
                    title=title,
                    metadata={"calendar": name} if (name := calendar.said("X-WR-CALNAME")) else {},
                )


def _own_zone(calendar: Component) -> str:
    """Where the calendar's times are meant: where it says so, or else where its first zone is."""
    zones = (part.said("TZID") for part in calendar.inner if part.name == "VTIMEZONE")
    begins = (line for part in calendar.inner for line in part.lines.get("DTSTART", ()))
    first = next((line.parameters["TZID"] for line in begins if "TZID" in line.parameters), "")
    return calendar.said("X-WR-TIMEZONE") or next(zones, "") or first


def _values(event: Component, zone: str) -> dict[str, str]:
    """What an event says, by the names under which people look for it; without what it does not say."""
    begins = moments(event.first("DTSTART"), zone)
    dues = moments(event.first("DUE"), zone)
    instead = moments(event.first("RECURRENCE-ID"), zone)
    done = moments(event.first("COMPLETED"), zone)
    status = event.said("STATUS").upper()
    values = {
        _KINDS[event.name]: event.said("SUMMARY"),
        "When": span(begins[0], _end(event, begins[0], zone)) if begins else "",
        "Due": str(dues[0]) if dues else "",
        "Repeats": repeats(event.said("RRULE"), zone),
        "Also on": _listed(event.all("RDATE"), zone),
        "Not on": _listed(event.all("EXDATE"), zone),
        "Instead of": str(instead[0]) if instead else "",
        "Where": event.said("LOCATION"),
        "Invited by": _person(organizer) if (organizer := event.first("ORGANIZER")) else "",
        "With": ", ".join(dict.fromkeys(map(_person, filter(_may_come, event.all("ATTENDEE")[:_MOST_PEOPLE])))),
        "Status": status.replace("-", " ").lower() if status in _SAID_OF_STATUS else "",
        "Completed": str(done[0]) if done else "",
        "Kind": ", ".join(line.line for line in event.all("CATEGORIES")),
        "Link": event.said("URL"),
    }
    return {name: value for name, value in values.items() if value}


def _end(event: Component, begin: CalendarTime, zone: str) -> CalendarTime | None:
    ends = moments(event.first("DTEND"), zone)
    if ends:
        return ends[0]
    length = length_of(event.said("DURATION"))
    try:
        return begin.after(length) if length else None
    except OverflowError:
        return None


def _listed(lines: list[ContentLine], zone: str) -> str:
    return " and ".join(str(moment) for line in lines for moment in moments(line, zone))


def _person(line: ContentLine) -> str:
    """Somebody by name, or else by the address."""
    return one_line(line.parameters.get("CN", "")) or _ADDRESS.sub("", line.line)


def _may_come(line: ContentLine) -> bool:
    """Whether somebody who is invited has not declined."""
    return line.parameters.get("PARTSTAT", "").upper() != "DECLINED"


def _description(event: Component) -> str:
    """What is noted about an event; some programs write it as a web page."""
    notes = "\n\n".join(line.text for name in ("DESCRIPTION", "COMMENT") for line in event.all(name))
    if not _MARKED_UP.search(notes):
        return notes
    return content_of(read_page(notes.replace("\n", "<br>").encode()), of_site=False).text()
