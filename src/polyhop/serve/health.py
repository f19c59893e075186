"""Routes for whoever watches a server: whether it lives, whether it can answer, and what it has counted."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from polyhop.errors import IndexMissing, LayerMissing, StoreError, UsageError
from polyhop.serve.admission import KEY
from polyhop.serve.safe_messages import message_of
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
    """Whether questions can be answered: opens the index, or those of the workspaces up to the first that answers.

    A workspace without documents yet is none that fails, and one that is damaged keeps nobody from the others.
    """
    failed: StoreError | UsageError | None = None
    for name in service.engines.names():
        try:
            service.engines.workspace(name).engine.strategy_for(None)
        except (StoreError, UsageError) as error:
            is_empty = isinstance(error, (IndexMissing, LayerMissing)) and not service.engines.places.is_single
            failed = failed if is_empty else failed or error
        else:
            return Health(status="ok")
    if failed is not None:
        raise Unready(message_of(failed), remedy=failed.remedy) from failed
    return Health(status="ok")


@router.get("/metrics", response_class=Response, dependencies=[Depends(KEY)])
def metrics(service: TheService) -> Response:
    """What was counted since the server started, in Prometheus's text format."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)
