"""Our side of docs/moving.md, where it is Python, does what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict

import pytest
from serving import PATIENCE, Desk, Server

FOLDER = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(r"^```python\n(.*?)^```", (FOLDER.parents[1] / "docs/moving.md").read_text(), re.M | re.S)


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        ({"approved": True}, "sent Welcome to ana@example.org\n"),
        ({"approved": False, "text": "not on a Friday"}, "not approved (denied): not on a Friday\n"),
    ],
)
def test_the_block_does_what_it_says(
    server: Server, token: str, desk: Desk, answer: Dict[str, Any], printed: str
) -> None:
    (block,) = BLOCKS
    environment = {**os.environ, "HANDRAISE_URL": server.url, "HANDRAISE_TOKEN": token, "PYTHONPATH": "src"}
    command = [sys.executable, "-W", "error", "-c", block]
    with subprocess.Popen(command, cwd=FOLDER, env=environment, stdout=subprocess.PIPE, text=True) as program:
        asked = desk.next()
        assert asked["action"]["arguments"] == {"to": "ana@example.org", "subject": "Welcome"}
        desk.answer(asked["id"], **answer)
        output, _ = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0
    assert output == printed
