"""What a schema cannot say: which ids there are, and what has to fit what.

Schemathesis makes requests from the document alone. Valid ones (never those that are meant to be refused) are
mended here, so that they reach further than "there is no such id"."""

import base64
import itertools
import math
import os
from datetime import datetime, timedelta
from urllib.parse import quote

import requests
import schemathesis
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase
from schemathesis.transport.serialization import Binary

URL = os.environ["HANDRAISE_URL"] + "/api/v1"
# So many of each, which are used again when they run out.
MANY = 12

ASKED = {
    "question": {},
    "choice": {"options": ["a", "b"], "multiple": True},
    "acknowledgement": {},
    "approval": {"action": {"tool": "deploy"}, "amendable": True},
    "plan_review": {"plan": "1. Test"},
    "form": {"questions": [{"id": "port", "prompt": "Which port?"}, {"id": "env", "prompt": "Where?"}]},
}


# What a grant may be for, by how it lets an argument vary: an action of which the server offers such a matcher.
ACTIONS = {
    "words": {"tool": "Bash", "arguments": {"command": "cargo test"}},
    "commands": {"tool": "Bash", "arguments": {"command": "cargo fmt && cargo test"}},
    "below": {"tool": "Read", "arguments": {"file_path": "/srv/shop/src/main.rs"}},
    "names": {"tool": "Glob", "arguments": {"pattern": "src/*.rs", "path": "/srv/shop/src"}},
    "host": {"tool": "WebFetch", "arguments": {"url": "https://api.example.com/orders"}},
}

# One pixel.
PICTURES = {
    "image/png": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==",
    "image/jpeg": "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AVN//2Q==",
    "image/webp": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
}


def send(method, path, token, body=None, **more):
    headers = {"Authorization": f"Bearer {os.environ[token]}", **more.pop("headers", {})}
    response = requests.request(method, URL + path, headers=headers, json=body, timeout=10, **more)
    response.raise_for_status()
    return response.json()


def ask(kind):
    asked = {"kind": kind, "prompt": "?", **ASKED[kind]}
    return send("POST", "/interactions", "HANDRAISE_AGENT_TOKEN", asked)["id"]


def decided():
    approval = ask("approval")
    send("POST", f"/interactions/{approval}/answer", "HANDRAISE_RESPONDER_TOKEN", {"approved": True})
    return approval


def make_file(token):
    text = {"data": b"An empty line follows.", "headers": {"Content-Type": "text/plain"}}
    return send("POST", "/attachments?name=notes.txt", token, **text)["id"]


def ask_with_file():
    asked = {"kind": "question", "prompt": "Which of them?", "attachments": [make_file("HANDRAISE_AGENT_TOKEN")]}
    asked = send("POST", "/interactions", "HANDRAISE_AGENT_TOKEN", asked)["id"]
    answer = {"text": "This.", "attachments": [make_file("HANDRAISE_RESPONDER_TOKEN")]}
    send("POST", f"/interactions/{asked}/answer", "HANDRAISE_RESPONDER_TOKEN", answer)
    return asked


def approved(action):
    """What can be approved ahead of such an action, and the approval that it would be made from."""
    asked = {"kind": "approval", "prompt": "?", "action": action, "session_id": "s-1"}
    asked = send("POST", "/interactions", "HANDRAISE_AGENT_TOKEN", asked)["id"]
    answer = {"approved": True}
    closed = send("POST", f"/interactions/{asked}/answer", "HANDRAISE_RESPONDER_TOKEN", answer)
    # By the server's own clock.
    until = datetime.fromisoformat(closed["closed_at"]) + timedelta(hours=5)
    offers = send("GET", f"/interactions/{asked}/grants", "HANDRAISE_RESPONDER_TOKEN")
    return {"from": asked, "until": until.isoformat(), "matchers": [offer["matcher"] for offer in offers]}


def make_grant():
    grant = {"from": next(APPROVED)["from"], "for_session": True}
    return send("POST", "/grants", "HANDRAISE_RESPONDER_TOKEN", grant)["id"]


def answered(n):
    asked = {"kind": "question", "prompt": f"Once more, {n}?"}
    asked = send("POST", "/interactions", "HANDRAISE_AGENT_TOKEN", asked)["id"]
    send("POST", f"/interactions/{asked}/answer", "HANDRAISE_RESPONDER_TOKEN", {"text": "Yes."})
    return asked


def make_memory(asked):
    return send("POST", "/memories", "HANDRAISE_RESPONDER_TOKEN", {"from": asked, "days": 1})["id"]


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
    ids["files"] = [ask_with_file() for _ in range(2)]
    ids["answered"] = [answered(n) for n in range(MANY)]
    # What stands answers and approves by itself, so all of it is asked before.
    ids["memories"] = [make_memory(asked) for asked in ids["answered"]]
    ids["grants"] = [make_grant() for _ in range(MANY)]
    ids["any"] = ids["question"] + ids["decided"]
    deliveries = send("GET", "/deliveries?limit=200", "HANDRAISE_RESPONDER_TOKEN")["items"]
    ids["deliveries"] = [delivery["id"] for delivery in deliveries]
    return {name: itertools.cycle(some) for name, some in ids.items()}


BY_RULE = {rule: approved(action) for rule, action in ACTIONS.items()}
APPROVED = itertools.cycle(BY_RULE.values())
IDS = make_ids()
KEYS = itertools.count()
# All that are in force together are no more than the server takes, and have names of their own.
RULES_LEFT = itertools.count(150, -1)

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
    "get_attachment": "files",
    "get_answer_attachment": "files",
    "list_grant_offers": "decided",
    "get_grant": "grants",
    "revoke_grant": "grants",
    "get_memory": "memories",
    "revoke_memory": "memories",
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
            if "place" in case.path_parameters:
                # Each has one file.
                case.path_parameters["place"] = 0
    if case.query and is_valid(case, ParameterLocation.QUERY):
        # Only an earlier page knows one.
        case.query.pop("cursor", None)
        # And only a calendar's address this.
        case.query.pop("key", None)
    if call == "get_task" and is_valid(case, ParameterLocation.QUERY):
        # Which of two tasks of the same name is meant, only responder tokens have to say.
        case.query["agent"] = "backend"
    if call == "send_attachment" and is_valid(case, ParameterLocation.QUERY):
        # A pattern of two bytes of UTF-16 cannot say of all characters that nobody sees them.
        case.query["name"] = "".join(c for c in case.query["name"] if not is_hidden(c)).strip(" .") or "notes.txt"
    if call == "send_attachment" and case.meta.generation.mode == GenerationMode.POSITIVE:
        case.body = file_of(case.media_type, case.body)
    if "Idempotency-Key" in (case.headers or {}) and is_valid(case, ParameterLocation.HEADER):
        # Under the same key only the same may be asked.
        case.headers["Idempotency-Key"] = str(next(KEYS))
    if isinstance(body, dict):
        if call == "answer":
            # Only whoever was shown the action or plan knows it.
            body.pop("digest", None)
        mend(call, body)


def is_hidden(c):
    return any(first <= ord(c) <= last for first, last in [(0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)])


def file_of(media_type, body):
    """A picture of that kind; of texts what was made up, as far as it is UTF-8."""
    if media_type in PICTURES:
        return Binary(base64.b64decode(PICTURES[media_type]))
    made_up = body.data if isinstance(body, Binary) else body
    text = made_up.decode("utf-8", "ignore") if isinstance(made_up, bytes) else str(made_up)
    return "".join(c for c in text if c.isprintable() or c == "\n").strip() or "-"


def mend(call, body):
    if call in ("make_grant", "preview_grant"):
        mend_grant(body)
    if call == "keep_answer":
        # Answered with this token.
        body["from"] = next(IDS["answered"])
    if call in ("add_policies", "check_policies"):
        mend_policies(call, body)
        return
    if call == "ask" and body.get("kind") == "approval":
        mend_approval(body)
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
        if body.get("feedback") is not None:
            body["feedback"] = body["feedback"][:3000]
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


def mend_grant(body):
    """For what was approved, and within the time that a grant may last."""
    matcher = body.get("matcher")
    rules = rules_of(matcher)
    made = next((BY_RULE[rule] for rule in rules if rule in BY_RULE), None) or next(APPROVED)
    body["from"] = made["from"]
    if matcher is not None:
        # One that is offered, as narrow or wide.
        body["matcher"] = made["matchers"][0 if "exactly" in matcher else -1]
    if body.get("expires_at") is not None or not body.get("for_session"):
        body["expires_at"] = made["until"]


def rules_of(matcher):
    """How it lets arguments vary."""
    varies = ((matcher or {}).get("like") or {}).get("varies") or []
    return [varying["by"] if isinstance(varying["by"], str) else next(iter(varying["by"])) for varying in varies]


def mend_policies(call, body):
    rules = body.get("rules") or []
    if call == "add_policies":
        # A token never allows anything, and only so many rules are in force.
        rules = [rule for rule in rules if rule.get("then") != "allow" and next(RULES_LEFT) > 0][:3]
    if "rules" in body:
        body["rules"] = rules
    for rule in rules:
        mend_rule(rule)


def mend_rule(rule):
    rule["name"] = f"{next(KEYS)} {rule['name'][:80].strip()}"
    # Its own team, and none else; nobody is there who could approve.
    rule["teams"] = ["Desk"]
    rule.pop("approvals", None)
    mend_kind(rule)
    if rule.get("team") is not None:
        rule["team"] = "Desk"
    if rule.get("deadline_seconds") is not None:
        rule["deadline_seconds"] = max(60, rule["deadline_seconds"])
    if rule.get("agents"):
        rule["agents"] = rule["agents"][:3]
    if "when" in rule:
        fits = mend_scope(rule["when"])
    if "matcher" in rule:
        kind = next((rule for rule in rules_of(rule["matcher"]) if rule in ACTIONS), "words")
        rule["matcher"] = BY_RULE[kind]["matchers"][0 if "exactly" in rule["matcher"] else -1]
        fits = ACTIONS[kind]
    # Examples that it applies to, and others that it does not.
    rule["match"] = [fits for _ in rule["match"]]
    rule["not_match"] = [{"tool": f"other{n}"} for n, _ in enumerate(rule["not_match"])]


def mend_kind(rule):
    """What belongs to what it does."""
    then = rule.get("then")
    if then == "allow":
        rule["destructive"] = False
    elif then is None:
        rule["destructive"] = True
    if then == "forbid" or rule.get("destructive"):
        rule["reason"] = rule.get("reason") or "Nobody may."
    if then != "ask":
        for name in ("team", "deadline_seconds"):
            rule.pop(name, None)
    own, other = ("matcher", "when") if then == "allow" else ("when", "matcher")
    rule.pop(other, None)
    rule[own] = rule.get(own) or {}


def mend_scope(when):
    """An action that it applies to."""
    tools = [tool[:40].strip("* ") for tool in when.get("tools") or []][:5]
    tools = [f"t{n}{tool}" + ("*" if n % 2 else "") for n, tool in enumerate(tools)] or ["deploy"]
    when["tools"] = tools
    arguments = {}
    conditions = (when.get("arguments") or [])[:5]
    if "arguments" in when:
        when["arguments"] = conditions
    for n, condition in enumerate(conditions):
        if condition.get("at"):
            # Each at a place of its own.
            condition["at"] = [f"{n}{name[:40]}" for name in condition["at"]]
        here = value_for(n, condition["has"])
        place = condition.get("at") or [f"any{n}"]
        for name in reversed(place[1:]):
            here = {name: here}
        arguments[place[0]] = here
    if when.get("looks_destructive"):
        arguments["command"] = "rm notes"
    return {"tool": tools[0], "arguments": arguments}


def value_for(n, has):
    """What has it, in words that nobody could read in another way."""
    if "words" in has:
        has["words"] = [f"w{n}x{m}" for m, _ in enumerate(has["words"][:20])]
        return " ".join(has["words"])
    if "below" in has:
        has["below"] = "/".join(f"f{n}x{m}" if m else "" for m, _ in enumerate(has["below"].split("/")[:20]))
        return has["below"] + "/notes"
    if "host" in has:
        has["host"] = f"h{n}.example.com"
        return f"https://{has['host']}/notes"
    has["is"] = [exact(value) for value in has["is"][:20]]
    return has["is"][0]


def exact(value):
    """The same to every parser: what it may be by its type, and flat."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value if abs(value) < 2**53 else 1
    return value if isinstance(value, (bool, str)) else "x"


def mend_approval(body):
    """What may be changed is there, and fits; and whoever is there may approve."""
    approvals = body.get("approvals")
    if approvals is not None:
        # The agent asks no team, and belongs to nobody.
        approvals.pop("of", None)
        approvals.pop("four_eyes", None)
    amendable = body.get("amendable")
    if not amendable:
        return
    body["action"].pop("operands", None)
    if approvals is not None:
        approvals["needed"] = 1
    if amendable is True:
        return
    arguments = {}
    schema = amendable.get("schema")
    if schema is not None:
        properties = schema["properties"]
        for name, keywords in properties.items():
            arguments[name] = mend_property(keywords)
        schema["required"] = list(properties)[: len(schema.get("required") or [])]
    if "paths" in amendable:
        if schema is not None:
            schema.pop("additionalProperties", None)
        amendable["paths"] = [f"/p{n}" for n, _ in enumerate(amendable["paths"])]
        arguments |= {path[1:]: "as asked" for path in amendable["paths"]}
    body["action"]["arguments"] = arguments


def mend_property(keywords):
    """Its bounds are in order; returns what is within them."""
    if keywords["type"] == "boolean":
        fits = True
    elif keywords["type"] == "string":
        for length in ("minLength", "maxLength"):
            if length in keywords:
                keywords[length] = int(keywords[length]) % 100
        in_order(keywords, "minLength", "maxLength")
        fits = keywords["enum"][0] if "enum" in keywords else "x" * keywords.get("minLength", 0)
    else:
        if keywords["type"] == "integer":
            for bound, rounded in (("minimum", math.floor), ("maximum", math.ceil)):
                if bound in keywords:
                    keywords[bound] = rounded(keywords[bound])
        in_order(keywords, "minimum", "maximum")
        fits = keywords.get("minimum", keywords.get("maximum", 0))
    if "default" in keywords:
        keywords["default"] = fits
    return fits


def in_order(keywords, least, most):
    if least in keywords and most in keywords:
        keywords[least], keywords[most] = sorted([keywords[least], keywords[most]])


@schemathesis.deserializer("image/png", "image/jpeg")
def read_picture(context, response):
    return response.content.decode("latin-1")
