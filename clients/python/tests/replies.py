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
