"""From the server's JSON to the dataclasses of `models`.

Takes the fields it knows. What has to be there and is not raises ``KeyError``, ``TypeError``,
``ValueError`` or ``AttributeError``, from which `exchange` makes one error of this package.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Callable, Mapping, Optional, Tuple, TypeVar

from . import models
from .errors import AlreadyUsed

T = TypeVar("T")
Json = Mapping[str, Any]

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)")


def interaction(body: Json) -> models.Interaction:
    """One interaction."""
    approved = body.get("approved")
    return models.Interaction(
        id=body["id"],
        version=body["version"],
        kind=body["kind"],
        mode=body["mode"],
        state=body["state"],
        prompt=body["prompt"],
        agent=_agent(body["agent"]),
        priority=body["priority"],
        created_at=_time(body["created_at"]),
        dashboard_url=body["dashboard_url"],
        outcome=body.get("outcome"),
        # Nothing else that might look like a yes is one.
        approved=approved if isinstance(approved, bool) else None,
        title=body.get("title"),
        session_id=body.get("session_id"),
        task=_maybe(_task, body.get("task")),
        options=_maybe(_options, body.get("options")),
        multiple=body.get("multiple"),
        questions=_several(_question, body.get("questions")),
        action=_maybe(_action, body.get("action")),
        action_digest=body.get("action_digest"),
        amendable=body.get("amendable"),
        approvals=body.get("approvals"),
        amended=_maybe(_amended, body.get("amended")),
        plan=body.get("plan"),
        level=body.get("level"),
        expires_at=_maybe(_time, body.get("expires_at")),
        closed_at=_maybe(_time, body.get("closed_at")),
        closed_by=body.get("closed_by"),
        cancel_reason=body.get("cancel_reason"),
        cancel_code=body.get("cancel_code"),
        withdraw_on_disconnect=body.get("withdraw_on_disconnect") is True,
        collected_at=_maybe(_time, body.get("collected_at")),
        consumed=_maybe(consumed, body.get("consumed")),
        report=_maybe(_report, body.get("report")),
        fallback=body.get("fallback"),
        fallback_used=body.get("fallback_used") is True,
        progress=body.get("progress"),
        answer=_maybe(_answer, body.get("answer")),
        follow_ups=_several(_follow_up, body.get("follow_ups")) or (),
        resume_prompt=body.get("resume_prompt"),
        slack_permalink=body.get("slack_permalink"),
        metadata=body.get("metadata"),
        traceparent=body.get("traceparent"),
        claim=_maybe(_claim, body.get("claim")),
        to=_maybe(_addressee, body.get("to")),
        revises=body.get("revises"),
        erased=_maybe(_erased, body.get("erased")),
        attachments=_several(attachment, body.get("attachments")) or (),
    )


def interactions(body: Json) -> Tuple[models.Interaction, ...]:
    """All of a list."""
    return tuple(interaction(item) for item in body["items"])


def page(body: Json) -> models.Page:
    """One page of a list."""
    return models.Page(items=interactions(body), next_cursor=body.get("next_cursor"))


def receipt(body: Json) -> models.Receipt:
    """A receipt, as far as it can be read; whether it holds is for `receipts` to say."""
    return models.Receipt(
        interaction_id=body["interaction_id"],
        kind=body["kind"],
        outcome=body["outcome"],
        action_digest=body.get("action_digest"),
        plan_digest=body.get("plan_digest"),
        agent=_agent(body["agent"]),
        responder=_responder(body["responder"]),
        asked_at=_time(body["asked_at"]),
        answered_at=_time(body["answered_at"]),
        public_key=body["public_key"],
        document=dict(body),
        asked_digest=body.get("asked_digest"),
        approvers=_several(_approver, body.get("approvers")) or (),
        grant_id=body["grant"]["id"] if "grant" in body else None,
        attachments_digest=body.get("attachments_digest"),
        policy_rule=body["policy"]["rule"] if "policy" in body else None,
        grant_made_at=_time(body["grant"]["made_at"]) if "grant" in body else None,
    )


def attachment(body: Json) -> models.Attachment:
    """A file as the server keeps it; with an id where it was just sent."""
    return models.Attachment(
        name=body["name"], type=body["type"], size=body["size"], sha256=body["sha256"], id=body.get("id")
    )


def consumed(body: Json) -> models.Consumed:
    """Which run has an approval; whether the server has signed that is for `consumption` to say."""
    return models.Consumed(at=_time(body["at"]), run=body["run"])


def already_used(id: str, problem: Json) -> AlreadyUsed:
    """What the server says of an approval that another run has."""
    return AlreadyUsed(id, _maybe(_time, problem.get("consumed_at")), problem.get("consumed_by"))


def _maybe(read: Callable[[Any], T], value: Any) -> Optional[T]:
    return None if value is None else read(value)


def _several(read: Callable[[Any], T], values: Any) -> Optional[Tuple[T, ...]]:
    return None if values is None else tuple(read(value) for value in values)


def _time(text: str) -> datetime:
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"not a time: {text!r}")
    second, fraction, zone = found.groups()
    zone = "+00:00" if zone == "Z" else zone
    return datetime.fromisoformat(f"{second}.{(fraction or '')[:6]:0<6}{zone}")


def _task(body: Json) -> models.Task:
    return models.Task(
        id=body["id"],
        title=body.get("title"),
        description=body.get("description"),
        step=body.get("step"),
    )


def _options(values: Any) -> Tuple[models.Option, ...]:
    return tuple(
        models.Option(value=one["value"], label=one.get("label"), description=one.get("description")) for one in values
    )


def _question(body: Json) -> models.Question:
    return models.Question(
        id=body["id"],
        prompt=body["prompt"],
        options=_maybe(_options, body.get("options")),
        multiple=body.get("multiple") is True,
    )


def _action(body: Json) -> models.Action:
    operands = _several(_operand, body.get("operands")) or ()
    attachments = _several(attachment, body.get("attachments")) or ()
    return models.Action(tool=body["tool"], arguments=body["arguments"], operands=operands, attachments=attachments)


def _operand(body: Json) -> models.Operand:
    return models.Operand(name=body["name"], sha256=body["sha256"], size=body["size"])


def _report(body: Json) -> models.Report:
    return models.Report(outcome=body["outcome"], text=body.get("text"), at=_time(body["at"]))


def _erased(body: Json) -> models.Erased:
    return models.Erased(at=_time(body["at"]), by=body.get("by"))


def _claim(body: Json) -> models.Claim:
    return models.Claim(by=_responder(body["by"]), until=_time(body["until"]))


def _addressee(body: Json) -> models.Addressee:
    return models.Addressee(
        type=body["type"],
        since=_time(body["since"]),
        id=body.get("id"),
        name=body.get("name"),
        by=body.get("by"),
        why=body.get("why"),
    )


def _amended(body: Json) -> models.Amended:
    return models.Amended(arguments=body["arguments"], digest=body["digest"])


def _approver(body: Json) -> models.Approver:
    return models.Approver(id=body["id"], name=body["name"], via=body["via"], at=_time(body["at"]))


def _agent(body: Json) -> models.AgentRef:
    return models.AgentRef(id=body["id"], name=body["name"])


def _responder(body: Json) -> models.Responder:
    return models.Responder(id=body["id"], name=body["name"], via=body["via"])


def _remembered(body: Json) -> models.Remembered:
    return models.Remembered(id=body["id"], answered_at=_time(body["answered_at"]), made_at=_time(body["made_at"]))


def _answer(body: Json) -> models.Answer:
    return models.Answer(
        answered_at=_time(body["answered_at"]),
        responder=_maybe(_responder, body.get("responder")),
        text=body.get("text"),
        selected=_maybe(tuple, body.get("selected")),
        answers=body.get("answers"),
        decision=body.get("decision"),
        feedback=body.get("feedback"),
        clear_context=body.get("clear_context"),
        target_mode=body.get("target_mode"),
        comments=_several(_comment, body.get("comments")) or (),
        attachments=_several(attachment, body.get("attachments")) or (),
        remembered=_maybe(_remembered, body.get("remembered")),
    )


def _comment(body: Json) -> models.PlanComment:
    return models.PlanComment(line=body["line"], to_line=body["to_line"], quote=body["quote"], text=body["text"])


def _follow_up(body: Json) -> models.FollowUp:
    return models.FollowUp(text=body["text"], responder=_responder(body["responder"]), at=_time(body["at"]))
