"""Whose signature counts: named keys, pinned keys, and how one follows another. `docs/receipts.md` says why."""

from __future__ import annotations

import fcntl
import ipaddress
import multiprocessing
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, Dict, List

import httpx
import pytest
from addresses import ADDRESSES, AMBIGUOUS
from fakes import ADDRESS, FakeServer, Json, Key, calls_at, carry_out

from handraise import AsyncHandraise, Handraise, HandraiseError, KeyChanged
from handraise.calls import Calls
from handraise.keys import Keys
from handraise.known_servers import KnownServers, _expect_own, address_of, default_path


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    return calls_at(tmp_path)


def approve(calls: Calls, server: FakeServer) -> Any:
    return carry_out(calls.approve("Deploy?", "shell", {"command": "make"}), server)


def pinned(folder: Path) -> str:
    return (folder / "known_servers").read_text()


def test_the_first_contact_pins_the_keys_of_all_nodes_for_their_owner_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server, other = FakeServer(), Key()
    server.trusted = [other.public]
    folder = tmp_path / "new" / "handraise"
    assert approve(calls_at(folder), server)
    assert pinned(folder) == f"{ADDRESS} {server.key.public}\n{ADDRESS} {other.public}\n"
    assert stat.S_IMODE((folder / "known_servers").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert server.key.public in caplog.text
    # A receipt of the other node needs nothing more.
    server.key, server.requests = other, []
    assert approve(calls_at(folder), server)
    assert "GET keys" not in server.requests


def test_a_changed_key_is_refused_and_not_pinned(tmp_path: Path, calls: Calls, server: FakeServer) -> None:
    approve(calls, server)
    before = pinned(tmp_path)
    server.key = Key()
    server.trusted = [server.key.public]
    with pytest.raises(KeyChanged, match="handraise trust remove") as caught:
        approve(calls, server)
    assert (caught.value.address, caught.value.found) == (ADDRESS, server.key.public)
    assert pinned(tmp_path) == before


def test_a_chain_of_statements_leads_from_the_pinned_key_to_its_successor(
    tmp_path: Path, calls: Calls, server: FakeServer
) -> None:
    approve(calls, server)
    (tmp_path / "known_servers").write_text(f"# mine\n\nhttps://other.example {server.key.public}\n{pinned(tmp_path)}")
    first, second, third = server.key, Key(), Key()
    server.key, server.rotations = third, [first.names(second), second.names(third)]
    assert approve(calls, server)
    assert pinned(tmp_path) == f"# mine\n\nhttps://other.example {first.public}\n{ADDRESS} {third.public}\n"
    # What the old key signs counts no longer.
    server.key = first
    with pytest.raises(KeyChanged):
        approve(calls, server)


def broken_chains() -> Dict[str, Any]:
    def with_field(name: str, value: Any) -> Any:
        def make(old: Key, new: Key) -> List[Json]:
            return [old.sign({**old.names(new), name: value})]

        return make

    return {
        "nothing is said": lambda old, new: [],
        "another key has signed": lambda old, new: [new.sign(old.names(new))],
        "its signature is gone": lambda old, new: [{**old.names(new), "signature": ""}],
        "it is about another key": lambda old, new: [{**old.names(Key()), "new": new.public}],
        "a link is missing": lambda old, new: [old.names(Key()), Key().names(new)],
        "it goes the other way": lambda old, new: [new.names(old)],
        "it is no object": lambda old, new: ["trust me", None],
        "it says more": with_field("and", "all others"),
        "it says something else": with_field("statement", "handraise receipt"),
        "its version is another": with_field("version", 2),
        "its version is a word": with_field("version", True),
        "its successor is none": with_field("new", "AAAA"),
    }


@pytest.mark.parametrize("what", broken_chains())
def test_a_chain_that_does_not_hold_leads_nowhere(tmp_path: Path, calls: Calls, server: FakeServer, what: str) -> None:
    approve(calls, server)
    before, old, server.key = pinned(tmp_path), server.key, Key()
    server.rotations = broken_chains()[what](old, server.key)
    with pytest.raises(KeyChanged):
        approve(calls, server)
    assert pinned(tmp_path) == before


def test_an_approval_given_under_the_new_key_is_found_while_the_old_one_is_pinned(
    tmp_path: Path, calls: Calls, server: FakeServer
) -> None:
    old, new = server.key, Key()

    def rotate() -> None:
        server.key, server.rotations = new, [old.names(new)]

    server.before = {"interactions": rotate}
    assert approve(calls, server)
    assert pinned(tmp_path) == f"{ADDRESS} {new.public}\n"


def test_named_keys_are_all_that_counts(tmp_path: Path, server: FakeServer) -> None:
    old, new = server.key, Key()
    named = calls_at(tmp_path, named=f"{Key().public},{old.public}")
    assert approve(named, server)
    assert "GET keys" not in server.requests
    server.key, server.rotations = new, [old.names(new)]
    with pytest.raises(KeyChanged, match="HANDRAISE_PUBLIC_KEY"):
        approve(named, server)
    assert not (tmp_path / "known_servers").exists()


@pytest.mark.parametrize("client", [Handraise, AsyncHandraise])
def test_a_named_key_that_is_none_is_said_at_once(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Key().public
    for text in (" ", "\t\n", ",", "mine", f"{good},", f"{good},AAAA", good[:-1]):
        with pytest.raises(HandraiseError, match="no public key"):
            client("http://127.0.0.1:9", "t", public_key=text)
        monkeypatch.setenv("HANDRAISE_PUBLIC_KEY", text)
        with pytest.raises(HandraiseError, match="no public key"):
            client("http://127.0.0.1:9", "t")
    monkeypatch.delenv("HANDRAISE_PUBLIC_KEY")
    with pytest.raises(HandraiseError, match="no public key"):
        client("http://127.0.0.1:9", "t", public_key="")
    monkeypatch.setenv("HANDRAISE_PUBLIC_KEY", f" {good} , {Key().public}")
    with pytest.raises(HandraiseError, match="no public key"):
        client("http://127.0.0.1:9", "t", public_key="")
    assert len(Keys.of(ADDRESS).trusted()) == 2
    assert Keys.of(ADDRESS, good).trusted() == (good,)


@pytest.mark.parametrize(
    "line",
    [
        f"{ADDRESS}",
        f"{ADDRESS} AAAA",
        f"{ADDRESS} mine",
        f"{ADDRESS}  {Key().public}",
        f" {ADDRESS} {Key().public}",
        f"{ADDRESS}/ {Key().public}",
        f"https://desk.example:443 {Key().public}",
        f"HTTPS://desk.example {Key().public}",
        f"desk {Key().public}",
        f"{Key().public}",
        " # comment",
    ],
)
def test_a_file_that_is_not_understood_refuses_everything(
    tmp_path: Path, calls: Calls, server: FakeServer, line: str
) -> None:
    (tmp_path / "known_servers").write_text(f"{ADDRESS} {server.key.public}\n{line}\n")
    (tmp_path / "known_servers").chmod(0o600)
    with pytest.raises(HandraiseError, match="known_servers has a line"):
        approve(calls, server)
    assert server.requests == []


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_refuses_everything(
    tmp_path: Path, calls: Calls, server: FakeServer, mode: int
) -> None:
    approve(calls, server)
    (tmp_path / "known_servers").chmod(mode)
    with pytest.raises(HandraiseError, match="others may write"):
        approve(calls, server)


@pytest.mark.parametrize(("mode", "believed"), [(0o755, True), (0o775, False), (0o757, False), (0o1777, True)])
def test_a_folder_in_which_others_may_replace_the_file_is_not_believed(
    tmp_path: Path, calls: Calls, server: FakeServer, mode: int, believed: bool
) -> None:
    approve(calls, server)
    tmp_path.chmod(mode)
    if believed:
        approve(calls, server)
    else:
        with pytest.raises(HandraiseError, match="others may write into"):
            approve(calls, server)


def test_a_variable_that_is_empty_names_no_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: FakeServer
) -> None:
    monkeypatch.setenv("HANDRAISE_PUBLIC_KEY", "")
    keys = Keys.of(ADDRESS)
    assert (keys.trusted(), keys.may_change) == ((), True)
    assert approve(Calls(keys), server)
    assert pinned(tmp_path) == f"{ADDRESS} {server.key.public}\n"


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on this belongs to another user."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)


@pytest.mark.parametrize("what", [".", "known_servers"])
def test_a_file_or_folder_of_another_user_refuses_everything(
    tmp_path: Path, calls: Calls, server: FakeServer, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    approve(calls, server)
    before, server.requests = pinned(tmp_path), []
    give_away(tmp_path / what, monkeypatch)
    with pytest.raises(HandraiseError, match="belongs to another user"):
        approve(calls, server)
    with pytest.raises(HandraiseError, match="belongs to another user"):
        KnownServers(tmp_path / "known_servers").add("https://other.example", [Key().public])
    assert (server.requests, pinned(tmp_path)) == ([], before)


def test_a_folder_of_another_user_is_no_place_for_a_first_contact(
    tmp_path: Path, calls: Calls, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_away(tmp_path, monkeypatch)
    with pytest.raises(HandraiseError, match="belongs to another user"):
        approve(calls, server)
    assert server.requests == []
    assert list(tmp_path.iterdir()) == []


def test_what_is_roots_or_on_a_system_without_users_is_believed(
    tmp_path: Path, calls: Calls, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for owner in (0, os.geteuid()):
        _expect_own(tmp_path, os.stat_result((0, 0, 0, 1, owner, 0, 0, 0, 0, 0)))
    monkeypatch.delattr(os, "geteuid")
    _expect_own(tmp_path, os.stat_result((0, 0, 0, 1, 12345, 0, 0, 0, 0, 0)))
    assert approve(calls, server)


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path, calls: Calls, server: FakeServer) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "known_servers.lock").symlink_to(elsewhere)
    with pytest.raises(HandraiseError, match="cannot note the key"):
        approve(calls, server)
    assert not elsewhere.exists()
    assert server.asked == []


def test_a_link_that_leads_nowhere_is_no_first_contact(tmp_path: Path, calls: Calls, server: FakeServer) -> None:
    away = tmp_path / "away"
    (tmp_path / "known_servers").symlink_to(away)
    with pytest.raises(HandraiseError, match="leads nowhere"):
        approve(calls, server)
    assert server.asked == []
    away.write_text("")
    assert approve(calls, server)


def test_a_draft_is_never_written_through_a_link(
    tmp_path: Path, calls: Calls, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, names = tmp_path / "elsewhere", iter(["taken", "free"])
    (tmp_path / ".known_servers.taken").symlink_to(elsewhere)
    monkeypatch.setattr(tempfile, "_get_candidate_names", lambda: names)
    assert approve(calls, server)
    assert not elsewhere.exists()


def test_a_file_that_cannot_be_read_or_written_refuses_everything(tmp_path: Path, server: FakeServer) -> None:
    (tmp_path / "known_servers").mkdir()
    with pytest.raises(HandraiseError, match="cannot read"):
        approve(calls_at(tmp_path), server)
    (tmp_path / "file").write_text("")
    with pytest.raises(HandraiseError, match="cannot"):
        approve(calls_at(tmp_path / "file" / "in_it"), server)
    assert server.asked == []


@pytest.mark.parametrize(("url", "address"), ADDRESSES)
def test_an_address_has_one_form(url: str, address: str, tmp_path: Path) -> None:
    assert address_of(httpx.URL(url)) == address
    known, key = KnownServers(tmp_path / "known_servers"), Key().public
    known.add(address, [key])
    assert known.find(address) == (key,)


@pytest.mark.parametrize(("url", "told"), AMBIGUOUS)
@pytest.mark.parametrize("client", [Handraise, AsyncHandraise])
def test_an_address_that_our_programs_would_read_differently_is_refused(
    client: Any, tmp_path: Path, url: str, told: str
) -> None:
    with pytest.raises(HandraiseError, match=rf"(?i){told}"):
        client(url, "t")
    (tmp_path / "known_servers").write_text(f"{url} {Key().public}\n")
    (tmp_path / "known_servers").chmod(0o600)
    with pytest.raises(HandraiseError, match="has a line that is no address"):
        KnownServers(tmp_path / "known_servers").find(ADDRESS)


def test_an_address_of_a_new_python_is_written_as_that_of_an_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ipaddress.IPv6Address, "compressed", "::ffff:127.0.0.1")
    assert address_of(httpx.URL("http://[::ffff:127.0.0.1]")) == "http://[::ffff:7f00:1]"


def test_the_file_is_where_it_is_said_or_with_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HANDRAISE_KNOWN_SERVERS", "/srv/known")
    assert default_path() == Path("/srv/known")
    monkeypatch.delenv("HANDRAISE_KNOWN_SERVERS")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/srv/settings")
    assert default_path() == Path("/srv/settings/handraise/known_servers")
    monkeypatch.setenv("HOME", "/home/ana")
    for other in ("", "settings"):
        monkeypatch.setenv("XDG_CONFIG_HOME", other)
        assert default_path() == Path("/home/ana/.config/handraise/known_servers")


def pin_many(path: Path, keys: List[str]) -> None:
    for n, key in enumerate(keys):
        KnownServers(path).add(f"https://{n}.example", [key])


def test_programs_that_pin_at_once_lose_nothing_and_agree(tmp_path: Path) -> None:
    path = tmp_path / "known_servers"
    spawn = multiprocessing.get_context("spawn")
    programs = [spawn.Process(target=pin_many, args=(path, [Key().public for _ in range(20)])) for _ in range(4)]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
        assert program.exitcode == 0
    # Each server once, with the key of whoever was first.
    addresses = [line.split()[0] for line in path.read_text().splitlines()]
    assert sorted(addresses) == sorted(f"https://{n}.example" for n in range(20))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["known_servers", "known_servers.lock"]


def test_whoever_writes_holds_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, write = KnownServers(tmp_path / "known_servers"), KnownServers._write

    def locked(self: KnownServers, lines: List[str]) -> None:
        with (tmp_path / "known_servers.lock").open("w") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        write(self, lines)

    monkeypatch.setattr(KnownServers, "_write", locked)
    known.add(ADDRESS, [Key().public])
    assert len(known.find(ADDRESS)) == 1


def test_who_comes_second_takes_what_is_pinned(tmp_path: Path) -> None:
    known, first, second = KnownServers(tmp_path / "known_servers"), Key().public, Key().public
    known.add(ADDRESS, [first])
    known.add(ADDRESS, [second])
    assert known.find(ADDRESS) == (first,)
    known.replace(ADDRESS, second, Key().public)
    assert known.find(ADDRESS) == (first,)
    known.replace(ADDRESS, first, second)
    assert known.find(ADDRESS) == (second,)
