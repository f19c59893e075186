"""Object stores of tests: a folder, and a server that speaks S3, on this machine."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

BUCKET: Final = "ferries"
FAKE: Final = {  # of a server that lets everybody in
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_SECRET_ACCESS_KEY": "sesame",
    "AWS_REGION": "us-east-1",
    "AWS_METADATA_ENDPOINT": "http://127.0.0.1:9",  # no machine of a cloud's is asked for credentials
}


@contextmanager
def s3_running() -> Iterator[str]:
    """A server of S3's protocol with an empty bucket; its address. Skips the test where moto is not installed."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed: pip install 'moto[server]'")
    pytest.importorskip("obstore", reason="obstore is not installed: pip install 'polyhop[s3]'")
    import httpx

    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        httpx.put(f"{address}/{BUCKET}", timeout=60).raise_for_status()
        yield address
    finally:
        server.stop()


def bucket_of(endpoint: str, patch: pytest.MonkeyPatch) -> str:
    """An address in the bucket that no other test has; the environment says where its server is."""
    for name, value in {**FAKE, "AWS_ENDPOINT_URL": endpoint}.items():
        patch.setenv(name, value)
    return f"s3://{BUCKET}/{secrets.token_hex(4)}"


def environment(endpoint: str | None) -> dict[str, str]:
    """The environment of a command that is to reach such a server."""
    return {**os.environ, **({**FAKE, "AWS_ENDPOINT_URL": endpoint} if endpoint else {})}
