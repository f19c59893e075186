"""What all routes share, and what a request names: the service, and the workspace that it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request

from polyhop.serve.engines import Engines, Workspace
from polyhop.serve.metrics import Metrics
from polyhop.serve.turns import Turns
from polyhop.settings import Settings


@dataclass(frozen=True)
class Service:
    """A server's parts, made once and shared by all requests."""

    settings: Settings
    engines: Engines
    turns: Turns
    metrics: Metrics

    def close(self) -> None:
        """Wait for the answers under way, and let go of all indexes."""
        self.turns.close()
        self.engines.close()


def service_of(request: Request) -> Service:
    """The service that a request has come to."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


def workspace_of(
    service: TheService,
    name: Annotated[
        str | None, Header(alias="Polyhop-Workspace", description="The only one, or `default`, where it is absent.")
    ] = None,
) -> Workspace:
    """The workspace that a request names, or the default one. Raises WorkspaceMissing."""
    return service.engines.workspace(name)


TheWorkspace = Annotated[Workspace, Depends(workspace_of)]
