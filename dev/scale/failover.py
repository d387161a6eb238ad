#!/usr/bin/env python3
"""PostgreSQL fails over under load: the primary is killed, its standby promoted, and the nodes go there by the same address.

Prints what was acknowledged and is gone, what the nodes said, and whether they go on after a start anew.
"""

import argparse
import json
import pathlib
import shutil
import tempfile
import time

from doorway import Doorway
from load import Follower, Load, gone, run_again
from nodes import PROGRAM, program_of, start_all
from postgres import DATABASE, Cluster


def main():
    arguments = parsed()
    place = pathlib.Path(tempfile.mkdtemp(prefix="failover-", dir=arguments.place))
    place.chmod(0o755)
    ended = []
    try:
        report = fail_over(place, arguments, ended)
        print(json.dumps(report, indent=2))
    finally:
        for end in reversed(ended):
            end()
        if not arguments.keep:
            shutil.rmtree(place)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--place", default="/dev/shm", help="where clusters and nodes are made")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10, help="of load before, and of load after")
    parser.add_argument("--commit", default="on", help="synchronous_commit: on, remote_write, remote_apply, local, off")
    parser.add_argument("--asynchronous", action="store_true", help="the primary does not wait for the standby")
    parser.add_argument("--behind", type=float, default=0, help="for so many seconds nothing has reached the standby")
    parser.add_argument("--sign", action="store_true", help="just before, the nodes sign checkpoints")
    parser.add_argument("--unnoticed", type=float, default=1, help="seconds until the standby is promoted")
    parser.add_argument("--early", action="store_true", help="the address leads to the standby before it is promoted")
    parser.add_argument("--silent", action="store_true", help="no connection to it ends: the machine is gone, and not the program")
    parser.add_argument("--keep", action="store_true", help="leave the folders")
    return parser.parse_args()


def fail_over(place, arguments, ended):
    names = "" if arguments.asynchronous else "second"
    primary = Cluster.new(place, "first", wal_level="replica", max_wal_senders=10)
    ended.append(lambda: primary.stop("immediate"))
    door, replication = Doorway(primary.port), Doorway(primary.port)
    ended += [door.close, replication.close]
    standby = primary.standby("second", replication.port)
    ended.append(lambda: standby.stop("immediate"))
    primary.stop()
    primary.start(wal_level="replica", synchronous_commit=arguments.commit, synchronous_standby_names=names)
    primary.until("count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'")

    url = f"postgres://postgres@127.0.0.1:{door.port}/{DATABASE}"
    nodes = start_all(place, program_of(arguments), url, arguments.nodes)
    ended += [node.kill for node in nodes]
    agent, responder = nodes[0].token("agent"), nodes[0].token("responder")
    doors = [node.port for node in nodes]
    load = Load(doors, agent, responder, arguments.agents).start()
    follower = Follower(load)
    time.sleep(arguments.seconds)

    if arguments.behind:
        replication.hold()
        time.sleep(arguments.behind)
    if arguments.sign:
        signed = [node.command("journal", "checkpoint") for node in nodes]
    before, followed = load.report(), follower.after
    killed = time.time()
    if arguments.silent:
        door.silence()
    primary.kill()
    replication.cut()
    replication.leads_to(1)
    if arguments.early:
        door.leads_to(standby.port)
    time.sleep(arguments.unnoticed)
    early = [node.readiness() for node in nodes]
    standby.promote()
    door.leads_to(standby.port)
    promoted = time.time()
    ended_at = int(standby.sql("SELECT max(seq) FROM events"))
    time.sleep(arguments.seconds)
    readiness = [node.readiness() for node in nodes]
    load.stop()
    follower.stopping = True
    follower.join(15)

    missing = gone(load.turns, standby)
    lost_before = {step: [turn for turn in turns if turn.asked < killed] for step, turns in missing.items()}
    events = dict(line.split("|") for line in standby.sql("SELECT seq, id FROM events").splitlines())
    events = {int(seq): id for seq, id in events.items()}
    first = next((at for at, wait, failed in sorted(load.waits) if at > killed and failed), None)
    report = {
        "settings": {name: value for name, value in vars(arguments).items() if value not in (False, 0)},
        "before the kill": before,
        "after all": load.report(),
        "from the kill to the promotion, in s": round(promoted - killed, 2),
        "from the kill to the first call that got through, in s": first and round(first - killed, 2),
        "acknowledged and gone": {step: len(turns) for step, turns in missing.items()},
        "of these asked before the kill": {step: len(turns) for step, turns in lost_before.items()},
        "approvals that a second run may use": len(run_again(load, load.turns)),
        "last event of the promoted standby": ended_at,
        "last event that the follower knew": {"before": followed, "at the end": follower.after},
        "events that the follower has, and the journal has not": sum(events.get(seq) != id for seq, id in follower.seen.items()),
        "numbers that went out twice": sum(seq in events and events[seq] != id for seq, id in follower.seen.items()),
        "events that the follower never got": len({id for seq, id in events.items() if seq <= follower.after} - {*follower.seen.values()} - follower.again),
        "ready while there was no primary": early,
        "ready at the end": readiness,
    }
    if arguments.sign:
        report["signed before"] = [said for said, _ in signed]
    report["what the nodes said"] = [node.complaints() for node in nodes]
    report["waited, after the kill"] = waited_longest(load, killed)
    report["afterwards"] = start_anew(nodes)
    report["journal verify"] = nodes[0].command("journal", "verify")
    if report["journal verify"][1]:
        report["journal continue, after that"] = nodes[0].command("journal", "continue")
    return report


def waited_longest(load, since):
    waits = [round(wait, 2) for at, wait, _ in load.waits if at > since]
    return {"longest in s": max(waits, default=0), "calls above 1 s": sum(wait > 1 for wait in waits)}


def start_anew(nodes):
    """What the next start says, and what it takes to go on."""
    said = {}
    for node in nodes:
        node.stop()
    for node in nodes:
        refused = node.start()
        said[node.name] = [refused or "serves"]
        node.stop()
    if any(what != ["serves"] for what in said.values()):
        for node in nodes:
            said[node.name].append(node.command("journal", "continue"))
        for node in nodes:
            said[node.name].append(node.start() or "serves")
            node.stop()
    return said


if __name__ == "__main__":
    main()
