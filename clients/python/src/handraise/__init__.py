"""Handraise: an agent asks, a person answers, and the agent gets that answer once.

    from handraise import Handraise

    with Handraise() as people:
        target = people.ask("Which latency target?", timeout=3600, fallback="200 ms")

`Handraise` blocks, `AsyncHandraise` is awaited. `requires_approval` guards a function.
"""

from .canonical import action_digest, canonical_json
from .client import AsyncHandraise, Handraise
from .errors import (
    ArgumentsChanged,
    Cancelled,
    Denied,
    Expired,
    Fault,
    HandraiseError,
    NotJson,
    Refused,
    Unauthorized,
    Unreachable,
)
from .guard import requires_approval
from .models import (
    Action,
    AgentRef,
    Answer,
    FollowUp,
    FormAnswer,
    Interaction,
    Option,
    Page,
    Question,
    Responder,
    Task,
)
from .options import About, Options
from .verdicts import Decision, PlanReview
from .version import __version__

__all__ = [
    "About",
    "Action",
    "AgentRef",
    "Answer",
    "ArgumentsChanged",
    "AsyncHandraise",
    "Cancelled",
    "Decision",
    "Denied",
    "Expired",
    "Fault",
    "FollowUp",
    "FormAnswer",
    "Handraise",
    "HandraiseError",
    "Interaction",
    "NotJson",
    "Option",
    "Options",
    "Page",
    "PlanReview",
    "Question",
    "Refused",
    "Responder",
    "Task",
    "Unauthorized",
    "Unreachable",
    "__version__",
    "action_digest",
    "canonical_json",
    "requires_approval",
]
