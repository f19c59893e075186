"""Stops a reply that goes round in circles while it is written, as small models do, up to whatever limit there is."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.models.heard import ReplyListener

ROUNDS = 3  # that the end of a text has gone the same way, before it is said to go round
LEAST = 800  # characters of those rounds together: a short word may well be said three times
_LONGEST = 6000  # characters of them that are compared
_EVERY = 400  # characters that come before it is looked for again


class GoesRound(Exception):
    """A reply says the same again and again, and will not say anything else."""


@dataclass
class StopsCircles:
    """Hears a reply, hands it on to whoever else listens, and raises GoesRound where it goes round in circles."""

    listener: ReplyListener | None = None
    _end: str = ""  # of what was heard
    _fresh: int = 0  # characters that came since it was last looked for

    def begins(self) -> None:
        """Another reply."""
        self._end, self._fresh = "", 0
        if self.listener is not None:
            self.listener.begins()

    def hears(self, piece: str) -> None:
        """More of it."""
        self._end = (self._end + piece)[-_LONGEST:]
        self._fresh += len(piece)
        if self.listener is not None:
            self.listener.hears(piece)
        if self._fresh >= _EVERY:
            self._fresh = 0
            if goes_round(self._end):
                raise GoesRound


def goes_round(text: str) -> bool:
    """Whether a text ends with the same characters ROUNDS times or more, LEAST of them in all.

    From the failure function of the reversed text (Knuth, Morris and Pratt 1977): of a stretch of n characters whose
    longest border has b, n - b is the period.
    """
    borders = [0]
    border = 0
    backwards = text[: -_LONGEST - 1 : -1]
    for at in range(1, len(backwards)):
        while border and backwards[at] != backwards[border]:
            border = borders[border - 1]
        border += backwards[at] == backwards[border]
        borders.append(border)
        stretch = at + 1
        if stretch >= LEAST and stretch >= ROUNDS * (stretch - border):
            return True
    return False
