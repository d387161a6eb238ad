"""What an agent may conclude from a closed interaction. Fails closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from .errors import Cancelled, Expired, HandraiseError
from .models import Answer, Interaction, Responder


@dataclass(frozen=True)
class Decision:
    """What became of an approval. True only if a person approved exactly this action before its deadline;
    denied, expired, cancelled, pending and anything unknown are false.
    """

    interaction: Interaction

    def __bool__(self) -> bool:
        it = self.interaction
        return it.kind == "approval" and it.state == "resolved" and it.outcome == "approved" and it.approved is True

    @property
    def approved(self) -> bool:
        """The same as the truth of the decision."""
        return bool(self)

    @property
    def outcome(self) -> Optional[str]:
        """``approved``, ``denied``, ``expired`` or ``cancelled``."""
        return self.interaction.outcome

    @property
    def comment(self) -> Optional[str]:
        """What the responder said with it."""
        return self.interaction.answer.text if self.interaction.answer else None

    @property
    def responder(self) -> Optional[Responder]:
        """Who decided; ``None`` when nobody did."""
        return self.interaction.answer.responder if self.interaction.answer else None


@dataclass(frozen=True)
class PlanReview:
    """What somebody decided about a plan. True only if it may be carried out."""

    interaction: Interaction
    decision: str
    """``proceed``, ``proceed_clean``, ``proceed_default`` or ``adjust``."""
    feedback: Optional[str]
    """What to change; always there with ``adjust``."""
    clear_context: bool
    """Whether to drop the context before going on."""
    target_mode: Optional[str]
    """``edit``, ``default`` (ask before edits), or ``None``: stay in plan mode."""

    def __bool__(self) -> bool:
        return self.decision in ("proceed", "proceed_clean", "proceed_default") and self.target_mode is not None

    @property
    def may_proceed(self) -> bool:
        """The same as the truth of the review: false for ``adjust``, and for what this version does not know."""
        return bool(self)


def answered(interaction: Interaction) -> Answer:
    """The answer, a fallback included. Raises `Expired` or `Cancelled` when there is none."""
    if interaction.answer is not None:
        return interaction.answer
    if interaction.state == "expired":
        raise Expired(interaction)
    if interaction.state == "cancelled":
        raise Cancelled(interaction)
    raise HandraiseError(f"closed without an answer: {interaction.state}, {interaction.outcome}")


def reviewed(interaction: Interaction) -> PlanReview:
    """The decision about a plan. Raises `Expired` or `Cancelled` when there is none."""
    answer = answered(interaction)
    if answer.decision is None:
        raise HandraiseError("a plan review without a decision")
    return PlanReview(
        interaction=interaction,
        decision=answer.decision,
        feedback=answer.feedback,
        clear_context=answer.clear_context is True,
        target_mode=answer.target_mode,
    )
