"""The calls: to ask in one way or another, and wait. Each is a `Flow`, once for both clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Union, overload

from .canonical import action_digest, snapshot
from .errors import Unreachable
from .exchange import Flow, log
from .models import FormAnswer, Interaction, Question
from .options import AnyOption
from .steps import Steps, expect, there
from .verdicts import Decision, PlanReview, answered, reviewed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import About, Options

COLLECT_FOR = 10.0
"""Seconds that an answer which is there already waits for the server to hear of it."""


class Calls(Steps):
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
        expect(action_digest(tool, exact), closed)
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
