"""How a decision and its use are proven: the server's key is known before, and what it has signed is read after."""

from __future__ import annotations

import os
import platform
import uuid
from typing import Any, Optional

from . import reading
from .consumption import expect_noted, signer_of
from .errors import NotVerified, Refused
from .exchange import Flow, Patience, Request, encoded, exchange, read
from .keys import announced
from .models import Interaction, Receipt
from .receipts import Claim, key_of, verified
from .steps import Steps, path_of


class Proofs(Steps):
    """What `Calls` does before it says that something was approved, or may run."""

    def consume(self, id: str, run: Optional[str] = None) -> Flow[Interaction]:
        """Uses an approval for one run, right before that. ``run`` names it, up to 128 characters; left out, it
        gets a name that is told from all others.

        Who may not be told from another run gets the approval twice: a name is for one run. Raises
        `AlreadyUsed`; `NotVerified` when this server's key is not known yet (`approve` and `verify` see to that),
        and when it has not signed, up to 5 minutes ago, that this run has it; `Refused` with the code
        ``not_approved`` (409), and as `get` does.
        """
        if not self._keys.trusted():
            # Before it is used up: what cannot be verified would be used for nothing.
            raise NotVerified("no key of this server is known, so nothing was used: `verify` the approval first")
        run = run or run_name()
        patience = self._patience()
        try:
            body = yield from exchange(Request("POST", path_of(id, "consume"), encoded({"run": run})), patience)
        except Refused as refused:
            if refused.code == "already_consumed":
                raise read(lambda problem: reading.already_used(id, problem), refused.problem) from refused
            raise
        consumed: Any = body.get("consumed") if isinstance(body, dict) else None
        key = signer_of(consumed, run)
        yield from self._trusted(key, patience)
        expect_noted(consumed, id, key, self._now())
        return read(reading.interaction, body)

    def _known(self, give_up_after: Optional[float] = None) -> Flow[None]:
        """Pins the server's keys at the first contact, so that nothing is asked that could not be proven."""
        if self._keys.trusted():
            return
        try:
            body = yield from exchange(Request("GET", "/keys"), self._patience(give_up_after))
        except Refused as refused:
            raise NotVerified(f"the server does not say what its key is, so nothing was asked: {refused}") from refused
        self._keys.pin(read(announced, body))

    def _proven(self, claim: Claim, patience: Patience) -> Flow[Receipt]:
        """The receipt of what the server says. Raises `NotVerified`, and `KeyChanged` which is one."""
        try:
            document = yield from exchange(Request("GET", path_of(claim.interaction_id, "receipt")), patience)
        except Refused as refused:
            if refused.status == 401:
                raise
            raise NotVerified(f"the server says {claim.outcome}, and shows no receipt: {refused}") from refused
        key = key_of(document)
        yield from self._trusted(key, patience)
        return verified(document, claim, self._now())

    def _trusted(self, key: str, patience: Patience) -> Flow[None]:
        """Raises `KeyChanged` unless this key is trusted, maybe since one that was has announced it."""
        if self._keys.may_change and key not in self._keys.trusted():
            body = yield from exchange(Request("GET", "/keys"), patience)
            self._keys.follow(read(announced, body).rotations, key)
        self._keys.expect(key)


def run_name() -> str:
    """The name of a run, told from all others, by which people find the process."""
    return f"{platform.node()[:64] or 'somewhere'} {os.getpid()} {uuid.uuid4()}"
