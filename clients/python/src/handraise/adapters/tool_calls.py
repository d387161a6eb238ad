"""What all adapters share: the call of a tool that a model wants made, what people decide about it, and its one use.

An ask has a key that is made of the framework's own ids, so a process that was killed and started again comes back to
the same ask. An approval counts by its receipt and is used up right before the call is handed over to run.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import importlib.metadata
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..asked import AskedTwice, asking
from ..calls import Calls
from ..client import AsyncHandraise, Handraise
from ..errors import AlreadyUsed, HandraiseError
from ..exchange import Flow, log
from ..models import Interaction
from ..options import put_options

_SIMPLE = {
    "string": {"minLength", "maxLength", "enum"},
    "number": {"minimum", "maximum"},
    "integer": {"minimum", "maximum"},
    "boolean": set(),
}
"""What the server takes of a JSON Schema, by type."""

_TOLD = {"title", "description", "default"}
_MOST_FIELDS = 50

_running: contextvars.ContextVar[FrozenSet[str]] = contextvars.ContextVar("handraise_running", default=frozenset())


@dataclass(frozen=True)
class ToolCall:
    """One call, by the name and the arguments that the model gave it."""

    id: str
    """The framework's, by which its answer finds it."""
    key: str
    """What it is asked under: see `key_of_ids`."""
    tool: str
    arguments: Dict[str, Any]
    schema: Optional[Mapping[str, Any]] = None
    """The JSON Schema of the tool's arguments; ``None`` where they cannot be changed."""


@dataclass(frozen=True)
class Verdict:
    """What became of a call. True only if it may run now, once."""

    interaction_id: str
    arguments: Optional[Dict[str, Any]]
    """What to run it with, never the model's own; ``None`` when it may not run."""
    reason: str
    """What the model is told instead."""

    def __bool__(self) -> bool:
        return self.arguments is not None


class Terms:
    """How an adapter asks: the prompt, whether people may change arguments, and the options of any question."""

    def __init__(self, prompt: Optional[str] = None, amendable: bool = False, **options: Any) -> None:
        if "idempotency_key" in options:
            raise TypeError("the adapter makes an idempotency_key for each call")
        put_options("approval", options)
        self._prompt = prompt
        self._amendable = amendable
        self._options = options

    def opened(self, calls: Calls, call: ToolCall) -> Flow[Interaction]:
        """Asks, or finds what was asked before, and does not wait."""
        yield from calls._known(self._options.get("give_up_after"))
        asked: Interaction = yield from calls._opened(
            "approval",
            self._prompt_of(call),
            {**self._options, "idempotency_key": call.key},
            tool=call.tool,
            arguments=call.arguments,
            operands=(),
            amendable=self._amendable_of(call) or None,
        )
        return asked

    def decided(self, calls: Calls, call: ToolCall) -> Flow[Verdict]:
        """Asks, waits, and uses the approval up: what it returns is to be run at once, or told to the model."""
        decision = yield from calls.approve(
            self._prompt_of(call),
            call.tool,
            call.arguments,
            amendable=self._amendable_of(call),
            **{**self._options, "idempotency_key": call.key},
        )
        id = decision.interaction.id
        if not decision or decision.arguments is None:
            return Verdict(id, None, _refusal(call.tool, decision.outcome, decision.comment))
        try:
            yield from calls.consume(id)
        except AlreadyUsed as used:
            log.warning("%s does not run again: %s", call.tool, used)
            return Verdict(id, None, _used(call.tool))
        return Verdict(id, dict(decision.arguments), "")

    def _prompt_of(self, call: ToolCall) -> str:
        return self._prompt or f"May this agent run `{call.tool}`?"

    def _amendable_of(self, call: ToolCall) -> Any:
        if not self._amendable:
            return False
        if call.schema is None:
            raise HandraiseError(f"{call.tool} cannot be amended: its framework takes no other arguments for a call")
        return flat_schema(call.schema, call.arguments)


async def decide_all(
    terms: Terms, calls: Sequence[ToolCall], client: Optional[AsyncHandraise] = None
) -> Dict[str, Verdict]:
    """Asks about all at once, waits for all, and says what became of each by the framework's id of it."""
    expect_told_apart(calls)
    own = client or AsyncHandraise()
    try:
        found = await asyncio.gather(*(own.carry_out(terms.decided(own.calls, call)) for call in calls))
    finally:
        if client is None:
            await own.close()
    return {call.id: verdict for call, verdict in zip(calls, found)}


async def open_all(terms: Terms, calls: Sequence[ToolCall], client: Optional[AsyncHandraise] = None) -> Dict[str, str]:
    """Asks about all and waits for none. The interactions' ids, by the framework's ids of the calls."""
    expect_told_apart(calls)
    own = client or AsyncHandraise()
    try:
        found = await asyncio.gather(*(own.carry_out(terms.opened(own.calls, call)) for call in calls))
    finally:
        if client is None:
            await own.close()
    return {call.id: asked.id for call, asked in zip(calls, found)}


def decide_one(terms: Terms, call: ToolCall, client: Optional[Handraise] = None) -> Verdict:
    """`decide_all` of one call, for who blocks."""
    own = client or Handraise()
    try:
        return own.carry_out(terms.decided(own.calls, call))
    finally:
        if client is None:
            own.close()


def open_one(terms: Terms, call: ToolCall, client: Optional[Handraise] = None) -> str:
    """`open_all` of one call, for who blocks."""
    own = client or Handraise()
    try:
        return own.carry_out(terms.opened(own.calls, call)).id
    finally:
        if client is None:
            own.close()


def key_of_ids(framework: str, *ids: str) -> str:
    """The key of an ask. The same ids make the same key in every process."""
    return f"{framework}:{hashlib.sha256(json.dumps(ids).encode()).hexdigest()}"


@contextmanager
def running(call_id: str, tool: str) -> Iterator[None]:
    """While a call is asked about and runs. Raises `AskedTwice` when another adapter is at it already, and lets
    a guard on the tool's function know.
    """
    if call_id in _running.get():
        raise AskedTwice(f"two adapters ask about the call {call_id}: remove one of them")
    token = _running.set(_running.get() | {call_id})
    try:
        with asking(tool):
            yield
    finally:
        _running.reset(token)


def expect_told_apart(calls: Sequence[ToolCall]) -> None:
    """Raises `HandraiseError` when two calls have the same id: an answer would reach either."""
    seen: List[str] = [call.id for call in calls]
    for id in seen:
        if seen.count(id) > 1:
            raise HandraiseError(f"two calls have the id {id!r}, so no answer can be told to be for one of them")


def expect_version(distribution: str, least: Tuple[int, ...], below: Tuple[int, ...], extra: str) -> None:
    """Raises `ImportError`, which says what is supported, unless such a version is installed."""
    wanted = f"{'.'.join(map(str, least))} or newer, before {'.'.join(map(str, below))}"
    try:
        found = importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError as cause:
        raise ImportError(f"{distribution} {wanted} is needed: pip install 'handraise[{extra}]'") from cause
    numbers = tuple(int(part) for part in found.split(".")[:3] if part.isdecimal())
    if not least <= numbers < below:
        raise ImportError(
            f"{distribution} {found} is not supported, but {wanted}: pip install 'handraise[{extra}]'",
            name=distribution,
        )


def flat_schema(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> Any:
    """What of these arguments people may change, for ``amendable``: those that the server can hold against the tool's
    schema before the answer counts. What it cannot check may not be changed.
    """
    checked = {
        name: {keyword: value for keyword, value in field.items() if keyword != "default"}
        for name, field in schema.get("properties", {}).items()
        if name in arguments and _is_simple(field)
    }
    if not checked or len(checked) > _MOST_FIELDS:
        return False
    required = [name for name in schema.get("required", ()) if name in checked]
    return {"schema": {"type": "object", "properties": checked, "required": required}}


def _is_simple(field: Mapping[str, Any]) -> bool:
    known = _SIMPLE.get(str(field.get("type")))
    if known is None or set(field) - known - _TOLD - {"type"}:
        return False
    return all(isinstance(value, str) for value in field.get("enum", ()))


def _refusal(tool: str, outcome: Optional[str], comment: Optional[str]) -> str:
    said = {"expired": "nobody answered in time", "cancelled": "the question was taken back"}.get(
        str(outcome), "a person denied it"
    )
    why = f": {comment}" if comment else ""
    return f"`{tool}` was not run, since {said}{why}. Do not call it again like this unless you are told to."


def _used(tool: str) -> str:
    return (
        f"`{tool}` was approved, and an earlier run that ended early has used this approval: whether it has done its "
        "work is not known. Look at what is there before you ask for it again."
    )
