"""What a server counts, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from polyhop.types import Answer

SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """The counts of one server, since it started. Threads may share it."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "polyhop_requests",
            "Requests, by route, method and status.",
            ("route", "method", "status"),
            registry=registry,
        )
        self.request_seconds = Histogram(
            "polyhop_request_seconds",
            "Seconds until the end of a response.",
            ("route",),
            buckets=SECONDS,
            registry=registry,
        )
        self.answers = Counter(
            "polyhop_answers", "Answers, by strategy and status.", ("strategy", "status"), registry=registry
        )
        self.answer_seconds = Histogram(
            "polyhop_answer_seconds", "Seconds of work on an answer.", ("strategy",), buckets=SECONDS, registry=registry
        )
        self.running = Gauge("polyhop_answers_running", "Answers worked on now.", registry=registry)
        self.waiting = Gauge("polyhop_answers_waiting", "Questions that wait for their turn now.", registry=registry)
        self.refused = Counter("polyhop_answers_refused", "Questions told to come back later.", registry=registry)
        self.stopped = Counter("polyhop_answers_stopped", "Answers stopped: nobody waited any more.", registry=registry)
        self.model_calls = Counter(
            "polyhop_model_calls", "Calls to the language model, for answers.", registry=registry
        )
        self.model_tokens = Counter("polyhop_model_tokens", "Tokens of those calls.", registry=registry)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request that has ended."""
        self.requests.labels(route, method, str(status)).inc()
        self.request_seconds.labels(route).observe(seconds)

    def answer(self, answer: Answer) -> None:
        """Count an answer and what it cost."""
        cost = answer.evidence.cost
        self.answers.labels(answer.evidence.strategy, answer.status.value.replace(" ", "_")).inc()
        self.answer_seconds.labels(answer.evidence.strategy).observe(cost.seconds)
        self.model_calls.inc(cost.llm_calls)
        self.model_tokens.inc(cost.tokens)

    def text(self) -> bytes:
        """All of it in Prometheus's text format."""
        return generate_latest(self.registry)
