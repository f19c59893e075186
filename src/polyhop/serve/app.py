"""The application: all routes of a server, over the engines of its workspaces."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI

from polyhop import __version__
from polyhop.serve import (
    asking,
    drawing,
    foreseeing,
    graph,
    graph_care,
    health,
    openai_chat,
    page_routes,
    reading,
    writing,
)
from polyhop.serve.access import is_this_machine
from polyhop.serve.admission import KEY, Admission
from polyhop.serve.answering import NobodyWaits, unheard
from polyhop.serve.engines import Engines
from polyhop.serve.errors import RESPONSES, handle_errors
from polyhop.serve.following import Following
from polyhop.serve.intake import Intake
from polyhop.serve.jobs import routes as jobs
from polyhop.serve.mcp import Assistants
from polyhop.serve.metrics import Metrics
from polyhop.serve.requests import AroundRequests, OwnHost
from polyhop.serve.service import Service
from polyhop.serve.turns import Turns
from polyhop.settings import Serving, Settings

LOCAL = ("localhost", "127.0.0.1", "[::1]")  # how a browser on this machine may call a server that only it reaches
ABOUT = """
Answers to questions whose answer is spread over several documents, with every hop of the way and the exact sentence
behind it. Errors have one shape: `{"error": {"type", "message", "remedy", "request_id"}}`.
"""


def create_app(engines: Engines, settings: Settings, *, watched: Sequence[Path] = ()) -> FastAPI:
    """The ASGI application of a server, which follows the folders ``watched``.

    Ending its lifespan waits for the answers under way and closes the engines.
    """
    metrics = Metrics()
    intake = Intake(engines.places, settings, open_to_local=is_open(settings.server))
    turns = Turns(settings.server, metrics)
    service = Service(settings=settings, engines=engines, turns=turns, metrics=metrics, intake=intake, followed=watched)
    assistants = Assistants(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        following = Following(intake=intake, place=engines.places.place(), paths=watched) if watched else None
        if following is not None:
            following.begin()
        async with assistants.running():
            yield
        if following is not None:
            following.end()
        await asyncio.to_thread(service.close)

    app = FastAPI(
        title="Polyhop",
        version=__version__,
        description=ABOUT,
        lifespan=lifespan,
        responses=RESPONSES,
        servers=[{"url": outside}] if (outside := settings.server.site + settings.server.prefix) else None,
        docs_url=None,  # a page with scripts of a third party, in reach of everybody's documents
        redoc_url=None,
    )
    app.state.service = service
    of_documents = (asking, drawing, reading, graph, graph_care, foreseeing, writing)
    app.include_router(page_routes.router)  # first, as routes are looked through in turn, and a page is many files
    for router in (*of_documents, openai_chat, jobs):
        app.include_router(router.router, dependencies=[Depends(KEY)])
    app.include_router(health.router)
    app.router.routes.extend(assistants.routes)
    handle_errors(app)
    app.add_exception_handler(NobodyWaits, unheard)
    app.add_middleware(Admission, access=intake.access)
    host = settings.server.host
    if is_this_machine(host):  # no name that leads here may be another site's
        own = f"[{host}]" if ":" in host else host
        app.add_middleware(OwnHost, names=(*LOCAL, own, *filter(None, [urlsplit(settings.server.site).hostname])))
    app.add_middleware(AroundRequests, serving=settings.server, metrics=metrics)
    return app


def is_open(serving: Serving) -> bool:
    """Whether only this machine reaches a server: a proxy brings others, and need not say so."""
    return is_this_machine(serving.host) and not serving.site
