"""What all calls are made of: to open, look, wait, collect, take back. Each is a `Flow`, once for both clients."""

from __future__ import annotations

import math
import os
import time
from dataclasses import replace
from datetime import datetime, timezone
from random import random
from typing import Any, Callable, Literal, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote, urlencode

from . import reading
from .attachments import AnyFile, expect_kept, read_file, sending
from .canonical import action_digest, snapshot
from .errors import ArgumentsChanged, HandraiseError, Refused, Unreachable
from .exchange import Backoff, Flow, Patience, Pause, Request, encoded, exchange, log, read
from .keys import Keys
from .models import Attachment, Interaction, Page
from .options import key_of, put_fields, put_options
from .trace import trace_headers

T = TypeVar("T")

HOLD = 30
"""Seconds that the server is asked to hold a poll."""

REPORT_FOR = 10.0
"""Seconds that a program which is done waits for the server to hear of it."""


class Steps:
    """``clock`` counts seconds from any moment, ``chance`` is random from 0 to 1, ``now`` is the time of day."""

    def __init__(
        self,
        keys: Keys,
        give_up_after: Optional[float] = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random,
        now: Callable[[], datetime] = lambda: datetime.now(timezone.utc),
    ) -> None:
        self._keys = keys
        self._give_up_after = give_up_after
        self._clock = clock
        self._chance = chance
        self._now = now

    def get(self, id: str) -> Flow[Interaction]:
        """An interaction as it is now.

        Raises `Refused` (404) when there is none, or when it is another agent's; `Unauthorized`, `Unreachable`.
        """
        return self._interaction(Request("GET", path_of(id)), self._patience())

    def wait(
        self, id: str, timeout: Optional[float] = None, *, give_up_after: Optional[float] = None
    ) -> Flow[Interaction]:
        """Waits until an interaction is closed, and returns it; as it is by then after ``timeout`` seconds.

        Does not collect it, and raises nothing because of how it ended. Raises `Unreachable` when there was no
        reply at all before ``timeout``, and as `get` does.
        """
        until = None if timeout is None else self._clock() + timeout
        patience = self._patience(give_up_after, until)
        unheld = Backoff(self._chance)
        seen: Optional[Interaction] = None
        while True:
            asked_at = self._clock()
            left = math.inf if until is None else until - asked_at
            hold = max(0, min(HOLD, math.ceil(min(left, HOLD))))
            headers = {"Prefer": f"wait={hold}"} if hold else {}
            try:
                seen = yield from self._interaction(Request("GET", path_of(id), headers=headers, hold=hold), patience)
            except Unreachable as unreachable:
                unreachable.interaction_id = id
                if seen is None or until is None or self._clock() < until:
                    raise
                return seen
            now = self._clock()
            if not seen.is_pending or (until is not None and now >= until):
                return seen
            if now - asked_at >= hold / 2:
                unheld.reset()
                continue
            # The server is about to stop, or something on the way does not let it hold us.
            pause = unheld.next()
            yield Pause(pause if until is None else min(pause, until - now))

    def attach(
        self, file: AnyFile, content: Optional[bytes] = None, media_type: Optional[str] = None
    ) -> Flow[Attachment]:
        """Sends a file that a question is to carry, and returns what ``attachments`` of that question takes, within an
        hour and once. With ``content``, ``file`` is only its name.

        A picture (PNG, JPEG, WebP) is encoded anew by the server; a text, and a diff (``.diff``, ``.patch``), stays as
        it is. Raises ``OSError`` and ``ValueError`` for a file that cannot be sent, and as `get` does.
        """
        name, read_from = (os.fspath(file), content) if content is not None else read_file(file)
        body = yield from exchange(sending(name, read_from, media_type), self._patience())
        return expect_kept(read(reading.attachment, body), name, read_from)

    def collect(self, id: str) -> Flow[Interaction]:
        """Says that this agent took note of how it ended; again changes nothing.

        Raises `Refused` with the code ``still_pending`` (409), and as `get` does.
        """
        return self._collected(id, self._patience())

    def cancel(self, id: str, reason: Optional[str] = None) -> Flow[Interaction]:
        """Takes a question back. ``reason`` has up to 300 characters.

        Raises `Refused` with the code ``already_closed`` (409) when it was closed before, and as `get` does.
        """
        patience = self._patience()
        body = encoded({} if reason is None else {"reason": reason})
        try:
            cancelled = yield from self._interaction(Request("POST", path_of(id, "cancel"), body), patience)
        except Refused as refused:
            # Our own first try may have got there, and its reply not back.
            if not patience.troubled or refused.problem.get("outcome") != "cancelled":
                raise
            cancelled = yield from self._interaction(Request("GET", path_of(id)), patience)
        return cancelled

    def end_session(self, session_id: str) -> Flow[Tuple[Interaction, ...]]:
        """Takes back what this agent asked in a session with ``withdraw_on_disconnect``, and nothing else; again
        changes nothing. Returns what was taken back. Raises `Refused`, `Unauthorized`, `Unreachable`.
        """
        request = Request("POST", "/sessions/end", encoded({"session_id": session_id}))
        body = yield from exchange(request, self._patience())
        return read(reading.interactions, body)

    def report(self, id: str, outcome: Literal["done", "failed"], text: Optional[str] = None) -> Flow[Interaction]:
        """Says what came of it, once, for people to see; the same again changes nothing. ``text`` has up to 2,000
        characters.

        Raises `Refused` with the code ``already_reported`` (409), and as `get` does.
        """
        return self._interaction(_report(id, outcome, text), self._patience())

    def report_soon(self, id: str, outcome: Literal["done", "failed"], text: Optional[str] = None) -> Flow[None]:
        """`report` for who has something else to do: raises nothing, and gives up after some seconds."""
        try:
            request = replace(_report(id, outcome, text), within=REPORT_FOR)
            yield from self._interaction(request, self._patience(until=self._clock() + REPORT_FOR))
        except HandraiseError as error:
            log.warning("could not tell the server that %s is %s: %s", id, outcome, error)

    def list(
        self,
        *,
        state: Optional[str] = None,
        kind: Optional[str] = None,
        mode: Optional[str] = None,
        agent: Optional[str] = None,
        session_id: Optional[str] = None,
        task_id: Optional[str] = None,
        q: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Flow[Page]:
        """One page of what this agent has asked (a responder token sees all), newest first.

        ``q`` finds words by their beginnings; ``limit`` is from 1 to 200, 50 if left out. Raises as `get` does.
        """
        given = {
            "state": state,
            "kind": kind,
            "mode": mode,
            "agent": agent,
            "session_id": session_id,
            "task_id": task_id,
            "q": q,
            "limit": limit,
            "cursor": cursor,
        }
        query = urlencode({name: value for name, value in given.items() if value is not None})
        body = yield from exchange(Request("GET", f"/interactions?{query}"), self._patience())
        return read(reading.page, body)

    def _opened(self, kind: str, prompt: str, about: Mapping[str, Any], **fields: Any) -> Flow[Interaction]:
        """Opens under a key, so that trying again asks nothing new."""
        digest = None
        if fields.get("arguments") is not None:
            fields["arguments"] = snapshot(fields["arguments"], "arguments")
            digest = action_digest(
                there(fields["tool"]),
                fields["arguments"],
                fields.get("operands") or (),
                about.get("attachments") or (),
            )
        body = encoded({"kind": kind, "prompt": prompt, **put_options(kind, about), **put_fields(fields)})
        key = key_of(about)
        request = Request("POST", "/interactions", body, {"Idempotency-Key": key, **trace_headers()})
        try:
            opened = yield from self._interaction(request, self._patience(about.get("give_up_after")))
        except Unreachable as unreachable:
            unreachable.idempotency_key = key
            raise
        if digest is not None:
            expect(digest, opened)
        return opened

    def _collected(self, id: str, patience: Patience) -> Flow[Interaction]:
        return self._interaction(Request("POST", path_of(id, "collect")), patience)

    def _interaction(self, request: Request, patience: Patience) -> Flow[Interaction]:
        body = yield from exchange(request, patience)
        return read(reading.interaction, body)

    def _patience(self, give_up_after: Optional[float] = None, until: Optional[float] = None) -> Patience:
        if give_up_after is None:
            give_up_after = self._give_up_after
        return Patience(self._clock, self._chance, give_up_after, until)


def expect(digest: str, interaction: Interaction) -> None:
    """Raises `ArgumentsChanged` when the action that the server has is another."""
    if interaction.action_digest != digest:
        raise ArgumentsChanged(
            f"the server has an action with the digest {interaction.action_digest}, this one has {digest}"
        )


def _report(id: str, outcome: str, text: Optional[str]) -> Request:
    body = {"outcome": outcome} if text is None else {"outcome": outcome, "text": text}
    return Request("POST", path_of(id, "report"), encoded(body))


def path_of(id: str, verb: str = "") -> str:
    """The path of an interaction, or of something that is done to it."""
    path = "/interactions/" + quote(id, safe="")
    return f"{path}/{verb}" if verb else path


def there(value: Optional[T]) -> T:
    """What a reply of this kind always has."""
    if value is None:
        raise HandraiseError("this reply lacks what belongs to its kind")
    return value
