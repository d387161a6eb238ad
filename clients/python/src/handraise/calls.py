"""The calls: to ask in one way or another, and wait. Each is a `Flow`, once for both clients."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union, overload

from .canonical import action_digest, attachments_digest, plan_digest, snapshot
from .errors import Unreachable
from .exchange import Flow, log
from .models import Attachment, FormAnswer, Interaction, Operand, Question
from .options import AnyOption, Timeout, allowed, key_of
from .proofs import Proofs
from .receipts import MAX_AGE, Age, Claim
from .steps import expect, there
from .verdicts import PROCEEDS, Decision, PlanReview, answered, plan_decision, reviewed, says_approved

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import About, Options

COLLECT_FOR = 10.0
"""Seconds that an answer which is there already waits for the server to hear of it."""


class Calls(Proofs):
    """All calls of a client."""

    def ask(self, prompt: str, *, fallback: Optional[str] = None, **options: Unpack[Options]) -> Flow[str]:
        """Asks a question and waits for the answer: text, whole, byte for byte; ``""`` is an answer.

        After the deadline the answer is ``fallback``. ``prompt`` is markdown, up to 20,000 characters.
        The other options are those of `Options`.

        Raises `Expired` when nobody answered and there is no fallback, `Cancelled`, `Refused`, `Unauthorized`,
        and `Unreachable` with ``give_up_after``.
        """
        closed = yield from self._asked("question", prompt, options, fallback=fallback)
        return there(answered(closed).text)

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
        selected = there(answered(closed).selected)
        return list(selected) if multiple else selected[0]

    def approve(
        self,
        prompt: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        operands: Sequence[Operand] = (),
        amendable: Union[bool, Mapping[str, Any], None] = None,
        approvals: Union[int, Mapping[str, Any], None] = None,
        max_age: Age = MAX_AGE,
        **options: Unpack[Options],
    ) -> Flow[Decision]:
        """Asks whether one exact action may be run, and returns a `Decision`, true only if it may.

        Denied, expired, cancelled and void are false decisions and raise nothing. ``arguments`` is a ``dict`` of
        JSON alone: they are shown as they are and copied before asking. ``operands`` are the files that they
        name, from `hash_file`. A decision that was made more than ``max_age`` (seconds) ago is none, and so is
        one that was made later than ``timeout`` after asking, whatever deadline the server was told.

        With ``amendable`` (``True``, or a ``dict`` with ``paths`` or a flat JSON ``schema``) people may change the
        arguments first: run ``decision.arguments`` then, never your own. ``approvals`` is how many different people
        have to approve, or a ``dict`` of ``needed``, ``of`` and ``four_eyes``; the receipt has to name as many.

        An approval is for one run: `consume` it right before. Raises `NotJson` before asking,
        `ArgumentsChanged` when the server's digest is not that of this action, `NotVerified` when the server
        says that it was approved and has no receipt that proves it, and otherwise as `ask`, but never
        `Expired` or `Cancelled`.
        """
        exact = snapshot(arguments, "arguments")
        files = options.get("attachments") or ()
        digest = action_digest(tool, exact, operands, files)
        since, within, key = self._since(options), allowed(options.get("timeout")), key_of(options)
        yield from self._known(options.get("give_up_after"))
        keyed = {**options, "idempotency_key": key}
        counted = {"needed": approvals} if isinstance(approvals, int) else approvals
        people = 0 if counted is None else counted.get("needed", 1)
        asked, closed = yield from self._closed(
            "approval",
            prompt,
            keyed,
            tool=tool,
            arguments=exact,
            operands=operands,
            amendable=amendable or None,
            approvals=counted,
        )
        expect(digest, closed)
        receipt, runs = None, None
        if says_approved(closed):
            runs, amended = exact, None
            if closed.amended is not None and amendable:
                runs = snapshot(closed.amended.arguments, "arguments")
                amended = action_digest(tool, runs, operands, files)
            claim = Claim(
                asked.id, asked.agent.id, "approval", "approved", digest, since, max_age, within, key, amended, people
            )
            receipt = yield from self._proven(claim, self._patience(options.get("give_up_after")))
        return Decision((yield from self._taken(asked.id, closed, options)), receipt, runs)

    def verify(
        self,
        id: str,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        operands: Sequence[Operand] = (),
        attachments: Sequence[Attachment] = (),
        max_age: Age = MAX_AGE,
        timeout: Timeout = None,
        idempotency_key: Optional[str] = None,
    ) -> Flow[Decision]:
        """What became of an approval that was opened before, as a `Decision` about exactly this action.

        For who has waited with `open` and `wait`, which say what the server says. ``timeout`` is that of `open`:
        what was decided later is refused. ``idempotency_key`` is that of `open`, too: without it a program in the
        server's place could show an unused approval of the same action as this one. False while it is pending.
        Raises as `approve` does.
        """
        exact = snapshot(arguments, "arguments")
        digest = action_digest(tool, exact, operands, attachments)
        yield from self._known()
        closed = yield from self.get(id)
        expect(digest, closed)
        receipt = None
        if says_approved(closed):
            claim = Claim(
                id,
                closed.agent.id,
                "approval",
                "approved",
                digest,
                max_age=max_age,
                timeout=allowed(timeout),
                key=idempotency_key,
            )
            receipt = yield from self._proven(claim, self._patience())
        return Decision(closed, receipt, exact if receipt is not None else None)

    def acknowledge(self, prompt: str, **options: Unpack[Options]) -> Flow[Interaction]:
        """Waits until somebody says that they have seen this: ``answer.responder`` of what is returned.

        Raises as `ask` does.
        """
        closed = yield from self._asked("acknowledgement", prompt, options)
        answered(closed)
        return closed

    def review_plan(
        self,
        prompt: str,
        plan: str,
        *,
        revises: Optional[str] = None,
        max_age: Age = MAX_AGE,
        **options: Unpack[Options],
    ) -> Flow[PlanReview]:
        """Lets somebody decide about a plan in markdown, up to 20,000 characters.

        ``revises`` is the id of the plan that this one is the next version of (``review.interaction.id``): people see
        what is different, and what became of their comments. A plan is revised once it is closed, and once: revise the
        newest.

        Raises as `ask` does: a plan that nobody has decided about may not be carried out. Raises `NotVerified`
        when the server says that it may and has no receipt that proves it, not older than ``max_age`` (seconds),
        and not later than ``timeout`` after asking.
        """
        since, within, key = self._since(options), allowed(options.get("timeout")), key_of(options)
        yield from self._known(options.get("give_up_after"))
        keyed = {**options, "idempotency_key": key}
        asked, closed = yield from self._closed("plan_review", prompt, keyed, plan=plan, revises=revises)
        decision, receipt = plan_decision(closed) if closed.answer else "", None
        if decision in PROCEEDS:
            digest = plan_digest(plan)
            claim = Claim(
                asked.id,
                asked.agent.id,
                "plan_review",
                decision,
                digest,
                since,
                max_age,
                within,
                key,
                attachments=attachments_digest(options.get("attachments") or ()),
            )
            receipt = yield from self._proven(claim, self._patience(options.get("give_up_after")))
        return reviewed((yield from self._taken(asked.id, closed, options)), receipt)

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
        return dict(there(answered(closed).answers))

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
        operands: Optional[Sequence[Operand]] = None,
        plan: Optional[str] = None,
        revises: Optional[str] = None,
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
            operands=operands,
            plan=plan,
            revises=revises,
            questions=questions,
            level=level,
        )

    def _asked(self, kind: str, prompt: str, about: Mapping[str, Any], **fields: Any) -> Flow[Interaction]:
        """Opens, waits, collects."""
        asked, closed = yield from self._closed(kind, prompt, about, **fields)
        return (yield from self._taken(asked.id, closed, about))

    def _closed(
        self, kind: str, prompt: str, about: Mapping[str, Any], **fields: Any
    ) -> Flow[Tuple[Interaction, Interaction]]:
        """Opens and waits; as it was when it was asked, and as it is closed."""
        asked = closed = yield from self._opened(kind, prompt, about, **fields)
        if asked.is_pending:
            closed = yield from self.wait(asked.id, give_up_after=about.get("give_up_after"))
        return asked, closed

    def _taken(self, id: str, closed: Interaction, about: Mapping[str, Any]) -> Flow[Interaction]:
        """Collects what is here already."""
        # The answer is here: that the server does not hear of it is no reason to keep it back for long.
        patience = self._patience(about.get("give_up_after"), until=self._clock() + COLLECT_FOR)
        try:
            return (yield from self._collected(id, patience))
        except Unreachable:
            log.warning("could not tell the server that %s was collected", id)
            return closed

    def _since(self, about: Mapping[str, Any]) -> Optional[datetime]:
        """Not before when it can have been asked; ``None`` under a key of the caller's, which an earlier run may
        have used.
        """
        return self._now() if about.get("idempotency_key") is None else None
