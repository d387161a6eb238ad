"""Receipts: whether what the server says was decided, by a person, now, and about exactly this. Fails closed.

The checks and their order are those of `docs/receipts.md`. Whose key it is, `keys` says.
"""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Mapping, Optional, Union

from . import reading
from .errors import NotVerified
from .models import Receipt
from .signatures import is_signed, public_key

VERSION = 1
VERSION_BY_GRANT = 2
"""Of a receipt that rests on a person's standing approval: it has one field more, ``grant``."""
VERSION_BY_POLICY = 3
"""Of a receipt that rests on an admin's rule: it has one field more, ``policy``, and the rule is its responder."""

MAX_AGE = timedelta(days=1)
"""How long ago a decision may have been made that is acted on now, unless it is said."""

CLOCKS_DIFFER = timedelta(minutes=5)
"""How far the clocks of two machines may be apart."""

Age = Union[float, timedelta]
"""Seconds, or a ``timedelta``."""

_FIELDS = {
    "version",
    "interaction_id",
    "kind",
    "outcome",
    "agent",
    "responder",
    "asked_at",
    "answered_at",
    "public_key",
    "signature",
}
_SOMETIMES = {"asked_digest", "approvers", "attachments_digest"}
_AT_ONCE = {"approved", "denied"}
_DIGESTS = {"approval": "action_digest", "plan_review": "plan_digest"}


@dataclass(frozen=True)
class Claim:
    """What the receipt has to say, by what is known here."""

    interaction_id: str
    agent_id: str
    """Who asked, by the server's reply to asking."""
    kind: str
    outcome: str
    digest: str
    """Of the action or the plan that was asked about, made here."""
    asked_since: Optional[datetime] = None
    """Not before this. ``None`` when an earlier run may have asked it."""
    max_age: Age = MAX_AGE
    timeout: Optional[timedelta] = None
    """How long people had, by what this agent asked. ``None`` when that was any time, or left to the server."""
    key: Optional[str] = None
    """What it was asked under: which interaction it is, only the server says. ``None`` where that is not known."""
    amended: Optional[str] = None
    """Of the action that is to run instead, made here of the arguments that the server says were approved. ``None``
    where it says that nothing was changed, or where this agent takes no changes."""
    approvers: int = 0
    """How many different people were asked for; 0 when that was left to the server."""
    attachments: Optional[str] = None
    """`attachments_digest` of the files beside a plan; those of an approval are part of its action."""


def key_of(document: Any) -> str:
    """The key that a receipt says it was signed with. Raises `NotVerified` for what is no receipt."""
    if not isinstance(document, Mapping):
        raise NotVerified("the receipt is void: it is no JSON object")
    _expect_fields(document)
    version = document["version"]
    known = VERSION_BY_GRANT if "grant" in document else VERSION_BY_POLICY if "policy" in document else VERSION
    if (type(version), version) != (int, known):
        raise NotVerified(f"the receipt is void: its version {version!r} is not known here")
    if "policy" in document and (document["outcome"] not in _AT_ONCE or _SOMETIMES & set(document)):
        raise NotVerified("the receipt is void: a policy approves or denies, and never for several people")
    by_rule = {"id": document["responder"]["id"], "name": document["responder"]["name"]}
    ruled = document.get("policy", {})
    named = {"id": ruled.get("id"), "name": ruled.get("rule")}
    by_policy = document["responder"]["via"] == "policy"
    if by_policy != ("policy" in document) or (by_policy and by_rule != named):
        raise NotVerified("the receipt is void: a policy decided it that it does not name")
    if "grant" in document and (document["outcome"] != "approved" or _SOMETIMES & set(document)):
        raise NotVerified("the receipt is void: a grant only approves, as it is asked, and never for several people")
    key = public_key(document["public_key"])
    if key is None:
        raise NotVerified("the receipt is void: its public key is none")
    return key


def verified(document: Any, claim: Claim, now: datetime) -> Receipt:
    """The receipt, if it holds, signed with a key that is trusted already. Raises `NotVerified`."""
    if not is_signed(document, key_of(document)):
        raise NotVerified("the receipt is void: its signature is not over what it says")
    try:
        receipt = reading.receipt(document)
    except (KeyError, TypeError, ValueError, AttributeError) as cause:
        raise NotVerified(f"the receipt is void: it cannot be read: {cause!r}") from cause
    _expect_subject(receipt, claim)
    _expect_time(receipt, claim, now)
    return receipt


def expect_recent(receipt: Receipt, max_age: Age, now: datetime) -> None:
    """Raises `NotVerified` when the decision was made too long ago."""
    longest = max_age if isinstance(max_age, timedelta) else timedelta(seconds=max_age)
    if receipt.answered_at < now - longest:
        raise NotVerified(f"the receipt is void now: it was answered at {receipt.answered_at}, more than {longest} ago")


def _expect_fields(document: Mapping[str, Any]) -> None:
    digest = _DIGESTS.get(str(document.get("kind")), "action_digest")
    agent, responder = document.get("agent"), document.get("responder")
    approvers = document.get("approvers", [])
    # Only whole: a person's standing approval is named by its id and its time.
    grant = document.get("grant")
    by_grant = {"grant"} if "grant" in document else set()
    if by_grant and (not isinstance(grant, Mapping) or set(grant) != {"id", "made_at"}):
        raise NotVerified("the receipt is void: it holds more than was signed")
    policy = document.get("policy")
    by_policy = {"policy"} if "policy" in document else set()
    if by_policy and (by_grant or not isinstance(policy, Mapping) or set(policy) != {"id", "digest", "rule"}):
        raise NotVerified("the receipt is void: it holds more than was signed")
    parts = [
        (document, _FIELDS | {digest} | by_grant | by_policy),
        (agent, {"id", "name"}),
        (responder, {"id", "name", "via"}),
        *((one, {"id", "name", "via", "at"}) for one in (approvers if isinstance(approvers, list) else [None])),
    ]
    for part, names in parts:
        if not isinstance(part, Mapping) or not names <= set(part):
            raise NotVerified("the receipt is void: it lacks what a receipt has")
        if set(part) - names - (_SOMETIMES if part is document else set()):
            raise NotVerified("the receipt is void: it holds more than was signed")


def _expect_subject(receipt: Receipt, claim: Claim) -> None:
    if receipt.interaction_id != claim.interaction_id:
        raise NotVerified(f"the receipt is void here: it is of the interaction {receipt.interaction_id}")
    if (receipt.kind, receipt.outcome) != (claim.kind, claim.outcome):
        raise NotVerified(f"the receipt is void here: its {receipt.kind} was {receipt.outcome}")
    digest = receipt.plan_digest if claim.kind == "plan_review" else receipt.action_digest
    runs, asked = (claim.digest, None) if claim.amended is None else (claim.amended, claim.digest)
    if (digest, receipt.asked_digest) != (runs, asked):
        raise NotVerified(f"the receipt is void for this action: {digest} was decided on, and this is {runs}")
    if receipt.attachments_digest != claim.attachments:
        raise NotVerified("the receipt is void here: other files were attached to what was decided on")
    people = len({one.id for one in receipt.approvers})
    if people < claim.approvers:
        raise NotVerified(f"the receipt is void here: {people} of {claim.approvers} people approved it")
    if receipt.agent.id != claim.agent_id:
        raise NotVerified(f"the receipt is void here: it was given to the agent {receipt.agent.name}")

    if claim.key is not None and not was_asked_under(receipt.interaction_id, receipt.agent.id, claim.key):
        raise NotVerified(
            "the receipt is void here: it answers another question than this agent has asked, "
            "or the server is older than this program"
        )


def was_asked_under(id: str, agent_id: str, key: str) -> bool:
    """Whether this is the id of what this agent has asked under this idempotency key: its bits say so, but for those
    of the time.
    """
    hashed = bytearray(hashlib.sha256(f"handraise interaction\n{agent_id}\n{key}".encode()).digest()[:10])
    # The version and the variant of a UUIDv7.
    hashed[0] = hashed[0] & 0x0F | 0x70
    hashed[2] = hashed[2] & 0x3F | 0x80
    try:
        found = uuid.UUID(id)
    except ValueError:
        return False
    return str(found) == id and found.bytes[6:] == bytes(hashed)


def _expect_time(receipt: Receipt, claim: Claim, now: datetime) -> None:
    asked, answered = receipt.asked_at, receipt.answered_at
    if answered < asked:
        raise NotVerified(f"the receipt is void now: it was answered at {answered}, before it was asked at {asked}")
    if answered > now + CLOCKS_DIFFER:
        raise NotVerified(f"the receipt is void now: it was answered at {answered}, and here it is {now}")
    expect_recent(receipt, claim.max_age, now)
    # Both by the server's clock. It may have been told of another deadline, or none, by somebody on the way.
    if claim.timeout is not None and answered - asked > claim.timeout:
        raise NotVerified(
            f"the receipt is void now: it was asked at {asked} and answered at {answered}, "
            "which is later than this agent allowed"
        )
    # Whoever answers at the address could show the receipt of an earlier question as that of this one.
    if claim.asked_since is not None and asked < claim.asked_since - CLOCKS_DIFFER:
        raise NotVerified(f"the receipt is void now: it was asked at {asked}, before this was at {claim.asked_since}")
