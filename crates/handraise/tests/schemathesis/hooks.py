"""What a schema cannot say: which ids there are, and what has to fit what.

Schemathesis makes requests from the document alone. Valid ones (never those that are meant to be refused) are
mended here, so that they reach further than "there is no such id"."""

import itertools
import os
from urllib.parse import quote

import requests
import schemathesis
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase

URL = os.environ["HANDRAISE_URL"] + "/api/v1"
# So many of each, which are used again when they run out.
MANY = 12

ASKED = {
    "question": {},
    "choice": {"options": ["a", "b"], "multiple": True},
    "acknowledgement": {},
    "approval": {"action": {"tool": "deploy"}},
    "plan_review": {"plan": "1. Test"},
    "form": {"questions": [{"id": "port", "prompt": "Which port?"}, {"id": "env", "prompt": "Where?"}]},
}


def send(method, path, token, body=None):
    headers = {"Authorization": f"Bearer {os.environ[token]}"}
    response = requests.request(method, URL + path, headers=headers, json=body, timeout=10)
    response.raise_for_status()
    return response.json()


def ask(kind):
    asked = {"kind": kind, "prompt": "?", **ASKED[kind]}
    return send("POST", "/interactions", "HANDRAISE_AGENT_TOKEN", asked)["id"]


def decided():
    approval = ask("approval")
    send("POST", f"/interactions/{approval}/answer", "HANDRAISE_RESPONDER_TOKEN", {"approved": True})
    return approval


def make_hook():
    hook = {"target_url": "http://hooks.invalid/"}
    return send("POST", "/hooks", "HANDRAISE_RESPONDER_TOKEN", hook)["id"]


def make_ids():
    """Ids by what they are good for."""
    ids = {"hooks": [make_hook() for _ in range(MANY)]}
    for kind in ASKED:
        ids[kind] = [ask(kind) for _ in range(MANY)]
    ids["pending"] = [ask("question") for _ in range(MANY)]
    ids["decided"] = ids["closed"] = [decided() for _ in range(MANY)]
    ids["tasks"] = ["T-1"]
    ids["teams"] = ["Desk"]
    send("PUT", "/tasks/T-1", "HANDRAISE_AGENT_TOKEN", {})
    ids["any"] = ids["question"] + ids["decided"]
    deliveries = send("GET", "/deliveries?limit=200", "HANDRAISE_RESPONDER_TOKEN")["items"]
    ids["deliveries"] = [delivery["id"] for delivery in deliveries]
    return {name: itertools.cycle(some) for name, some in ids.items()}


IDS = make_ids()
KEYS = itertools.count()

# Which of them a call wants.
WANTED = {
    "get_interaction": "any",
    "get_receipt": "decided",
    "get_task": "tasks",
    "get_duty": "teams",
    "get_duty_calendar": "teams",
    "cancel": "pending",
    "collect": "closed",
    "consume": "decided",
    "report": "decided",
    "follow_up": "closed",
    "claim": "pending",
    "release": "pending",
    "dismiss": "pending",
    "delete_hook": "hooks",
    "retry_delivery": "deliveries",
}

# Which kind an answer belongs to, by a field that no other kind has. The last one has none.
KINDS = {
    "approved": "approval",
    "text": "question",
    "selected": "choice",
    "decision": "plan_review",
    "answers": "form",
}


def mode(case, location):
    component = case.meta.components.get(location) if case.meta else None
    return component.mode if component is not None else None


def is_valid(case, location):
    return mode(case, location) == GenerationMode.POSITIVE


@schemathesis.hook
def filter_case(context, case):
    # Whoever sends a header more is not refused: that is HTTP.
    return "x-schemathesis-unknown-property" not in (case.headers or {})


@schemathesis.hook
def before_call(context, case, **kwargs):
    call = case.operation.definition.raw["operationId"]
    body = case.body if is_valid(case, ParameterLocation.BODY) else None
    if call == "answer" and isinstance(body, dict) and mode(case, ParameterLocation.PATH) != GenerationMode.NEGATIVE:
        # Also in a chain of calls: an earlier one may know an id, but of whatever kind.
        kind = next((kind for field, kind in KINDS.items() if body.get(field) is not None), "acknowledgement")
        case.path_parameters["id"] = next(IDS[kind])
    elif "id" in (case.path_parameters or {}) and is_valid(case, ParameterLocation.PATH):
        if call in WANTED and case.meta.phase.name != TestPhase.STATEFUL:
            # A chain of calls knows its id from the call before.
            case.path_parameters["id"] = next(IDS[WANTED[call]])
    if case.query and is_valid(case, ParameterLocation.QUERY):
        # Only an earlier page knows one.
        case.query.pop("cursor", None)
        # And only a calendar's address this.
        case.query.pop("key", None)
    if call == "get_task" and is_valid(case, ParameterLocation.QUERY):
        # Which of two tasks of the same name is meant, only responder tokens have to say.
        case.query["agent"] = "backend"
    if "Idempotency-Key" in (case.headers or {}) and is_valid(case, ParameterLocation.HEADER):
        # Under the same key only the same may be asked.
        case.headers["Idempotency-Key"] = str(next(KEYS))
    if isinstance(body, dict):
        if call == "answer":
            # Only whoever was shown the action or plan knows it.
            body.pop("digest", None)
        mend(call, body)


def mend(call, body):
    for name in ("team", "teams", "to", "revises", "attachments"):
        # What it makes up is none.
        body.pop(name, None)
    for address in ("callback_url", "target_url"):
        # Whether it is public.
        if body.get(address) is not None:
            body[address] = "https://agent.example/" + quote(body[address][:40], safe="")
    if body.get("session_id") is None:
        # What goes with its session has one.
        body.pop("withdraw_on_disconnect", None)
    if body.get("options"):
        told_apart(body["options"])
        # One of the options.
        if body.get("fallback") is not None:
            first = value_of(body["options"][0])
            body["fallback"] = [first] if body.get("multiple") else first
    questions = body.get("questions") or []
    for n, question in enumerate(questions):
        question["id"] = f"q{n}"
        told_apart(question.get("options") or [])
    if questions and body.get("fallback") is not None:
        # An answer to each question.
        body["fallback"] = {q["id"]: value_of(q["options"][0]) if q.get("options") else "" for q in questions}
    # Each is named once.
    for n, operand in enumerate((body.get("action") or {}).get("operands") or []):
        operand["name"] = f"{n}{operand['name'][:70].strip()}"
    if call == "answer" and body.get("comments") is not None:
        # On a line of that plan, and together no longer than an answer.
        body["comments"] = [{"line": 1, "text": comment["text"]} for comment in body["comments"][:4]]
    if call == "answer" and body.get("selected") is not None:
        body["selected"] = ["b"]
    if call == "answer" and body.get("answers") is not None:
        body["answers"] = {"port": "8080"}


def told_apart(options):
    """Values and labels are unique."""
    for n, option in enumerate(options):
        if isinstance(option, str):
            options[n] = f"{n}{option[:70].strip()}"
        else:
            option["value"] = f"{n}{option['value'][:70].strip()}"
            option.pop("label", None)


def value_of(option):
    return option if isinstance(option, str) else option["value"]
