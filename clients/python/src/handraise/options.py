"""What may be said with every question, and how it is put into a request."""

from __future__ import annotations

import math
import uuid
from dataclasses import fields, is_dataclass
from datetime import timedelta
from typing import Any, Dict, Iterable, Literal, Mapping, Optional, Sequence, TypedDict, Union

from .models import Attachment, Option, Question, Task

Timeout = Union[float, timedelta, None]
"""Seconds, or a ``timedelta``; ``None`` = never."""

AnyOption = Union[str, Option]
"""An option of a choice; a string is its value and its label."""


class About(TypedDict, total=False):
    """What any interaction may carry. All of it may be left out."""

    session_id: Optional[str]
    """This agent's own context, up to 128 characters."""
    task: Union[str, Task, None]
    """The piece of work; a string is its id."""
    title: Optional[str]
    """A few words above the prompt, up to 200 characters."""
    team: Optional[str]
    """The name of the team to ask, one that an admin has opened to this agent. Left out, the agent's home."""
    urgent: bool
    """Before the others."""
    metadata: Optional[Mapping[str, Any]]
    """Anything, up to 8 kB of JSON; it comes back with the answer."""
    attachments: Sequence[Attachment]
    """Up to five files that people are shown with it, each from `Handraise.attach`."""
    callback_url: Optional[str]
    """An address to be called when it is closed. Servers that do not call refuse it (`Refused`, 422)."""
    idempotency_key: Optional[str]
    """The same key and the same request get the same interaction, also from another process, up to 255
    characters. Without it every call makes its own."""
    give_up_after: Optional[float]
    """Seconds without any reply after which to raise `Unreachable`. Left out, what the client was made with."""


class Options(About, total=False):
    """What any question may carry. All of it may be left out."""

    timeout: Timeout
    """Seconds until it expires, from 1 to 400 days; ``None`` = never. Left out, the server's default of the kind."""
    mode: Literal["sync", "async"]
    """``sync``, which is the default: this agent has stopped. ``async``: it goes on meanwhile."""
    to: Optional[str]
    """Whom of the team it is for: ``duty``, ``team``, or ``person:`` and a name. Others who may answer it
    still may."""
    withdraw_on_disconnect: bool
    """Whether it is taken back when the session in ``session_id`` ends: see `end_session`."""


def known_options(kind: str) -> Iterable[str]:
    """The names of the options that this kind of interaction has."""
    return (About if kind == "notification" else Options).__annotations__


def put_options(kind: str, options: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields of a request for these options. Raises ``TypeError`` for one that is none."""
    known = known_options(kind)
    for name in options:
        if name not in known:
            raise TypeError(f"unexpected keyword argument {name!r}")
    body: Dict[str, Any] = {
        name: options[name]
        for name in ("mode", "session_id", "team", "to", "title", "metadata", "callback_url")
        if options.get(name) is not None
    }
    task = options.get("task")
    if task is not None:
        body["task"] = {"id": task} if isinstance(task, str) else _without_none(task)
    attachments = options.get("attachments")
    if attachments:
        body["attachments"] = [_id_of(one) for one in attachments]
    if options.get("urgent"):
        body["priority"] = "urgent"
    if options.get("withdraw_on_disconnect"):
        body["withdraw_on_disconnect"] = True
    if "timeout" in options:
        body["timeout_seconds"] = _seconds(options["timeout"])
    return body


def _id_of(attachment: Attachment) -> str:
    if attachment.id is None:
        raise ValueError(f"{attachment.name} is part of something already: attach it once more")
    return attachment.id


def allowed(timeout: Timeout) -> Optional[timedelta]:
    """How long after asking an answer counts, by what the server is told."""
    seconds = _seconds(timeout)
    return None if seconds is None else timedelta(seconds=seconds)


def key_of(about: Mapping[str, Any]) -> str:
    """The key to ask under: the given one, or a new one."""
    key = about.get("idempotency_key")
    if key is None:
        return uuid.uuid4().hex
    if not isinstance(key, str) or not key.isascii() or not key.isprintable():
        raise ValueError(f"an idempotency_key is of visible ASCII characters, unlike {key!r}")
    return key


def put_fields(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """What belongs to a kind, for a request."""
    body = {name: value for name, value in fields.items() if value is not None}
    if "options" in body:
        body["options"] = _choices(body["options"])
    if "questions" in body:
        body["questions"] = [_question(question) for question in body["questions"]]
    operands = [_without_none(one) for one in body.pop("operands", ())]
    if operands:
        body["operands"] = operands
    action = {name: body.pop(name) for name in ("tool", "arguments", "operands") if name in body}
    return {**body, "action": action} if action else body


def _choices(options: Iterable[AnyOption]) -> Any:
    return [one if isinstance(one, str) else _without_none(one) for one in options]


def _question(question: Question) -> Dict[str, Any]:
    body = _without_none(question)
    if question.options is not None:
        body["options"] = _choices(question.options)
    return body


def _without_none(value: Any) -> Dict[str, Any]:
    """The fields of a dataclass that are there."""
    if not is_dataclass(value):
        raise TypeError(f"{value!r} is neither a string nor a dataclass of this package")
    named = ((one.name, getattr(value, one.name)) for one in fields(value))
    return {name: field for name, field in named if field is not None}


def _seconds(timeout: Timeout) -> Optional[int]:
    if timeout is None:
        return None
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
    # The server counts whole seconds; less than was asked for would be a surprise.
    return math.ceil(seconds)
