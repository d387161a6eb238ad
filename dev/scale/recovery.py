#!/usr/bin/env python3
"""A base backup of PostgreSQL under load, and the database put back as it was at one moment by the archived WAL.

Prints what a node says of the restored database, what it takes to go on, and what is there of what was acknowledged.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import tempfile
import time

from load import Load, gone, run_again
from nodes import PROGRAM, program_of, start_all
from postgres import Cluster, folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--place", default="/dev/shm")
    parser.add_argument("--agents", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5, help="before the backup, from it to the moment, and from that to the end")
    arguments = parser.parse_args()
    place = pathlib.Path(tempfile.mkdtemp(prefix="recovery-", dir=arguments.place))
    place.chmod(0o755)
    ended = []
    try:
        print(json.dumps(recovered(place, arguments, ended), indent=2))
    finally:
        for end in reversed(ended):
            end()
        shutil.rmtree(place)


def recovered(place, arguments, ended):
    archive = folder(place / "archive")
    first = Cluster.new(place, "first", archive_mode="on", archive_command=f"cp %p {archive}/%f")
    ended.append(lambda: first.stop("immediate"))
    (node,) = start_all(place, program_of(arguments), first.url, 1)
    ended.append(node.kill)
    load = Load([node.port], node.token("agent"), node.token("responder"), arguments.agents).start()
    time.sleep(arguments.seconds)
    began = time.monotonic()
    backup = first.base_backup("backup", "-X", "stream")
    backed_up = time.monotonic() - began
    time.sleep(arguments.seconds)
    moment = time.time()
    time.sleep(arguments.seconds)
    load.stop()
    signed = node.command("journal", "checkpoint")
    end = int(first.sql("SELECT max(seq) FROM events"))
    node.kill()
    last = first.sql("SELECT pg_walfile_name(pg_switch_wal())", "postgres")
    while not (archive / last).exists():
        time.sleep(0.1)
    first.stop("immediate")

    target = datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat(" ")
    (backup.data / "recovery.signal").touch()
    if backup.data.owner() != (backup.data / "recovery.signal").owner():
        shutil.chown(backup.data / "recovery.signal", backup.data.owner())
    backup.start(
        restore_command=f"cp {archive}/%f %p",
        recovery_target_time=target,
        recovery_target_action="promote",
    )
    ended.append(lambda: backup.stop("immediate"))
    backup.until("NOT pg_is_in_recovery()")
    restored_end = int(backup.sql("SELECT max(seq) FROM events"))
    node.database = backup.url
    refused = node.start()
    doctor = node.command("doctor")
    missing = gone(load.turns, backup)
    before = {step: sum(getattr(turn, step.replace(" ", "_")) < moment for turn in turns) for step, turns in missing.items()}
    report = {
        "the base backup took, in s": round(backed_up, 2),
        "load": load.report(),
        "signed": signed,
        "events before, and in what was put back": [end, restored_end],
        "acknowledged and gone": {step: len(turns) for step, turns in missing.items()},
        "of these acknowledged before the moment": before,
        "start": refused or "serves",
        "doctor": [line for line in doctor[0].splitlines() if not line.startswith("ok")],
        "journal continue": node.command("journal", "continue"),
        "start again": node.start() or "serves",
    }
    report["approvals that a second run may use"] = len(run_again(load, load.turns))
    report["journal verify"] = node.command("journal", "verify")
    return report


if __name__ == "__main__":
    main()
