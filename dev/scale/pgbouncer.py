#!/usr/bin/env python3
"""PgBouncer between the nodes and PostgreSQL, in each of its modes: does a node start, what fails, and do hints get through?"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time

from load import Client, Load, gone, quantile
from nodes import PROGRAM, Node, program_of
from postgres import DATABASE, Cluster, free_port

CONFIGURATION = """
[databases]
{database} = host=127.0.0.1 port={to} dbname={database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {place}/users
logfile = {place}/pooler.log
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 500
ignore_startup_parameters = extra_float_digits
"""

# Sessions that keep a lock although they do nothing, and those that listen.
KEPT = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity a USING (pid) WHERE locktype = 'advisory' AND a.state = 'idle'"


class Pooler:
    def __init__(self, cluster, mode, size):
        self.port, place = free_port(), cluster.place
        (place / "users").write_text('"postgres" ""\n')
        text = CONFIGURATION.format(database=DATABASE, to=cluster.port, port=self.port, place=place, mode=mode, size=size)
        (place / "pooler.ini").write_text(text)
        found = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
        if not os.path.exists(found):
            raise SystemExit("install PgBouncer")
        as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.process = subprocess.Popen(
            [*as_owner, found, "-q", place / "pooler.ini"], cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.5)

    def close(self):
        self.process.terminate()
        self.process.wait(10)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--place", default="/dev/shm")
    parser.add_argument("--mode", choices=["session", "transaction", "statement"], action="append")
    parser.add_argument("--size", type=int, default=40, help="connections of the pool")
    parser.add_argument("--parameters", default="", help="after the address of the database: ?statement-cache-capacity=0")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=5)
    arguments = parser.parse_args()
    for mode in arguments.mode or ["session", "transaction", "statement"]:
        place = pathlib.Path(tempfile.mkdtemp(prefix=f"pgbouncer-{mode}-", dir=arguments.place))
        place.chmod(0o755)
        ended = []
        try:
            print(json.dumps({"mode": mode, **tried(place, mode, arguments, ended)}, indent=2), flush=True)
        finally:
            for end in reversed(ended):
                end()
            shutil.rmtree(place)


def tried(place, mode, arguments, ended):
    cluster = Cluster.new(place, "database")
    ended.append(lambda: cluster.stop("immediate"))
    pooler = Pooler(cluster, mode, arguments.size)
    ended.append(pooler.close)
    url = f"postgres://postgres@127.0.0.1:{pooler.port}/{DATABASE}{arguments.parameters}"
    nodes, starts = [], []
    for number in range(1, arguments.nodes + 2):
        node = Node(place, f"node-{number}", program_of(arguments), url, key_of=nodes[0] if nodes else None)
        began = time.monotonic()
        refused = node.start(patience=20)
        starts.append(f"{node.name}: {refused or 'serves'} after {time.monotonic() - began:.1f} s")
        if refused:
            break
        ended.append(node.kill)
        nodes.append(node)
    report = {"starts": starts, "idle sessions that hold locks": int(cluster.sql(KEPT))}
    if len(nodes) < 2:
        return report
    # Past the pooler: what is tried is the nodes.
    beside = Node(place, "beside", program_of(arguments), cluster.url, key_of=nodes[0])
    agent, responder = beside.token("agent"), beside.token("responder")
    load = Load([node.port for node in nodes], agent, responder).start()
    time.sleep(arguments.seconds)
    load.stop()
    report |= {
        "load": load.report(),
        "acknowledged and gone": {step: len(turns) for step, turns in gone(load.turns, cluster).items()},
        "from an answer on one node to a held poll on another, in ms": hints(load),
        "idle sessions that hold locks, afterwards": int(cluster.sql(KEPT)),
        "what the nodes said": [node.complaints() for node in nodes],
    }
    return report


def hints(load, times=40):
    """Without hints a poll of the journal twice a second is what wakes a held poll."""
    first, second, waits = Client(load, 0), Client(load, 1), []
    for number in range(times):
        body = {"kind": "question", "prompt": f"How late? {number}"}
        _, asked = first.once("POST", "/api/v1/interactions", load.agent, body, {})
        path = f"/api/v1/interactions/{asked['id']}"
        ended = []

        def hold():
            second.once("GET", path, load.agent, None, {"Prefer": "wait=10"})
            ended.append(time.monotonic())

        holding = threading.Thread(target=hold)
        holding.start()
        # Not in step with the poll.
        time.sleep(0.3 + 0.037 * (number % 13))
        first.once("POST", f"{path}/answer", load.responder, {"text": "now"}, {})
        answered = time.monotonic()
        holding.join()
        waits.append(1000 * max(0, ended[0] - answered))
    waits.sort()
    return {"median": round(quantile(waits, 0.5), 1), "90th": round(quantile(waits, 0.9), 1), "longest": round(waits[-1], 1)}


if __name__ == "__main__":
    main()
