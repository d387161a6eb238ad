"""Handraise: an agent asks, a person answers, and the agent gets that answer once.

    from handraise import Handraise

    with Handraise() as people:
        target = people.ask("Which latency target?", timeout=3600, fallback="200 ms")

`Handraise` blocks, `AsyncHandraise` is awaited. `requires_approval` guards a function.
"""

from .canonical import action_digest, canonical_json
from .client import AsyncHandraise, Handraise
from .errors import (
    AlreadyUsed,
    ArgumentsChanged,
    Cancelled,
    Denied,
    Expired,
    Fault,
    HandraiseError,
    KeyChanged,
    NotJson,
    NotVerified,
    OperandChanged,
    Refused,
    Unauthorized,
    Unreachable,
)
from .guard import requires_approval
from .models import (
    Action,
    Addressee,
    AgentRef,
    Amended,
    Answer,
    Approver,
    Attachment,
    Claim,
    Consumed,
    Erased,
    FollowUp,
    FormAnswer,
    Interaction,
    Operand,
    Option,
    Page,
    PlanComment,
    Question,
    Receipt,
    Remembered,
    Report,
    Responder,
    Task,
)
from .operands import hash_file
from .options import About, Options
from .verdicts import Decision, PlanReview
from .version import __version__

__all__ = [
    "About",
    "Action",
    "Addressee",
    "AgentRef",
    "AlreadyUsed",
    "Amended",
    "Answer",
    "Approver",
    "ArgumentsChanged",
    "AsyncHandraise",
    "Attachment",
    "Cancelled",
    "Claim",
    "Consumed",
    "Decision",
    "Denied",
    "Erased",
    "Expired",
    "Fault",
    "FollowUp",
    "FormAnswer",
    "Handraise",
    "HandraiseError",
    "Interaction",
    "KeyChanged",
    "NotJson",
    "NotVerified",
    "Operand",
    "OperandChanged",
    "Option",
    "Options",
    "Page",
    "PlanComment",
    "PlanReview",
    "Question",
    "Receipt",
    "Refused",
    "Remembered",
    "Report",
    "Responder",
    "Task",
    "Unauthorized",
    "Unreachable",
    "__version__",
    "action_digest",
    "canonical_json",
    "hash_file",
    "requires_approval",
]
