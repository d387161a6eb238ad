"""Files that go with a question: what is sent, and that what is decided covers them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Dict

import pytest
from replies import BODY
from test_flows import Script, reply

from handraise import Attachment, HandraiseError, action_digest
from handraise.attachments import LARGEST, media_type_of, read_file
from handraise.canonical import attachments_digest
from handraise.options import put_options
from handraise.receipts import _SOMETIMES

PNG = b"\x89PNG\r\n\x1a\n...."
KEPT = Attachment(name="a.png", type="image/png", size=3, sha256="a" * 64, id="7")


def kept(name: str, content: bytes, media_type: str) -> Dict[str, Any]:
    return {
        "id": "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa",
        "name": name,
        "type": media_type,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "kept_until": "2027-01-15T09:00:00Z",
    }


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.txt", PNG, "image/png"),
        ("a", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("a", b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        ("a.png", b"hello", "text/plain"),
        ("a.diff", b"--- a\n+++ b\n", "text/x-diff"),
        ("a.patch", b"", "text/x-diff"),
    ],
)
def test_a_file_is_sent_as_what_is_in_it(name: str, content: bytes, media_type: str) -> None:
    assert media_type_of(name, content) == media_type


def test_what_people_cannot_be_shown_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neither a picture"):
        media_type_of("a.bin", b"\xff\xfe\0")
    large = tmp_path / "large"
    large.write_bytes(b"x" * (LARGEST + 1))
    with pytest.raises(ValueError, match="at most"):
        read_file(large)
    with pytest.raises(OSError):
        read_file(tmp_path / "missing")


def test_a_file_is_sent_by_its_name_and_comes_back_with_an_id(tmp_path: Path) -> None:
    file = tmp_path / "run 1.log"
    file.write_bytes(b"it works\n")
    script = Script()
    sending = script.begin(script.calls.attach(file))
    assert (sending.method, sending.path) == ("POST", "/attachments?name=run+1.log")
    assert (sending.body, sending.headers["Content-Type"]) == (b"it works\n", "text/plain")
    sent = script.end(reply(kept("run 1.log", b"it works\n", "text/plain"), 201))
    assert (sent.name, sent.type, sent.id) == ("run 1.log", "text/plain", "019a7c41-5d0e-7b52-9c1a-0f6de2f3b8aa")


def test_a_text_that_the_server_keeps_otherwise_is_not_attached() -> None:
    for other in [{"sha256": "0" * 64}, {"name": "b.txt"}]:
        script = Script()
        script.begin(script.calls.attach("a.txt", b"hello"))
        with pytest.raises(HandraiseError, match="something else"):
            script.flow.send(reply({**kept("a.txt", b"hello", "text/plain"), **other}, 201))
    # A picture is encoded anew.
    script = Script()
    script.begin(script.calls.attach("a.png", PNG))
    assert script.end(reply(kept("a.png", b"others", "image/png"), 201)).sha256 != hashlib.sha256(PNG).hexdigest()


def test_a_question_names_its_files() -> None:
    script = Script()
    opening = script.begin(script.calls.ask("Is this right?", attachments=[KEPT]))
    assert json.loads(opening.body or b"")["attachments"] == ["7"]
    used = Attachment(name="a.png", type="image/png", size=3, sha256="a" * 64)
    with pytest.raises(ValueError, match="attach it once more"):
        put_options("question", {"attachments": [used]})
    assert put_options("notification", {"attachments": [KEPT]}) == {"attachments": ["7"]}
    assert put_options("question", {"attachments": []}) == {}


def test_the_digest_of_an_action_covers_its_files_and_not_their_ids() -> None:
    plain = action_digest("shell", {})
    assert action_digest("shell", {}, (), ()) == plain
    written = (
        '{"arguments":{},"attachments":[{"name":"a.png","sha256":"' + "a" * 64 + '","size":3,"type":"image/png"}],'
        '"tool":"shell"}'
    )
    expected = "sha256:" + hashlib.sha256(written.encode()).hexdigest()
    again = Attachment(name="a.png", type="image/png", size=3, sha256="a" * 64, id="8")
    assert action_digest("shell", {}, (), [KEPT]) == action_digest("shell", {}, (), [again]) == expected
    others = [
        Attachment(name="b.png", type="image/png", size=3, sha256="a" * 64),
        Attachment(name="a.png", type="image/jpeg", size=3, sha256="a" * 64),
        Attachment(name="a.png", type="image/png", size=4, sha256="a" * 64),
        Attachment(name="a.png", type="image/png", size=3, sha256="b" * 64),
    ]
    digests = {action_digest("shell", {}, (), [one]) for one in others}
    assert len(digests) == 4 and expected not in digests and plain not in digests
    assert attachments_digest([]) is None
    assert attachments_digest([KEPT]) != attachments_digest([KEPT, KEPT])
    assert "attachments_digest" in _SOMETIMES


def test_files_of_an_answer_are_named_in_it() -> None:
    script = Script()
    script.begin(script.calls.get("7"))
    file: Dict[str, Any] = {"name": "a.txt", "type": "text/plain", "size": 1, "sha256": "b" * 64}
    answer = {"answered_at": "2027-01-15T08:01:00Z", "text": "see there", "attachments": [file]}
    got = script.end(reply({**BODY, "state": "resolved", "answer": answer, "attachments": [file, file]}))
    assert [one.name for one in got.attachments] == ["a.txt", "a.txt"]
    assert got.answer.attachments == (Attachment(**file),)
    assert got.answer.attachments[0].id is None
