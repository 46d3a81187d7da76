"""S3 with patience: requests that fail because the server is away, overloaded or cut off are repeated.

A process's first request fails at once, since the address is probably wrong. After that each request waits for up to ten minutes
($BURNQED_STORE_PATIENCE, in seconds); the log says once that the server is away, and once that it is back. SIGTERM and SIGINT end every wait.
Nothing else retries: botocore and s3fs are told to try once, or their waits would multiply with these.
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
from botocore import exceptions as botocore
from botocore.parsers import ResponseParserError
from fsspec.asyn import sync_wrapper
from s3fs import S3FileSystem
from tenacity import AsyncRetrying, RetryCallState, wait_random_exponential

from burnqed.errors import BadInput, Unanswered
from burnqed.log import log
from burnqed.progress import duration
from burnqed.signals import ENDED

VARIABLE = "BURNQED_STORE_PATIENCE"
PATIENCE_S = 600.0
SILENT_S = 2.0
"""Shorter outages are not worth a line in the log."""
LONGEST_PAUSE_S = 5.0
NOTICE_S = 0.5
"""Seconds that a request to a server that is away may still take after a signal."""
AWAY = (
    botocore.HTTPClientError,
    botocore.ConnectionError,
    botocore.IncompleteReadError,
    ResponseParserError,
    aiohttp.ClientError,
    TimeoutError,
    ConnectionError,
)
CUT_OFF = {"RequestTimeout", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch"}
"""S3's answers to a body that did not arrive as it was sent."""
LATER = {409, 429, 500, 502, 503, 504}
"""HTTP statuses for conflicting requests, too many requests, and errors of the server."""


def patience() -> float:
    """Seconds that a request may wait. Raises BadInput unless the variable is a number of seconds."""
    given = os.environ.get(VARIABLE, str(PATIENCE_S))
    with suppress(ValueError):
        if 0 <= (seconds := float(given)) < math.inf:
            return seconds
    raise BadInput(f"{VARIABLE} is {given!r}; give the seconds to wait for a store that is away, as in 600.")


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, Unanswered):
        return False
    if isinstance(error.__cause__, botocore.ClientError):  # s3fs has translated it
        answer = error.__cause__.response
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        return status in LATER or answer.get("Error", {}).get("Code") in CUT_OFF
    return isinstance(error, AWAY)


@dataclass
class Server:
    """What this process knows about one S3 server. Only fsspec's thread uses it."""

    address: str
    reached: bool = False
    failing_since: float | None = None
    """When the first request failed since the last answer."""
    waiting: int = 0
    """Requests that have been waiting for more than SILENT_S."""
    said_since: float | None = None
    """When the outage began that the log has reported."""

    async def ask(self, request: Callable[[], Awaitable[Any]]) -> Any:
        """Repeats a request until it is answered. Raises Unanswered when it has waited for long enough."""
        work = asyncio.ensure_future(self._repeat(request, patience()))
        try:
            while not (await asyncio.wait({work}, timeout=NOTICE_S))[0]:
                if self.failing_since and ENDED.is_set():
                    raise Unanswered("stopped while waiting for it")
        finally:
            work.cancel()
        return work.result()

    async def _repeat(self, request: Callable[[], Awaitable[Any]], seconds: float) -> Any:
        waits = False

        def is_to_be_repeated(state: RetryCallState) -> bool:
            nonlocal waits
            assert state.outcome is not None
            error = state.outcome.exception()
            if error and is_passing(error):
                self.failing_since = self.failing_since or state.start_time
                return True
            if error is None or not isinstance(error, Unanswered | asyncio.CancelledError):  # a refusal is an answer
                self.waiting -= waits
                waits = False
                self._answered()
            return False

        def is_given_up(state: RetryCallState) -> bool:
            began = min(state.start_time, self.failing_since or math.inf)
            return not self.reached or ENDED.is_set() or time.monotonic() - began >= seconds

        def say(state: RetryCallState) -> None:
            nonlocal waits
            if waits or time.monotonic() - state.start_time < SILENT_S:
                return
            waits = True
            self.waiting += 1
            if self.said_since is None:
                self.said_since = state.start_time
                reason = state.outcome and state.outcome.exception()
                log.warning(
                    "the store at %s does not answer (%s); waiting up to %s", self.address, reason, duration(seconds)
                )

        try:
            return await AsyncRetrying(
                retry=is_to_be_repeated,
                stop=is_given_up,
                wait=wait_random_exponential(multiplier=0.2, max=LONGEST_PAUSE_S),
                before_sleep=say,
                reraise=True,
            )(request)
        except Exception as error:
            if is_passing(error):
                raise Unanswered(str(error)) from error
            raise
        finally:
            self.waiting -= waits

    def _answered(self) -> None:
        self.reached, self.failing_since = True, None
        if self.said_since and not self.waiting:
            away = duration(time.monotonic() - self.said_since)
            log.warning("the store at %s answers again, after %s", self.address, away)
            self.said_since = None


servers: dict[str, Server] = {}
"""By address; all file systems of a process share them."""


class PatientS3(S3FileSystem):  # type: ignore[misc]
    """The server and the credentials that the environment names (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, …)."""

    retries = 1

    def __init__(self, *, known: bool = False, **options: Any) -> None:
        """`known`: whoever started this process has reached the server, so even the first request waits."""
        once = {"retries": {"total_max_attempts": 1}}
        super().__init__(config_kwargs=once, use_listings_cache=False, **options)
        self._known = known
        self._buckets: set[str] = set()
        """Those known to exist."""

    async def set_session(self, *given: Any, **named: Any) -> Any:
        if (authorities := os.environ.get("AWS_CA_BUNDLE")) and not Path(authorities).exists():
            # Otherwise every request would be repeated for ten minutes.
            raise ValueError(f"AWS_CA_BUNDLE names {authorities}, which is not there")
        return await super().set_session(*given, **named)

    async def _call_s3(self, method: str, *given: Any, **named: Any) -> Any:
        bucket = named.get("Bucket", "")
        if method == "create_multipart_upload":
            await self._drop_unfinished(bucket, named["Key"])
        try:
            answer = await self._patiently(super()._call_s3, method, *given, **named)
        except FileNotFoundError:
            await self._check(bucket)
            raise
        self._buckets.add(bucket)
        return answer

    call_s3 = sync_wrapper(_call_s3)

    # A download can break off after its request was answered.

    async def _cat_file(self, *given: Any, **named: Any) -> Any:
        return await self._patiently(super()._cat_file, *given, **named)

    async def _get_file(self, *given: Any, **named: Any) -> Any:
        return await self._patiently(super()._get_file, *given, **named)

    async def _patiently(self, request: Callable[..., Awaitable[Any]], *given: Any, **named: Any) -> Any:
        address = str((await self.set_session()).meta.endpoint_url)
        server = servers.setdefault(address, Server(address, reached=self._known))
        return await server.ask(partial(request, *given, **named))

    async def _drop_unfinished(self, bucket: str, key: str) -> None:
        """Removes the uploaded parts of a file that a killed process did not finish: they are invisible, but cost money."""
        with suppress(OSError):  # the server may not list them, or may refuse
            unfinished = await self._call_s3("list_multipart_uploads", Bucket=bucket, Prefix=key)
            for upload in unfinished.get("Uploads", []):
                if upload["Key"] == key:
                    await self._call_s3("abort_multipart_upload", Bucket=bucket, Key=key, UploadId=upload["UploadId"])

    async def _check(self, bucket: str) -> None:
        """S3 gives the same answer for a missing file and a missing bucket. Raises BadInput for a missing bucket."""
        if bucket in self._buckets:
            return
        try:
            with suppress(PermissionError):
                await self._patiently(super()._call_s3, "head_bucket", Bucket=bucket)
        except FileNotFoundError:
            raise BadInput(
                f"There is no bucket {bucket!r} at {self.s3.meta.endpoint_url}; make it, or check the store's address."
            ) from None
        self._buckets.add(bucket)
