"""Replies of a server, as JSON."""

from __future__ import annotations

from typing import Any, Mapping

ID = "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa"
BODY: Mapping[str, Any] = {
    "id": ID,
    "version": 1,
    "kind": "question",
    "mode": "sync",
    "state": "pending",
    "prompt": "Which port?",
    "agent": {"id": "1", "name": "backend"},
    "priority": "normal",
    "created_at": "2027-01-15T08:00:00Z",
    "dashboard_url": "http://127.0.0.1:3000/blockers/1",
}
ANSWERED: Mapping[str, Any] = {
    **BODY,
    "state": "resolved",
    "outcome": "answered",
    "answer": {
        "text": "80",
        "answered_at": "2027-01-15T08:00:41.207Z",
        "responder": {"id": "2", "name": "Ana", "via": "dashboard"},
    },
}
RECEIPT: Mapping[str, Any] = {
    "version": 1,
    "interaction_id": ID,
    "kind": "approval",
    "outcome": "approved",
    "action_digest": "sha256:8d670dbf36f1e4ca3a860875fe2e2ff85d5b807ef5405aa99dfc6f164ae75cd4",
    "agent": BODY["agent"],
    "responder": ANSWERED["answer"]["responder"],
    "asked_at": "2027-01-15T08:00:00Z",
    "answered_at": "2027-01-15T08:00:41.207Z",
    "public_key": "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=",
    "signature": "",
}
