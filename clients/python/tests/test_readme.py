"""What the README shows works when it is pasted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest
from serving import PATIENCE, Desk, Server

import handraise
from handraise.calls import Calls

FOLDER = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(r"^## ([^\n]+)|^```python\n(.*?)^```", (FOLDER / "README.md").read_text(), re.M | re.S)

ANSWERS: Dict[str, Dict[str, Any]] = {
    "question": {"text": "80"},
    "approval": {"approved": True},
    "acknowledgement": {},
    "plan_review": {"decision": "proceed"},
    "form": {"answers": {"port": "80", "env": "staging"}},
}


def blocks() -> Dict[str, str]:
    """Each block by its heading."""
    heading, found = "", {}
    for title, code in BLOCKS:
        heading = title or heading
        if code:
            found[heading + " again" if heading in found else heading] = code
    return found


@pytest.mark.parametrize(
    ("heading", "kinds", "printed"),
    [
        ("Ask", ["question"], "80\n"),
        ("Choose", ["choice", "choice"], "redis ['staging']\n"),
        ("Approve", ["approval"], "approved by desk\n"),
        ("Approve again", ["approval"], "paid 12.5 to Ana\n"),
        ("Acknowledge", ["acknowledgement"], "seen by desk\n"),
        ("Review a plan", ["plan_review"], "go on edit clear context: False\n"),
        ("Form", ["form"], "80 staging\n"),
        ("Notify", ["notification"], ""),
        ("Async", ["question", "question"], "80 80\n"),
        ("Ask now, wait later", ["question"], "answered 80\n"),
        ("Go on after a crash of your own", ["question"], "80\n"),
    ],
)
def test_a_block_does_what_it_says(
    server: Server, token: str, desk: Desk, heading: str, kinds: List[str], printed: str
) -> None:
    environment = {**os.environ, "HANDRAISE_URL": server.url, "HANDRAISE_TOKEN": token, "PYTHONPATH": "src"}
    command = [sys.executable, "-W", "error", "-c", blocks()[heading]]
    with subprocess.Popen(command, cwd=FOLDER, env=environment, stdout=subprocess.PIPE, text=True) as program:
        for kind in kinds:
            asked = desk.next()
            assert asked["kind"] == kind
            if kind == "choice":
                desk.answer(asked["id"], selected=[asked["options"][0]["value"]])
            elif kind != "notification":
                desk.answer(asked["id"], **ANSWERS[kind])
        output, _ = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0
    assert printed in output


def test_no_block_is_left_out() -> None:
    assert len(blocks()) == 11


def test_every_call_of_the_table_is_there() -> None:
    # That it is the table of the other client, too, is a test of that one.
    text = (FOLDER / "README.md").read_text()
    names = re.findall(r"^\| `(\w+)` \| `\w+` \|", text.split("## Calls\n")[1].split("\n## ")[0], re.M)
    flows = [name for name, value in vars(handraise.Handraise).items() if callable(value) and not name.startswith("_")]
    assert set(flows) - {"carry_out", "close"} <= set(names)
    for name in names:
        assert any(hasattr(holder, name) for holder in (handraise.Handraise, Calls, handraise)), name
