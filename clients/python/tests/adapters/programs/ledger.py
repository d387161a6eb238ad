"""What the programs share: the calls that their scripted model makes, the tool, and what the test is told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

from handraise import requires_approval

SECRET = "sk-secret-of-the-app"
FOLDER = Path(sys.argv[2])
CALLS: List[Dict[str, Any]] = json.loads(os.environ["CALLS"])
"""``{id, to, amount}`` of each call, all in one message of the model."""
TERMS: Dict[str, Any] = json.loads(os.environ.get("TERMS", "{}"))


def pay(to: str, amount: int) -> str:
    """Pays somebody."""
    if amount == 0:
        raise ValueError(f"there is nothing to pay: {SECRET}")
    with (FOLDER / "ledger").open("a") as ledger:
        ledger.write(f"{to} {amount}\n")
    return f"paid {amount} to {to}"


if os.environ.get("TWICE"):
    pay = requires_approval(tool="pay")(pay)


def told(heard: Any) -> None:
    """What the model has heard, by call, for the test to read."""
    keep("heard", json.dumps(heard))


def keep(name: str, content: str) -> None:
    """Whole or not at all: the program may be killed any time."""
    draft = FOLDER / f"{name}.draft"
    draft.write_text(content)
    draft.replace(FOLDER / name)


def kept(name: str) -> Any:
    path = FOLDER / name
    return path.read_text() if path.exists() else None
