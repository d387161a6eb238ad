"""Talking to the server without touching a socket: what to send, what to make of the reply, when to try again.

A call is a generator (a `Flow`). It yields a `Request` and is sent a `Reply` or what was `Lost`, or yields a
`Pause` and is resumed after it. `client` has the two loops that carry flows out, one blocking, one async; all
decisions are here and in `calls`.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Generator, Mapping, Optional, TypeVar, Union

from .errors import HandraiseError, NotJson, Refused, Unauthorized, Unreachable

T = TypeVar("T")

log = logging.getLogger("handraise")

REPLYING = 30.0
"""Seconds after which a reply that is not there whole counts as lost, unless the request says otherwise."""

LONGEST_REPLY = 8 * 1024 * 1024
"""Bytes. More than a server of ours ever says at once; a program in its place could go on for ever."""

_FIRST = 0.25
_LONGEST = 10.0
_DOUBLINGS = 10
"""More would change nothing: `_LONGEST` is reached long before."""


@dataclass(frozen=True)
class Request:
    """What to send. The path begins after ``/api/v1``."""

    method: str
    path: str
    body: Optional[bytes] = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: float = 0.0
    """For how many seconds the server was asked to hold its reply back."""
    within: float = REPLYING
    """Seconds after which a reply that is not there whole counts as lost, besides the time it is held."""


@dataclass(frozen=True)
class Reply:
    """What came back, whole. Of a body that is too long, the beginning, which is longer than `LONGEST_REPLY`."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True)
class Lost:
    """No reply. Whether the server has done what was asked is unknown."""

    cause: Exception


@dataclass(frozen=True)
class Pause:
    """Wait before going on."""

    seconds: float


Step = Union[Request, Pause]
Flow = Generator[Step, Union[Reply, Lost, None], T]


class Backoff:
    """Growing pauses with jitter, so that agents do not all come back at once: 0.25 s, doubled up to 10 s, and
    of that a random part of at least half.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self._count = 0

    def next(self, at_least: float = 0.0) -> float:
        """Seconds to wait; a little more than ``at_least``."""
        longest: float = min(_LONGEST, _FIRST * 2 ** min(self._count, _DOUBLINGS))
        self._count += 1
        pause = longest * (0.5 + self._chance() / 2)
        return max(pause, at_least + self._chance()) if at_least else pause

    def reset(self) -> None:
        """Begins anew."""
        self._count = 0


class Patience:
    """How long one call puts up with a server that does not answer: for ever, ``give_up_after`` seconds in a row,
    or until a moment.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        chance: Callable[[], float],
        give_up_after: Optional[float] = None,
        until: Optional[float] = None,
    ) -> None:
        self.troubled = False
        """Whether anything went wrong in this call, and so whether something may have been done unheard."""
        self._clock = clock
        self._backoff = Backoff(chance)
        self._give_up_after = give_up_after
        self._until = until
        self._silent_since: Optional[float] = None

    def heard(self) -> None:
        """The server has answered."""
        if self._silent_since is not None:
            log.info("the server answers again, after %.1f s", self._clock() - self._silent_since)
        self._silent_since = None
        self._backoff.reset()

    def pause(self, trouble: str, retry_after: float) -> Pause:
        """How long to wait after something went wrong. Raises `Unreachable` when that was long enough."""
        now = self._clock()
        self.troubled = True
        if self._silent_since is None:
            self._silent_since = now
            log.warning("trying again, since %s", trouble)
        silent = now - self._silent_since
        ends = [] if self._until is None else [self._until]
        if self._give_up_after is not None:
            ends.append(self._silent_since + self._give_up_after)
        if ends and now >= min(ends):
            raise Unreachable(silent, trouble)
        pause = self._backoff.next(retry_after)
        return Pause(min([pause, *(end - now for end in ends)]))


def exchange(request: Request, patience: Patience) -> Flow[Any]:
    """Sends a request until it is answered, and returns the JSON of the answer.

    What is lost, 408, 429 and 5xx are tried again, by ``Retry-After`` where the server says so: every request of
    this package may be sent twice. Raises `Refused`, `Unauthorized`, `Unreachable`.
    """
    while True:
        got = yield request
        if isinstance(got, Reply) and not _passes(got.status):
            patience.heard()
            return _json(got)
        yield patience.pause(_trouble(got), _retry_after(got))


def encoded(body: Mapping[str, Any]) -> bytes:
    """A body to send. Raises `NotJson`."""
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as cause:
        raise NotJson(f"this cannot be sent as JSON: {cause}") from cause


def read(parse: Callable[[Any], T], body: Any) -> T:
    """Reads a reply. Raises `HandraiseError` when it is none of Handraise."""
    try:
        return parse(body)
    except (KeyError, TypeError, ValueError, AttributeError) as cause:
        raise HandraiseError(f"this reply is not one of Handraise: {cause!r}") from cause


def _passes(status: int) -> bool:
    return status in (408, 429) or status >= 500


def _trouble(got: Union[Reply, Lost, None]) -> str:
    if isinstance(got, Reply):
        problem = _object(got.body)
        return f"the server said {got.status} {problem.get('code', '')}".rstrip()
    if isinstance(got, Lost):
        return f"{type(got.cause).__name__}: {got.cause}"
    return "nothing came back"


def _retry_after(got: Union[Reply, Lost, None]) -> float:
    """Seconds; 0 when the server does not say."""
    value = got.headers.get("retry-after", "").strip() if isinstance(got, Reply) else ""
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        # A proxy may send a date.
        moment = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())


def _json(reply: Reply) -> Any:
    if len(reply.body) > LONGEST_REPLY:
        raise HandraiseError(f"the server's answer is longer than {LONGEST_REPLY} bytes, so it is not read")
    if 200 <= reply.status < 300:
        try:
            return json.loads(reply.body)
        except ValueError as cause:
            raise HandraiseError("this reply is not JSON: is the URL that of a Handraise server?") from cause
    if reply.status == 401:
        raise Unauthorized(401, _object(reply.body))
    if reply.status >= 400:
        raise Refused(reply.status, _object(reply.body))
    # A redirect is not followed: it would carry the token to whoever it names.
    place = reply.headers.get("location", "nowhere")
    raise HandraiseError(f"the server sent {reply.status} to {place}: is the URL right?")


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
