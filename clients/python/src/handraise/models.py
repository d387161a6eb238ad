"""What the server returns, as frozen dataclasses. Fields of newer servers are ignored.

States, kinds and outcomes are strings, since a newer server may know more of them. Times have a zone (UTC).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

# Those of `strftime` are of the machine's language.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

FormAnswer = Union[str, List[str]]
"""Free text or the value of the one option; or the values of several."""


@dataclass(frozen=True)
class AgentRef:
    """Who asked."""

    id: str
    name: str


@dataclass(frozen=True)
class Responder:
    """Who answered."""

    id: str
    name: str
    via: str
    """``dashboard``, ``api``, ..."""


@dataclass(frozen=True)
class Task:
    """The piece of work a question belongs to. What is ``None`` stays as the server knows it."""

    id: str
    """The agent's own id for it, up to 128 characters."""
    title: Optional[str] = None
    description: Optional[str] = None
    step: Optional[str] = None
    """Where in it the agent is."""


@dataclass(frozen=True)
class Option:
    """One option of a choice."""

    value: str
    """What the agent gets when it is chosen."""
    label: Optional[str] = None
    """What people see; the value when ``None``."""
    description: Optional[str] = None
    """A line below the label."""


@dataclass(frozen=True)
class Question:
    """One question of a form: free text, or with options a choice."""

    id: str
    """Names the answer."""
    prompt: str
    options: Optional[Tuple[Option, ...]] = None
    multiple: bool = False


@dataclass(frozen=True)
class Operand:
    """A file that an action refers to without containing it, as it was when it was asked about: see `hash_file`."""

    name: str
    """Its path, as the action has it."""
    sha256: str
    """Of its bytes, in hex."""
    size: int
    """In bytes."""


@dataclass(frozen=True)
class Attachment:
    """A file that goes with a question or an answer, as the server keeps it: see `Handraise.attach`."""

    name: str
    type: str
    """``image/png``, ``image/jpeg``, ``text/plain`` or ``text/x-diff``."""
    size: int
    """In bytes."""
    sha256: str
    """Of its bytes, in hex."""
    id: Optional[str] = None
    """By which a question names it, once; ``None`` of one that is part of something."""


@dataclass(frozen=True)
class Action:
    """What will run if it is approved."""

    tool: str
    arguments: Mapping[str, Any]
    operands: Tuple[Operand, ...] = ()
    attachments: Tuple[Attachment, ...] = ()
    """What was attached: a part of it."""


@dataclass(frozen=True)
class PlanComment:
    """What somebody said of some lines of a plan, which are counted from 1."""

    line: int
    to_line: int
    quote: str
    """The beginning of these lines."""
    text: str


@dataclass(frozen=True)
class Remembered:
    """That nobody was asked: the person had answered the same question before, and lets the answer stand."""

    id: str
    """By what it stands, for who wants to end that."""
    answered_at: datetime
    """When they gave it."""
    made_at: datetime
    """When they let it stand."""


@dataclass(frozen=True)
class Answer:
    """The answer to go on with. What does not belong to the kind is ``None``; ``""`` is an answer."""

    answered_at: datetime
    responder: Optional[Responder] = None
    """``None`` when it is the fallback."""
    text: Optional[str] = None
    """Of a question, byte for byte; of an approval the comment."""
    selected: Optional[Tuple[str, ...]] = None
    """Of a choice, in the order of the options."""
    answers: Optional[Mapping[str, FormAnswer]] = None
    """Of a form, by question."""
    decision: Optional[str] = None
    """Of a plan review: ``proceed``, ``proceed_clean``, ``proceed_default`` or ``adjust``."""
    feedback: Optional[str] = None
    """Of a plan review: all that was said, comments on lines included."""
    clear_context: Optional[bool] = None
    target_mode: Optional[str] = None
    """``edit``, ``default`` (ask before edits), or ``None`` while the agent stays in plan mode."""
    comments: Tuple[PlanComment, ...] = ()
    """Of a plan review: the comments on lines once more, in the order of the plan."""
    attachments: Tuple[Attachment, ...] = ()
    """The files that were sent with it, in the order in which the API has them."""
    remembered: Optional[Remembered] = None
    """Where ``responder`` gave this answer to an earlier question that was the same; ``None`` where they saw this."""


@dataclass(frozen=True)
class FollowUp:
    """What somebody said after it was closed. It never changes the answer."""

    text: str
    responder: Responder
    at: datetime


@dataclass(frozen=True)
class Consumed:
    """That an approval was used, which it can be once."""

    at: datetime
    run: str
    """The name of the run that it was given for."""


@dataclass(frozen=True)
class Report:
    """What the agent says came of it."""

    outcome: str
    """``done`` or ``failed``."""
    text: Optional[str]
    at: datetime


@dataclass(frozen=True)
class Erased:
    """That all that was written in an interaction was erased."""

    at: datetime
    by: Optional[str]
    """Who did it; ``None`` when a setting did."""


@dataclass(frozen=True)
class Claim:
    """A person is on it. It is no answer."""

    by: Responder
    until: datetime


@dataclass(frozen=True)
class Addressee:
    """Whom an interaction is for. Others who may answer it still may."""

    type: str
    """``person``, ``duty`` or ``team``."""
    since: datetime
    id: Optional[str] = None
    name: Optional[str] = None
    by: Optional[str] = None
    """Who handed it over to them; ``None`` when the agent asked for them."""
    why: Optional[str] = None


@dataclass(frozen=True)
class Amended:
    """Changed arguments of an action: that one was approved, not the one that was asked about."""

    arguments: Mapping[str, Any]
    """All of them, not only those that differ."""
    digest: str
    """`action_digest` of the action with them."""


@dataclass(frozen=True)
class Approver:
    """One of several people who approved."""

    id: str
    name: str
    via: str
    at: datetime


@dataclass(frozen=True)
class Receipt:
    """A decision, signed. One that this package hands out is verified."""

    interaction_id: str
    kind: str
    """``approval`` or ``plan_review``."""
    outcome: str
    """What was decided."""
    action_digest: Optional[str]
    """Of an approval: `action_digest` of what was approved."""
    plan_digest: Optional[str]
    """Of a plan review: ``sha256:`` and hex over the plan's bytes."""
    agent: AgentRef
    responder: Responder
    asked_at: datetime
    answered_at: datetime
    public_key: str
    """Whose signature it is, in base64."""
    document: Mapping[str, Any]
    """All of it as it was signed, and the signature: to be kept as evidence."""
    asked_digest: Optional[str] = None
    """Of an amended approval: `action_digest` of what was asked; ``action_digest`` is that of what was approved."""
    approvers: Tuple[Approver, ...] = ()
    """Where it takes several people: all who approved, the last one ``responder``."""
    grant_id: Optional[str] = None
    """Of the standing approval that it rests on, where no person was asked about this one."""
    attachments_digest: Optional[str] = None
    """Of a plan review with attachments: over their list. Those of an approval are part of its action."""
    policy_rule: Optional[str] = None
    """The name of the rule of an admin that it rests on, where no person was asked."""
    grant_made_at: Optional[datetime] = None
    """When that standing approval was made."""

    @property
    def asked_nobody(self) -> bool:
        """Whether no person was asked about this one: a standing approval or a rule covers it."""
        return self.grant_id is not None or self.policy_rule is not None

    @property
    def approved_in_words(self) -> str:
        """Who approved it and by what, of what is signed alone: ``Approved by Ana's grant of Tuesday, 24 November``."""
        if self.grant_made_at is not None:
            made = self.grant_made_at.astimezone(timezone.utc)
            day = f"{_DAYS[made.weekday()]}, {made.day} {_MONTHS[made.month - 1]}"
            return f"Approved by {self.responder.name}'s grant of {day}"
        if self.policy_rule is not None:
            return f"Approved by the policy `{self.policy_rule}`"
        names = [one.name for one in self.approvers] or [self.responder.name]
        return f"{' and '.join(names)} approved it"


@dataclass(frozen=True)
class Interaction:
    """What an agent asked, and what became of it."""

    id: str
    version: int
    kind: str
    """``question``, ``choice``, ``acknowledgement``, ``approval``, ``plan_review``, ``form`` or ``notification``."""
    mode: str
    """``sync``: the agent has stopped. ``async``: it goes on meanwhile."""
    state: str
    """``pending``, ``resolved``, ``expired`` or ``cancelled``."""
    prompt: str
    agent: AgentRef
    priority: str
    created_at: datetime
    dashboard_url: str
    """Where a person answers it."""
    outcome: Optional[str] = None
    """How it ended; ``None`` while pending. ``void``: the server's own receipt does not prove what it has stored."""
    approved: Optional[bool] = None
    """Of an approval, what the server says: whether somebody approved it in time. ``None`` for other kinds.
    `Decision` is what is proven."""
    title: Optional[str] = None
    session_id: Optional[str] = None
    task: Optional[Task] = None
    options: Optional[Tuple[Option, ...]] = None
    multiple: Optional[bool] = None
    questions: Optional[Tuple[Question, ...]] = None
    action: Optional[Action] = None
    action_digest: Optional[str] = None
    """``sha256:`` and hex over the RFC 8785 form of ``action``."""
    amendable: Union[bool, Mapping[str, Any], None] = None
    """What of the action may be changed before it is approved, as it was asked."""
    approvals: Optional[Mapping[str, Any]] = None
    """How many people have to approve: ``needed``, ``of`` and ``four_eyes``."""
    amended: Optional[Amended] = None
    """What the server says was approved instead. `Decision` has what is proven."""
    plan: Optional[str] = None
    level: Optional[str] = None
    expires_at: Optional[datetime] = None
    """``None`` = never."""
    closed_at: Optional[datetime] = None
    closed_by: Optional[str] = None
    """Who answered it or took it back; ``None`` if the deadline did."""
    cancel_reason: Optional[str] = None
    """Why it was taken back."""
    cancel_code: Optional[str] = None
    """Why, where nobody simply took it back: ``agent_offline`` (a person dismissed it), ``session_ended``."""
    withdraw_on_disconnect: bool = False
    """Whether it is taken back when its session ends."""
    collected_at: Optional[datetime] = None
    """When the agent said that it took note of how it ended."""
    consumed: Optional[Consumed] = None
    """Of an approval: when it was used, and by what."""
    report: Optional[Report] = None
    """What the agent says came of it."""
    fallback: Union[str, List[str], Dict[str, FormAnswer], None] = None
    fallback_used: bool = False
    progress: Optional[Mapping[str, Any]] = None
    """Of what is still pending: what is answered of a form, or ``needed`` and ``approved`` (people) of an approval
    that takes several."""
    answer: Optional[Answer] = None
    follow_ups: Tuple[FollowUp, ...] = ()
    resume_prompt: Optional[str] = None
    """Question and answer as a text for the agent's context."""
    slack_permalink: Optional[str] = None
    metadata: Optional[Mapping[str, Any]] = None
    traceparent: Optional[str] = None
    """The place in the agent's trace at which it asked (W3C Trace Context)."""
    claim: Optional[Claim] = None
    """Who is on it, until when."""
    to: Optional[Addressee] = None
    """Whom it is for, if an agent or a person said so."""
    revises: Optional[str] = None
    """Of a plan review: the id of the earlier plan that it takes the place of."""
    attachments: Tuple[Attachment, ...] = ()
    """The files that were sent with it."""
    erased: Optional[Erased] = None
    """When all that was written in it was erased: then its texts are blank, there is no answer, and nothing of it is
    approved."""

    @property
    def is_pending(self) -> bool:
        """Whether it waits for a person."""
        return self.state == "pending"


@dataclass(frozen=True)
class Page:
    """Some interactions of a list, newest first."""

    items: Tuple[Interaction, ...]
    next_cursor: Optional[str]
    """What to pass as ``cursor`` for the next page; ``None`` on the last."""

    def __iter__(self) -> Iterator[Interaction]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
