#!/usr/bin/env python3
"""Four cells behind one name, each with its own PostgreSQL and nodes, all under load, while one of them moves to another server.

Prints what clients of each cell saw before and during the move, and what of that which was acknowledged is gone.
"""

import argparse
import json
import pathlib
import shutil
import tempfile
import time

from load import Load, gone, quantile, run_again
from nodes import PROGRAM, Node, program_of, start_all
from postgres import DATABASE, Cluster, run
from router import Router


class Placed:
    """A cell: its database server, its nodes, and those who use it."""

    def __init__(self, place, name, program, router, arguments, ended):
        self.place, self.name, self.program, self.router = place / name, name, program, router
        self.cluster = Cluster.new(self.place, "database")
        ended.append(lambda: self.cluster.stop("immediate"))
        self.nodes = start_all(self.place, program, self.cluster.url, arguments.nodes)
        ended.append(lambda: [node.kill() for node in self.nodes])
        tokens = [f"{name}.{self.nodes[0].token(kind)}" for kind in ("agent", "responder")]
        router.cell(name, [node.port for node in self.nodes])
        self.load = Load([router.port], *tokens, count=arguments.agents, pause=arguments.pause)

    def move(self, ended):
        """Nothing new comes in, what is under way ends, all of it is copied, and the name leads there."""
        old, new = self.cluster, Cluster.new(self.place, "moved")
        ended.append(lambda: new.stop("immediate"))
        steps, began = {}, time.monotonic()

        def done(step):
            steps[step] = round(time.monotonic() - began, 2)

        self.router.hold(self.name)
        for node in self.nodes:
            node.stop()
        done("nodes stopped")
        dump = new.place / "dump"
        run("pg_dump", "--format=custom", "--file", dump, old.url)
        done("dumped")
        run("pg_restore", "--exit-on-error", "--no-owner", "--dbname", new.url, dump)
        done("restored")
        # A node that is started at the old place has no database.
        old.sql(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false", "postgres")
        moved = []
        for node in self.nodes:
            other = Node(self.place / "moved", node.name, self.program, new.url, key_of=node)
            shutil.copy2(node.folder / "handraise.checkpoints", other.folder)
            refused = other.start()
            if refused:
                raise SystemExit(f"{self.name}: {refused}")
            ended.append(other.kill)
            moved.append(other)
        done("new nodes serve")
        self.cluster, self.nodes = new, moved
        self.router.cell(self.name, [node.port for node in moved])
        self.router.open(self.name)
        done("the name leads there")
        return steps

    def seen(self, since, until):
        with self.load.lock:
            waits = sorted(1000 * wait for at, wait, _ in self.load.waits if since < at <= until)
        figures = [round(quantile(waits, share), 1) for share in (0.5, 0.99, 1)]
        return {"calls": len(waits), "median / 99th / longest in ms": figures}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=PROGRAM)
    parser.add_argument("--place", default="/dev/shm")
    parser.add_argument("--cells", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=3, help="of each cell")
    parser.add_argument("--agents", type=int, default=4, help="of each cell")
    parser.add_argument("--pause", type=float, default=0.1, help="between two turns of an agent")
    parser.add_argument("--seconds", type=float, default=15, help="of load before the move, and after it")
    arguments = parser.parse_args()
    place = pathlib.Path(tempfile.mkdtemp(prefix="cells-", dir=arguments.place))
    place.chmod(0o755)
    ended = []
    try:
        print(json.dumps(moved_under_load(place, arguments, ended), indent=2))
    finally:
        for end in reversed(ended):
            end()
        shutil.rmtree(place)


def moved_under_load(place, arguments, ended):
    router, program = Router(), program_of(arguments)
    ended.append(router.close)
    names = [f"cell-{number}" for number in range(1, arguments.cells + 1)]
    cells = [Placed(place, name, program, router, arguments, ended) for name in names]
    for cell in cells:
        cell.load.start()
    began = time.time()
    time.sleep(arguments.seconds)
    moving = time.time()
    steps = cells[0].move(ended)
    moved = time.time()
    time.sleep(arguments.seconds)
    after = time.time()
    for cell in cells:
        cell.load.stop()
    report = {"the move, in s from its beginning": steps}
    for cell in cells:
        report[cell.name] = {
            "before": cell.seen(began, moving),
            # A call that waited for the move ends after it.
            "during": cell.seen(moving, moved + 1),
            "after": cell.seen(moved + 1, after),
            **cell.load.report(),
            "acknowledged and gone": {step: len(turns) for step, turns in gone(cell.load.turns, cell.cluster).items()},
            "approvals that a second run may use": len(run_again(cell.load, cell.load.turns)),
        }
    report["journal verify of the cell that moved"] = cells[0].nodes[0].command("journal", "verify")
    return report


if __name__ == "__main__":
    main()
