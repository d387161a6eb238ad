"""Everything this package raises by itself.

Arguments of the wrong type are Python's own ``TypeError``, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Mapping, Optional, Tuple

if TYPE_CHECKING:
    from .models import Interaction
    from .verdicts import Decision


class HandraiseError(Exception):
    """What all the others are. By itself: what answers at this address is not a Handraise server."""


class NotJson(HandraiseError, ValueError):
    """Something to be sent has no JSON form that every program reads alike. Nothing was asked."""


class Expired(HandraiseError):
    """The deadline passed without an answer, and there was no fallback."""

    def __init__(self, interaction: Interaction) -> None:
        super().__init__(f"nobody answered in time: {interaction.dashboard_url}")
        self.interaction = interaction


class Cancelled(HandraiseError):
    """Somebody took the question back: this agent, a person, or the end of its task."""

    def __init__(self, interaction: Interaction) -> None:
        super().__init__(f"taken back before it was answered: {interaction.dashboard_url}")
        self.interaction = interaction


class Denied(HandraiseError):
    """An action was not approved, and so was not run."""

    def __init__(self, decision: Decision) -> None:
        said = f": {decision.comment}" if decision.comment else ""
        erased = decision.interaction.erased
        how = decision.interaction.outcome if erased is None else f"erased by {erased.by or 'a setting'}"
        super().__init__(f"not approved ({how}){said}")
        self.decision = decision


class ArgumentsChanged(HandraiseError):
    """What would run is not what was approved, and so was not run."""


class OperandChanged(ArgumentsChanged):
    """A file of the action is not what it was when somebody approved it, or its path leads elsewhere than it did when
    they were asked, and so nothing was run.
    """

    def __init__(self, name: str, how: str) -> None:
        super().__init__(f"{name} has changed since it was approved: {how}")
        self.name = name


class NotVerified(HandraiseError):
    """The server says yes, and does not prove it: there is no receipt, or no signed note of the run that uses it,
    or it does not hold for this. Nothing may run on it.
    """


class KeyChanged(NotVerified):
    """Receipts are signed with another key than those that are trusted for this server, and none of these has
    announced it.
    """

    def __init__(self, address: str, trusted: Tuple[str, ...], found: str, *, named: bool) -> None:
        where = " (HANDRAISE_PUBLIC_KEY)" if named else ""
        remedy = (
            "name it there"
            if named
            else f"run\n  handraise trust remove {address}\n  handraise trust add {address} {found}"
        )
        super().__init__(
            f"the key of {address} has CHANGED: its receipts are signed with\n  {found}\n"
            f"and trusted here{where} is\n  {', '.join(trusted)}\n"
            "If this was decided before the server's key was rotated, ask again: a former key is trusted no longer. "
            "Else another program answers in its place, or the server has a new key. Ask its operator what "
            f"`handraise journal verify` prints there; if that is the first of these keys, {remedy}"
        )
        self.address = address
        self.trusted = trusted
        self.found = found


class AlreadyUsed(HandraiseError):
    """An approval is good for one run, and another run has it: perhaps one that crashed. Whether that run did
    what it was approved for is not known here. Ask again, under another key, to run it again.
    """

    def __init__(self, interaction_id: str, at: Optional[datetime], by: Optional[str]) -> None:
        super().__init__(f"the approval {interaction_id} was used by the run {by} at {at}")
        self.interaction_id = interaction_id
        self.at = at
        """When."""
        self.by = by
        """The name of that run."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with one field of a request."""

    path: str
    """The field, as in ``task.title`` or ``options[2].label``; ``$`` is the whole body."""
    message: str


class Refused(HandraiseError):
    """The server understood, and does not do it (4xx). Trying the same again will not help."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        code, detail = problem.get("code"), problem.get("detail")
        self.status = status
        self.code: Optional[str] = code if isinstance(code, str) else None
        """Keeps its meaning from version to version; ``None`` when it was not Handraise that refused."""
        self.detail: Optional[str] = detail if isinstance(detail, str) else None
        self.errors = _faults(problem.get("errors"))
        self.problem = problem
        """The whole body, with the fields that belong to some codes only, such as ``closed_by``."""
        super().__init__(self._text())

    def _text(self) -> str:
        head = f"{self.status} {self.code or 'without a code'}"
        told = self.detail or ""
        if len(self.errors) > 1:
            told += " " + "; ".join(f"{fault.path}: {fault.message}" for fault in self.errors)
        return f"{head}: {told}" if told else head


class Unauthorized(Refused):
    """The token is missing, wrong or revoked (401)."""


class Unreachable(HandraiseError):
    """No usable reply for as long as the caller said (``give_up_after``, or the ``timeout`` of ``wait``).

    What was asked may well be waiting for its answer: ask again with the same ``idempotency_key``, or
    ``wait`` for ``interaction_id``.
    """

    def __init__(self, seconds: float, last: str) -> None:
        super().__init__(f"no usable reply for {seconds:.0f} s; the last trouble was: {last}")
        self.idempotency_key: Optional[str] = None
        self.interaction_id: Optional[str] = None


def _faults(errors: object) -> Tuple[Fault, ...]:
    listed = errors if isinstance(errors, list) else []
    return tuple(
        Fault(path=str(one.get("path", "$")), message=str(one.get("message", "")))
        for one in listed
        if isinstance(one, dict)
    )
