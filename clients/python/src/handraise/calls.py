"""Every call of the client, as a `Flow`: once for both clients."""

from __future__ import annotations

import math
import time
import uuid
from random import random
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    TypeVar,
    Union,
    overload,
)
from urllib.parse import quote, urlencode

from . import reading
from .canonical import action_digest, snapshot
from .errors import ArgumentsChanged, HandraiseError, Refused, Unreachable
from .exchange import Backoff, Flow, Patience, Pause, Request, encoded, exchange, log, read
from .models import FormAnswer, Interaction, Page, Question
from .options import AnyOption, put_choices, put_options, put_question
from .verdicts import Decision, PlanReview, answered, reviewed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import About, Options

T = TypeVar("T")

HOLD = 30
"""Seconds that the server is asked to hold a poll."""

COLLECT_FOR = 10.0
"""Seconds that an answer which is there already waits for the server to hear of it."""


class Calls:
    """The calls. ``clock`` counts seconds from any moment, ``chance`` is random from 0 to 1."""

    def __init__(
        self,
        give_up_after: Optional[float] = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random,
    ) -> None:
        self._give_up_after = give_up_after
        self._clock = clock
        self._chance = chance

    def ask(self, prompt: str, *, fallback: Optional[str] = None, **options: Unpack[Options]) -> Flow[str]:
        """Asks a question and waits for the answer: text, whole, byte for byte; ``""`` is an answer.

        After the deadline the answer is ``fallback``. ``prompt`` is markdown, up to 20,000 characters.
        The other options are those of `Options`.

        Raises `Expired` when nobody answered and there is no fallback, `Cancelled`, `Refused`, `Unauthorized`,
        and `Unreachable` with ``give_up_after``.
        """
        closed = yield from self._asked("question", prompt, options, fallback=fallback)
        return _there(answered(closed).text)

    @overload
    def choose(
        self,
        prompt: str,
        options: Sequence[AnyOption],
        *,
        multiple: Literal[False] = ...,
        fallback: Optional[str] = ...,
        **more: Unpack[Options],
    ) -> Flow[str]: ...

    @overload
    def choose(
        self,
        prompt: str,
        options: Sequence[AnyOption],
        *,
        multiple: Literal[True],
        fallback: Optional[Sequence[str]] = ...,
        **more: Unpack[Options],
    ) -> Flow[List[str]]: ...

    def choose(
        self,
        prompt: str,
        options: Sequence[AnyOption],
        *,
        multiple: bool = False,
        fallback: Union[str, Sequence[str], None] = None,
        **more: Unpack[Options],
    ) -> Flow[Any]:
        """Lets somebody choose one of 2 to 25 options, or any of them with ``multiple``.

        Returns the value of the chosen option; with ``multiple`` a list of values in the order of the options,
        which may be empty. Otherwise as `ask`.
        """
        closed = yield from self._asked("choice", prompt, more, options=options, multiple=multiple, fallback=fallback)
        selected = _there(answered(closed).selected)
        return list(selected) if multiple else selected[0]

    def approve(
        self, prompt: str, tool: str, arguments: Mapping[str, Any], **options: Unpack[Options]
    ) -> Flow[Decision]:
        """Asks whether one exact action may be run, and returns a `Decision`, true only if it may.

        Denied, expired and cancelled are false decisions and raise nothing. ``arguments`` is a ``dict`` of
        JSON alone: they are shown as they are and copied before asking.

        Raises `NotJson` before asking, `ArgumentsChanged` when the server's digest is not that of this action,
        and otherwise as `ask`, but never `Expired` or `Cancelled`.
        """
        exact = snapshot(arguments, "arguments")
        closed = yield from self._asked("approval", prompt, options, tool=tool, arguments=exact)
        _expect(action_digest(tool, exact), closed)
        return Decision(closed)

    def acknowledge(self, prompt: str, **options: Unpack[Options]) -> Flow[Interaction]:
        """Waits until somebody says that they have seen this: ``answer.responder`` of what is returned.

        Raises as `ask` does.
        """
        closed = yield from self._asked("acknowledgement", prompt, options)
        answered(closed)
        return closed

    def review_plan(self, prompt: str, plan: str, **options: Unpack[Options]) -> Flow[PlanReview]:
        """Lets somebody decide about a plan in markdown, up to 20,000 characters.

        Raises as `ask` does: a plan that nobody has decided about may not be carried out.
        """
        closed = yield from self._asked("plan_review", prompt, options, plan=plan)
        return reviewed(closed)

    def form(
        self,
        prompt: str,
        questions: Sequence[Question],
        *,
        fallback: Optional[Mapping[str, FormAnswer]] = None,
        **options: Unpack[Options],
    ) -> Flow[Dict[str, FormAnswer]]:
        """Asks 1 to 10 questions one after the other, and returns the answers by the questions' ids.

        ``fallback`` has an answer to every question. Raises as `ask` does.
        """
        closed = yield from self._asked("form", prompt, options, questions=questions, fallback=fallback)
        return dict(_there(answered(closed).answers))

    def notify(
        self,
        prompt: str,
        *,
        level: Literal["info", "success", "warning", "error"] = "info",
        **about: Unpack[About],
    ) -> Flow[Interaction]:
        """Tells people something and waits for nobody, but for the server to have it.

        Raises `Refused`, `Unauthorized`, and `Unreachable` with ``give_up_after``.
        """
        return self._opened("notification", prompt, about, level=level)

    def open(
        self,
        kind: str,
        prompt: str,
        *,
        fallback: Union[str, Sequence[str], Mapping[str, FormAnswer], None] = None,
        options: Optional[Sequence[AnyOption]] = None,
        multiple: Optional[bool] = None,
        tool: Optional[str] = None,
        arguments: Optional[Mapping[str, Any]] = None,
        plan: Optional[str] = None,
        questions: Optional[Sequence[Question]] = None,
        level: Optional[str] = None,
        **more: Unpack[Options],
    ) -> Flow[Interaction]:
        """Asks, and returns at once. `wait` and `collect` are the rest of what the other calls do.

        What belongs to another kind is refused. Raises as `approve` does.
        """
        return self._opened(
            kind,
            prompt,
            more,
            fallback=fallback,
            options=options,
            multiple=multiple,
            tool=tool,
            arguments=arguments,
            plan=plan,
            questions=questions,
            level=level,
        )

    def get(self, id: str) -> Flow[Interaction]:
        """An interaction as it is now.

        Raises `Refused` (404) when there is none, or when it is another agent's; `Unauthorized`, `Unreachable`.
        """
        return self._interaction(Request("GET", _path(id)), self._patience())

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
                seen = yield from self._interaction(Request("GET", _path(id), headers=headers, hold=hold), patience)
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
            cancelled = yield from self._interaction(Request("POST", _path(id, "cancel"), body), patience)
        except Refused as refused:
            # Our own first try may have got there, and its reply not back.
            if not patience.troubled or refused.problem.get("outcome") != "cancelled":
                raise
            cancelled = yield from self._interaction(Request("GET", _path(id)), patience)
        return cancelled

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

    def _asked(self, kind: str, prompt: str, about: Mapping[str, Any], **fields: Any) -> Flow[Interaction]:
        """Opens, waits, collects."""
        closed = yield from self._opened(kind, prompt, about, **fields)
        give_up_after = about.get("give_up_after")
        if closed.is_pending:
            closed = yield from self.wait(closed.id, give_up_after=give_up_after)
        # The answer is here: that the server does not hear of it is no reason to keep it back for long.
        patience = self._patience(give_up_after, until=self._clock() + COLLECT_FOR)
        try:
            return (yield from self._collected(closed.id, patience))
        except Unreachable:
            log.warning("could not tell the server that %s was collected", closed.id)
            return closed

    def _opened(self, kind: str, prompt: str, about: Mapping[str, Any], **fields: Any) -> Flow[Interaction]:
        """Opens under a key, so that trying again asks nothing new."""
        digest = None
        if fields.get("arguments") is not None:
            fields["arguments"] = snapshot(fields["arguments"], "arguments")
            digest = action_digest(_there(fields["tool"]), fields["arguments"])
        body = encoded({"kind": kind, "prompt": prompt, **put_options(kind, about), **_put(fields)})
        key = _key(about)
        request = Request("POST", "/interactions", body, {"Idempotency-Key": key})
        try:
            opened = yield from self._interaction(request, self._patience(about.get("give_up_after")))
        except Unreachable as unreachable:
            unreachable.idempotency_key = key
            raise
        if digest is not None:
            _expect(digest, opened)
        return opened

    def _collected(self, id: str, patience: Patience) -> Flow[Interaction]:
        return self._interaction(Request("POST", _path(id, "collect")), patience)

    def _interaction(self, request: Request, patience: Patience) -> Flow[Interaction]:
        body = yield from exchange(request, patience)
        return read(reading.interaction, body)

    def _patience(self, give_up_after: Optional[float] = None, until: Optional[float] = None) -> Patience:
        if give_up_after is None:
            give_up_after = self._give_up_after
        return Patience(self._clock, self._chance, give_up_after, until)


def _put(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """What belongs to a kind, for a request."""
    body = {name: value for name, value in fields.items() if value is not None}
    if "options" in body:
        body["options"] = put_choices(body["options"])
    if "questions" in body:
        body["questions"] = [put_question(question) for question in body["questions"]]
    action = {name: body.pop(name) for name in ("tool", "arguments") if name in body}
    return {**body, "action": action} if action else body


def _key(about: Mapping[str, Any]) -> str:
    key = about.get("idempotency_key")
    if key is None:
        return uuid.uuid4().hex
    if not isinstance(key, str) or not key.isascii() or not key.isprintable():
        raise ValueError(f"an idempotency_key is of visible ASCII characters, unlike {key!r}")
    return key


def _expect(digest: str, interaction: Interaction) -> None:
    if interaction.action_digest != digest:
        raise ArgumentsChanged(
            f"the server has an action with the digest {interaction.action_digest}, this one has {digest}"
        )


def _path(id: str, verb: str = "") -> str:
    path = "/interactions/" + quote(id, safe="")
    return f"{path}/{verb}" if verb else path


def _there(value: Optional[T]) -> T:
    if value is None:
        raise HandraiseError("this reply lacks what belongs to its kind")
    return value
