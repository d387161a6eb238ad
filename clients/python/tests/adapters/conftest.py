"""Writes the table of `docs/adapters.md` from what was run. Of a part of the tests nothing is written."""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict

import pytest

DOCUMENT = Path(__file__).resolve().parents[4] / "docs/adapters.md"
MARKS = ("<!-- python table, written by clients/python/tests/adapters -->", "<!-- end of the python table -->")
DISTRIBUTIONS = {
    "langchain": "langchain",
    "langgraph": "langgraph",
    "pydantic_ai": "pydantic-ai-slim",
    "openai_agents": "openai-agents",
    "agent_framework": "agent-framework-core",
    "claude_agent_sdk": "claude-agent-sdk",
    "crewai": "crewai",
}
_outcomes: Dict[str, Dict[str, str]] = defaultdict(dict)


def pytest_runtest_logreport(report: Any) -> None:
    named = re.search(r"::test_(\w+)\[(\w+)-(held|durable)\]", report.nodeid)
    if named and (report.when == "call" or report.failed):
        case, adapter, way = named.groups()
        _outcomes[case.replace("_", " ")][f"{adapter} {way}"] = "yes" if report.passed else "**no**"


def _version(adapter: str) -> str:
    """CrewAI's is that of the environment it has for its own."""
    try:
        return version(DISTRIBUTIONS[adapter])
    except PackageNotFoundError:
        ask = f"from importlib.metadata import version; print(version({DISTRIBUTIONS[adapter]!r}))"
        python = os.environ["HANDRAISE_CREWAI_PYTHON"]
        return subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput") or os.environ.get("HANDRAISE_ADAPTERS") != "table":
        return
    cases = sorted(_outcomes)
    columns = sorted({column for found in _outcomes.values() for column in found})
    lines = ["| adapter | version | " + " | ".join(cases) + " |", "|---" * (len(cases) + 2) + "|"]
    for column in columns:
        adapter = column.split()[0]
        cells = [_outcomes[case].get(column, "-") for case in cases]
        lines.append(f"| {column.replace('_', '-')} | {_version(adapter)} | " + " | ".join(cells) + " |")
    text = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = text.partition(MARKS[0])
    _, _, tail = rest.partition(MARKS[1])
    DOCUMENT.write_text("\n".join([head + MARKS[0], *lines, MARKS[1]]) + tail, encoding="utf-8")
