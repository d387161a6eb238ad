"""Each durable case, killed 20 times. By hand, with PYTHONPATH=src, and the adapters that are meant or none."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

from serving import Desk, Server  # noqa: E402
from test_adapters import RESTARTED, Program  # noqa: E402

KILLS = 20


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    os.environ["HANDRAISE_KNOWN_SERVERS"] = str(folder / "known_servers")
    server = Server(folder)
    desk, token = Desk(server), server.token("agent", "backend")
    try:
        named = sys.argv[1:]
        for adapter, way in [one for one in RESTARTED if not named or one[0] in named]:
            own = folder / f"{adapter}-{way}"
            own.mkdir()
            agent, before = Program(own, server, token, adapter, way), len(desk.all())
            begun = time.monotonic()
            agent.start()
            asked = desk.next()
            took = time.monotonic() - begun
            for _ in range(KILLS):
                # Anywhere: while it starts, while it asks again, while it waits.
                time.sleep(random.uniform(0.05, 1.5 * took))
                agent.kill()
                agent.start()
            desk.answer(asked["id"], approved=True)
            agent.heard()
            found = (len(desk.all()) - before, agent.ledger)
            print(f"{adapter} {way}: {KILLS} kills, asked {found[0]} times, ran {found[1]}", flush=True)
            assert found == (1, ["Ana 1"])
    finally:
        desk.close()
        server.close()


main()
