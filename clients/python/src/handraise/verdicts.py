"""What an agent may conclude from a closed interaction. Fails closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

from .errors import Cancelled, Expired, HandraiseError, NotVerified
from .models import Answer, Interaction, PlanComment, Receipt, Responder

PROCEEDS = {"proceed": (False, "edit"), "proceed_clean": (True, "edit"), "proceed_default": (True, "default")}
"""The decisions by which a plan may be carried out: whether to drop the context, and the mode to go on in."""


@dataclass(frozen=True)
class Decision:
    """What became of an approval. True only if a person approved exactly this action before its deadline, and a
    verified receipt proves it; denied, expired, cancelled, pending, void and anything unknown are false.
    """

    interaction: Interaction
    receipt: Optional[Receipt] = None
    """The proof; ``None`` for what was not approved."""
    arguments: Optional[Mapping[str, Any]] = None
    """What to run, by the receipt: as asked, or as somebody changed them, which happens only with ``amendable``.
    ``None`` for what was not approved."""

    def __bool__(self) -> bool:
        it, proof = self.interaction, self.receipt
        proven = proof is not None and (proof.interaction_id, proof.outcome) == (it.id, "approved")
        return proven and says_approved(it)

    @property
    def approved(self) -> bool:
        """The same as the truth of the decision."""
        return bool(self)

    @property
    def outcome(self) -> Optional[str]:
        """``approved``, ``denied``, ``expired``, ``cancelled`` or ``void``."""
        return self.interaction.outcome

    @property
    def comment(self) -> Optional[str]:
        """What the responder said with it."""
        return self.interaction.answer.text if self.interaction.answer else None

    @property
    def responder(self) -> Optional[Responder]:
        """Who decided, by the receipt where there is one; ``None`` when nobody did."""
        if self.receipt is not None:
            return self.receipt.responder
        return self.interaction.answer.responder if self.interaction.answer else None


@dataclass(frozen=True)
class PlanReview:
    """What somebody decided about a plan. True only if it may be carried out."""

    interaction: Interaction
    decision: str
    """``proceed``, ``proceed_clean``, ``proceed_default`` or ``adjust``."""
    feedback: Optional[str]
    """What to change, comments on lines included; always there with ``adjust``. No receipt covers it."""
    clear_context: bool
    """Whether to drop the context before going on."""
    target_mode: Optional[str]
    """``edit``, ``default`` (ask before edits), or ``None``: stay in plan mode."""
    receipt: Optional[Receipt] = None
    """The proof; ``None`` for what may not be carried out."""
    comments: Tuple[PlanComment, ...] = ()
    """The comments on lines once more, in the order of the plan. No receipt covers them."""

    def __bool__(self) -> bool:
        return self.receipt is not None and self.decision == self.receipt.outcome and self.decision in PROCEEDS

    @property
    def may_proceed(self) -> bool:
        """The same as the truth of the review: false for ``adjust``, and for what this version does not know."""
        return bool(self)


def says_approved(interaction: Interaction) -> bool:
    """Whether the server says that this was approved, which is no proof."""
    return (
        interaction.kind == "approval"
        and interaction.state == "resolved"
        and interaction.outcome == "approved"
        and interaction.approved is True
        and interaction.erased is None
    )


def answered(interaction: Interaction) -> Answer:
    """The answer, a fallback included. Raises `Expired` or `Cancelled` when there is none, and `HandraiseError` when it
    was erased.
    """
    if interaction.answer is not None:
        return interaction.answer
    if interaction.state == "expired":
        raise Expired(interaction)
    if interaction.state == "cancelled":
        raise Cancelled(interaction)
    if interaction.erased is not None:
        by = interaction.erased.by or "a setting"
        raise HandraiseError(f"all that was written in it was erased by {by}: there is no answer any more")
    if interaction.outcome == "void":
        raise NotVerified("the server has a decision whose receipt does not hold, so nothing was decided")
    raise HandraiseError(f"closed without an answer: {interaction.state}, {interaction.outcome}")


def plan_decision(interaction: Interaction) -> str:
    """What the server says was decided about a plan. Raises `Expired` or `Cancelled` when nothing was."""
    decision = answered(interaction).decision
    if decision is None:
        raise HandraiseError("a plan review without a decision")
    return decision


def reviewed(interaction: Interaction, receipt: Optional[Receipt]) -> PlanReview:
    """The decision about a plan. What the agent may do follows from the receipt, whatever else the server says."""
    clear_context, target_mode = PROCEEDS.get(receipt.outcome, (False, None)) if receipt else (False, None)
    return PlanReview(
        interaction=interaction,
        decision=plan_decision(interaction),
        feedback=answered(interaction).feedback,
        clear_context=clear_context,
        target_mode=target_mode,
        receipt=receipt,
        comments=answered(interaction).comments,
    )
