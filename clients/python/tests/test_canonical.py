"""The canonical form: by the examples of RFC 8785, and against the server's digests."""

from __future__ import annotations

import random
import struct
from typing import Any, List

import pytest

from handraise import Handraise, NotJson, Refused, action_digest, canonical_json

NUMBERS = [  # RFC 8785, appendix B
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_numbers_are_written_as_ecmascript_does(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(number) == text.encode()


def test_keys_are_sorted_by_utf16_code_units() -> None:
    # RFC 8785, section 3.2.3.
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert canonical_json(dict.fromkeys(keys, 0)) == (
        '{"\\r":0,"1":0,"\u0080":0,"\u00f6":0,"\u20ac":0,"\U0001f600":0,"\ufb33":0}'.encode()
    )


def test_strings_and_literals_are_written_as_the_rfc_says() -> None:
    # RFC 8785, section 3.2.2.
    value = {
        "numbers": [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert canonical_json(value) == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'.encode()
    )


def test_the_digest_is_that_of_sha256sum() -> None:
    # printf '{"arguments":{"a":1,"b":"ü"},"tool":"shell"}' | sha256sum
    expected = "sha256:64f20618a9b61e960266efe3475b53fabbd19faf649ebef45d7e13150ff7ab26"
    assert action_digest("shell", {"b": "ü", "a": 1}) == expected == action_digest("shell", {"a": 1.0, "b": "ü"})


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"command": "make deploy", "n": 1, "yes": True, "nothing": None},
        {"x": [0.1 + 0.2, 1e-7, 1e-6, 123456.789e-3, 5e-324, 1e15 + 0.3, 2.0, 4.5e15]},
        {"zero": [0, -0, 0.0, -0.0]},
        {"exact": [2**53 - 1, 1 - 2**53, float(2**53 - 1)]},
        dict.fromkeys(["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6", "", "a.b", "A", "a"], 0),
        {"\U0001f600": 1, "\ue000": 2, "\uffff": 3, "\ud7ff": 4, "\U0010ffff": 5},
        {"deep": [[[{"a": {"b": [{"c": [1, [2, [3, {}]]]}]}}]]]},
        {"text": "".join(map(chr, range(0x20))) + "\x7f\u0080\u2028\u2029\"\\/\u202e'"},
        {"random": [random.Random(n).uniform(-1, 1) * 10 ** (n % 320 - 308) for n in range(1000) if n % 320 < 323]},
    ],
)
def test_the_server_makes_the_same_digest(people: Handraise, arguments: Any) -> None:
    if "random" in arguments:
        arguments = {"random": [number for number in arguments["random"] if abs(number) < 2**53]}
    # Opening raises when they differ.
    asked = people.open("approval", "May I?", tool="ex-\u00fc", arguments=arguments)
    assert asked.action_digest == action_digest("ex-\u00fc", arguments)
    assert asked.action and asked.action.arguments == arguments


@pytest.mark.parametrize("number", [1e21, 2.0**53, -1e300])
def test_the_server_refuses_what_is_not_the_same_number_everywhere(people: Handraise, number: float) -> None:
    assert canonical_json(number)
    with pytest.raises(Refused) as caught:
        people.approve("May I?", "t", {"n": number})
    assert [fault.path for fault in caught.value.errors] == ["action.arguments"]


class Text(str):
    """Shows one thing, and may do another."""


def endless() -> List[Any]:
    value: List[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ((1, 2), "tuple.*make it a list"),
        ({1, 2}, "set.*make it a list"),
        (b"bytes", "bytes"),
        (object(), "object"),
        (Text("x"), "Text"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**53, r"2\^53"),
        (-(2**63), r"2\^53"),
        ("\ud800", "surrogate"),
        ({"\udfff": 1}, "surrogate"),
        ({1: "a"}, "key 1"),
        ({None: "a"}, "key None"),
        (endless(), "contains itself"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(value: Any, told: str) -> None:
    for name, holder in [("", value), (r"\$\.rows\[1\]", {"rows": [0, value]})]:
        with pytest.raises(NotJson, match=name + ".*" + told):
            canonical_json(holder)
