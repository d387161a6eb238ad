"""Each program of `examples/python` and `examples/shell`, started as its README says and answered."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Protocol

import pytest
from serving import PATIENCE, Desk, Server, frameworks_named

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
FRAMEWORKS = sorted(path.name for path in (EXAMPLES / "python").glob("pay_*.py"))
PYTHONS = {"pay_crewai.py": os.environ.get("HANDRAISE_CREWAI_PYTHON", "")}
NAMED = frameworks_named(name[len("pay_") : -len(".py")] for name in FRAMEWORKS)


class Begin(Protocol):
    def __call__(self, *command: str) -> subprocess.Popen[str]: ...


@pytest.fixture
def begin(server: Server, token: str, tmp_path: Path) -> Iterator[Begin]:
    """Starts a program."""
    programs: List[subprocess.Popen[str]] = []

    def start(*command: str) -> subprocess.Popen[str]:
        source = str(Path(__file__).resolve().parents[1] / "src")
        environment: Dict[str, str] = {**os.environ, "PYTHONPATH": source, "HOME": str(tmp_path)}
        environment.update(HANDRAISE_URL=server.url, HANDRAISE_TOKEN=token)
        pipe: Any = subprocess.PIPE
        made = subprocess.Popen(list(command), env=environment, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
        programs.append(made)
        return made

    yield start
    for one in programs:
        if one.poll() is None:
            one.kill()
        one.communicate()


def said(program: subprocess.Popen[str]) -> str:
    output, faults = program.communicate(timeout=2 * PATIENCE)
    assert program.returncode == 0, faults[-4000:]
    return output


def test_the_plain_client(begin: Begin, desk: Desk) -> None:
    program = begin(sys.executable, str(EXAMPLES / "python/ask.py"))
    desk.answer_next(text="Ana")
    desk.answer_next(selected=["12.5"])
    asked = desk.answer_next(approved=True)
    assert asked["action"]["arguments"] == {"to": "Ana", "amount": 12.5}
    assert said(program) == "paid 12.5 to Ana\n"


def test_the_shell_client(begin: Begin, desk: Desk) -> None:
    program = begin(str(EXAMPLES / "shell/ask.sh"))
    desk.answer_next(text="80")
    assert said(program) == "listening on 80\n"


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("approved", [True, False])
def test_a_tool_of_a_framework_waits_for_a_person(begin: Begin, desk: Desk, name: str, approved: bool) -> None:
    if name[len("pay_") : -len(".py")] not in NAMED:
        pytest.skip("HANDRAISE_ADAPTERS does not name its framework: requirements-adapters.txt")
    python = PYTHONS.get(name, sys.executable)
    if not python:
        pytest.skip("HANDRAISE_CREWAI_PYTHON names no Python: requirements-crewai.txt")
    program = begin(python, str(EXAMPLES / "python" / name))
    asked = desk.next()
    assert asked["prompt"] == "Pay this?"
    desk.answer(asked["id"], approved=approved)
    assert ("paid 12.5 to Ana" in said(program)) is approved


def test_the_readme_has_each_program() -> None:
    listed = re.findall(r"`(?:python )?([\w./]+\.(?:py|sh))` \|", (EXAMPLES / "python/README.md").read_text())
    assert sorted(listed) == sorted(["ask.py", *FRAMEWORKS, "../shell/ask.sh"])
