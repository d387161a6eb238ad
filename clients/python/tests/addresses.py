"""URLs of servers, and the address by which the file of known servers has each: `clients/vectors/addresses.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import List, Tuple

_VECTORS = json.loads((Path(__file__).resolve().parents[2] / "vectors" / "addresses.json").read_text())

ADDRESSES: List[Tuple[str, str]] = [(url, address) for url, address in _VECTORS["addresses"]]
"""The URL, and its address."""

AMBIGUOUS: List[Tuple[str, str]] = [(url, told) for url, told in _VECTORS["ambiguous"]]
"""The URL that `httpx` and the command line read differently, and what is said of it."""
