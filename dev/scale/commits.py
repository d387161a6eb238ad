#!/usr/bin/env python3
"""What one PostgreSQL can commit to a journal that is ordered by one lock: the bound of a deployment, whatever its nodes do.

pgbench plays the writers of the nodes: lock, find the end, insert a batch of events, commit; then, as the program does, one hint
outside of the transaction. Prints a table.
"""

import argparse
import pathlib
import re
import shutil
import tempfile

from postgres import Cluster, run

TABLE = "CREATE TABLE journal (seq BIGINT PRIMARY KEY, payload TEXT NOT NULL, hash BYTEA NOT NULL)"

BATCH = """BEGIN;
SELECT pg_advisory_xact_lock(7521983763894330739);
INSERT INTO journal SELECT (SELECT COALESCE(MAX(seq), 0) FROM journal) + n, repeat('e', 800), decode(repeat('ab', 32), 'hex')
FROM generate_series(1, {batch}) n;
COMMIT;
"""

HINT = "SELECT pg_notify('journal', '');\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--place", default=".", help="the disk that is measured")
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--standby", action="store_true", help="each commit waits for a standby, on the same disk")
    arguments = parser.parse_args()
    place = pathlib.Path(tempfile.mkdtemp(prefix="commits-", dir=arguments.place)).resolve()
    place.chmod(0o755)
    clusters = [Cluster.new(place, "first")]
    try:
        if arguments.standby:
            clusters.append(clusters[0].standby("second", clusters[0].port))
            clusters[0].stop()
            clusters[0].start(synchronous_standby_names="second")
        table(place, clusters[0], arguments.seconds)
    finally:
        for cluster in clusters:
            cluster.stop("immediate")
        shutil.rmtree(place)


def table(place, cluster, seconds):
    cluster.sql(TABLE)
    print("| events in a commit | hint | 1 node: commits, events a second | 2 nodes | 3 nodes |\n|---|---|---|---|---|")
    for batch in (1, 16, 64, 256):
        for hint in ("", HINT):
            script = place / "batch.sql"
            script.write_text(BATCH.format(batch=batch) + hint)
            cells = []
            for writers in (1, 2, 3):
                said = run("pgbench", "-n", "-c", writers, "-j", writers, "-T", seconds, "-f", script, cluster.url)
                rate = float(re.search(r"tps = ([\d.]+)", said)[1])
                cells.append(f"{rate:,.0f}, {rate * batch:,.0f}")
            print("|", " | ".join([str(batch), "with" if hint else "without", *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
