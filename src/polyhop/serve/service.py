"""What all routes share, and what a request names: the service, and the workspace that it is about."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Header, Request

from polyhop.serve.access import workspace_for
from polyhop.serve.engines import Engines, Workspace
from polyhop.serve.intake import Intake
from polyhop.serve.keys import Key
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
    intake: Intake
    followed: Sequence[Path] = ()  # folders of this machine, which say what is in the index
    stopping: threading.Event = field(default_factory=threading.Event)  # set as soon as the server begins to stop

    def close(self) -> None:
        """Wait for the answers under way, and let go of all indexes."""
        self.intake.close()
        self.turns.close()
        self.engines.close()


def service_of(request: Request) -> Service:
    """The service that a request has come to."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


def key_of(request: Request) -> Key:
    """The key that a request was let in with."""
    key: Key = request.state.key
    return key


TheKey = Annotated[Key, Depends(key_of)]


def workspace_of(
    request: Request,
    service: TheService,
    key: TheKey,
    name: Annotated[
        str | None, Header(alias="Polyhop-Workspace", description="The only one, or `default`, where it is absent.")
    ] = None,
) -> Workspace:
    """The workspace that a request names, or the default one. Raises WorkspaceMissing."""
    workspace = service.engines.workspace(workspace_for(key, name, service.engines.names()), key)
    request.state.workspace = workspace.name  # for the log
    return workspace


TheWorkspace = Annotated[Workspace, Depends(workspace_of)]
