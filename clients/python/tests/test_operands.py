"""Files that an action names are approved with what is in them."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
from pathlib import Path
from typing import Any, Optional

import pytest
from fakes import FakeServer, calls_at, carry_out
from replies import BODY

from handraise import Operand, OperandChanged, action_digest, hash_file, reading
from handraise.operands import expect_same_places, expect_unchanged, hash_files, places_of

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_file_is_hashed_whole(tmp_path: Path) -> None:
    file = tmp_path / "script.sh"
    file.write_bytes(b"")
    assert hash_file(file) == hash_file(str(file)) == Operand(str(file), EMPTY, 0)
    content = os.urandom(3 * 2**20 + 1)
    file.write_bytes(content)
    assert hash_file(file) == Operand(str(file), hashlib.sha256(content).hexdigest(), len(content))
    assert hash_files([file, str(file)]) == (hash_file(file),)


def test_what_is_no_file_is_no_operand(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        hash_file(tmp_path / "none")
    # Whoever waits for a writer waits for ever.
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    for special in ("pipe", "socket", "/dev/null", "."):
        with pytest.raises(ValueError, match="no regular file"):
            hash_file(tmp_path / special)


def test_operands_are_part_of_the_digest_and_none_leave_it_as_it_was() -> None:
    assert action_digest("shell", {}, ()) == action_digest("shell", {})
    # printf '{"arguments":{},"operands":[{"name":"x.sh","sha256":"e3b0...b855","size":0}],"tool":"shell"}' | sha256sum
    written = f'{{"arguments":{{}},"operands":[{{"name":"x.sh","sha256":"{EMPTY}","size":0}}],"tool":"shell"}}'
    expected = "sha256:" + hashlib.sha256(written.encode()).hexdigest()
    assert action_digest("shell", {}, [Operand("x.sh", EMPTY, 0)]) == expected


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda file: file.write_text("rm -rf /"), "its SHA-256 was"),
        (lambda file: file.write_text("make "), "its SHA-256 was"),
        (lambda file: file.unlink(), "cannot be read"),
        (lambda file: (file.unlink(), file.mkdir()), "regular file"),
        (lambda file: (file.unlink(), subprocess.check_call(["mkfifo", file])), "regular file"),
    ],
)
def test_a_file_that_changes_is_another(tmp_path: Path, change: Any, told: str) -> None:
    file = tmp_path / "script.sh"
    file.write_text("make")
    before = hash_files([file])
    expect_unchanged(before, [file])
    change(file)
    with pytest.raises(OperandChanged, match=f"script.sh has changed since it was approved: .*{told}") as caught:
        expect_unchanged(before, [file])
    assert caught.value.name == str(file)


def test_files_that_come_or_go_are_a_change(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    for file in files:
        file.write_text(file.name)
    before = hash_files(files)
    with pytest.raises(OperandChanged, match="no file any more"):
        expect_unchanged(before, files[:1])
    with pytest.raises(OperandChanged, match="no file then"):
        expect_unchanged(before[:1], files)


def test_a_path_leads_to_one_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same").symlink_to(tmp_path / "one")
    link = tmp_path / "link"
    link.symlink_to("a")
    monkeypatch.chdir(tmp_path / "a")
    through, relative, same = places_of([link / "none"]), places_of(["none"]), places_of([Path("same")])
    for before in (through, relative, same):
        expect_same_places(before)
    link.unlink()
    link.symlink_to("b")
    with pytest.raises(OperandChanged, match=f"it led to .*/a/none, and leads to {tmp_path}/b/none"):
        expect_same_places(through)
    monkeypatch.chdir(tmp_path / "b")
    # Also where it is the same file: what stands beside it is not.
    for before in (relative, same):
        with pytest.raises(OperandChanged, match=f"the working directory was {tmp_path}/a, and is {tmp_path}/b"):
            expect_same_places(before)
    monkeypatch.chdir(tmp_path / "a")
    expect_same_places(relative)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(OperandChanged, match="cannot be known any more"):
        expect_same_places(relative)


def test_a_name_where_nothing_was_leads_nowhere_else_later(tmp_path: Path) -> None:
    name = tmp_path / "out"

    def put(to: Optional[str]) -> None:
        name.unlink(missing_ok=True)
        if to is not None:
            name.symlink_to(to)

    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    for first, then in [
        (None, "nowhere"),
        (None, "file"),
        (None, "folder"),
        ("nowhere", "elsewhere"),
        ("nowhere", None),
        ("file", "./file"),
    ]:
        put(first)
        before = places_of([name])
        expect_same_places(before)
        put(then)
        with pytest.raises(OperandChanged, match="out has changed since it was approved"):
            expect_same_places(before)
    put(None)
    before = places_of([name])
    name.mkdir()
    with pytest.raises(OperandChanged, match="something else is in its place"):
        expect_same_places(before)


def test_another_folder_of_the_same_name_is_another(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    before = places_of([tmp_path / "folder"])
    (tmp_path / "folder").rename(tmp_path / "old")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OperandChanged, match="something else is in its place"):
        expect_same_places(before)


def test_an_approval_names_them_and_proves_them(tmp_path: Path) -> None:
    server, calls = FakeServer(), calls_at(tmp_path)
    operand = Operand("x.sh", EMPTY, 0)
    decision = carry_out(calls.approve("Run?", "shell", {"command": "sh x.sh"}, operands=[operand]), server)
    assert decision and decision.receipt
    assert server.asked[0]["action"] == {
        "tool": "shell",
        "arguments": {"command": "sh x.sh"},
        "operands": [{"name": "x.sh", "sha256": EMPTY, "size": 0}],
    }
    assert decision.interaction.action.operands == (operand,)
    assert decision.receipt.action_digest == action_digest("shell", {"command": "sh x.sh"}, [operand])
    carry_out(calls.approve("Run?", "shell", {}), server)
    assert server.asked[1]["action"] == {"tool": "shell", "arguments": {}}


def test_older_servers_have_no_operands() -> None:
    read = reading.interaction({**BODY, "kind": "approval", "action": {"tool": "t", "arguments": {}}})
    assert read.action and read.action.operands == ()
