"""The log of a server and of the processes that work for it: lines of JSON on standard error, one an event."""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar

request_id: ContextVar[str] = ContextVar("request_id", default="")  # of the request that is being answered


class JsonLines(logging.Formatter):
    """Log lines as JSON, one an event, with the request's id."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage(),
            **({"request_id": request_id.get()} if request_id.get() else {}),
            **getattr(record, "told", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def log_as_json() -> None:
    """Have everything that is logged written as lines of JSON to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers = [handler]
    for name in ("polyhop", "uvicorn"):
        logging.getLogger(name).setLevel(min(logging.INFO, root.level or logging.INFO))
