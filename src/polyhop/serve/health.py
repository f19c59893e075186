"""Routes for whoever watches a server: whether it lives, whether it can answer, and what it has counted."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from polyhop.errors import StoreError
from polyhop.serve.service import TheService

router = APIRouter(tags=["watching"])


class Health(BaseModel):
    """How a server is."""

    status: str


class Unready(StoreError):
    """A workspace cannot answer questions now."""

    http_status = 503


@router.head("/health", include_in_schema=False)
@router.get("/health")
async def health() -> Health:
    """Whether the server lives."""
    return Health(status="ok")


@router.head("/ready", include_in_schema=False)
@router.get("/ready")
def ready(service: TheService) -> Health:
    """Whether questions can be answered: opens the index, or what of the first workspace there is."""
    for name in service.engines.names()[:1]:
        try:
            service.engines.workspace(name).engine.strategy_for(None)
        except StoreError as error:
            raise Unready(str(error), remedy=error.remedy) from error
    return Health(status="ok")


@router.get("/metrics", response_class=Response)
def metrics(service: TheService) -> Response:
    """What was counted since the server started, in Prometheus's text format."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)
