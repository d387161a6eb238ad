"""What this client and that in TypeScript read alike: `clients/vectors`, of which each has a test like this one."""

from __future__ import annotations

import json
import struct
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Dict, List

import pytest

from handraise import NotVerified, action_digest, canonical_json
from handraise.consumption import expect_noted, signer_of
from handraise.models import Attachment, Operand
from handraise.receipts import Claim, verified

FOLDER = Path(__file__).resolve().parents[2] / "vectors"
CANONICAL: Dict[str, Any] = json.loads((FOLDER / "canonical.json").read_text())
SIGNED: Dict[str, List[Dict[str, Any]]] = json.loads((FOLDER / "receipts.json").read_text())


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def test_each_value_has_one_form_and_each_action_one_digest() -> None:
    for one in CANONICAL["numbers"]:
        (number,) = struct.unpack(">d", bytes.fromhex(one["bits"]))
        assert canonical_json(number) == one["text"].encode()
    for one in CANONICAL["values"]:
        assert canonical_json(one["value"]) == one["text"].encode()
    for one in CANONICAL["actions"]:
        operands = [Operand(**it) for it in one["operands"]]
        attachments = [Attachment(**it) for it in one["attachments"]]
        assert action_digest(one["tool"], one["arguments"], operands, attachments) == one["digest"]


@pytest.mark.parametrize("one", SIGNED["receipts"], ids=lambda one: one["what"])
def test_a_receipt_holds_or_is_void_for_the_same_reason(one: Dict[str, Any]) -> None:
    said = dict(one["claim"])
    if "asked_since" in said:
        said["asked_since"] = moment(said["asked_since"])
    if "timeout" in said:
        said["timeout"] = timedelta(seconds=said["timeout"])
    claim = Claim(**said)
    if one["says"] is None:
        assert verified(one["receipt"], claim, moment(one["now"])).interaction_id == claim.interaction_id
    else:
        with pytest.raises(NotVerified, match=one["says"]):
            verified(one["receipt"], claim, moment(one["now"]))


@pytest.mark.parametrize("one", SIGNED["uses"], ids=lambda one: one["what"])
def test_a_use_is_proven_or_not_for_the_same_reason(one: Dict[str, Any]) -> None:
    def prove() -> None:
        key = signer_of(one["note"], one["run"])
        expect_noted(one["note"], one["interaction_id"], key, moment(one["now"]))

    if one["says"] is None:
        prove()
    else:
        with pytest.raises(NotVerified, match=one["says"]):
            prove()
