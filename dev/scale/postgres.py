"""PostgreSQL clusters of our own: made, followed by a standby, killed, promoted, restored."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

DATABASE = "handraise"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def program(name):
    """Debian keeps the programs of the server off PATH."""
    found = shutil.which(name)
    newest = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    if not found and not newest:
        raise SystemExit(f"install PostgreSQL's server: there is no {name}")
    return found or str(newest[-1])


def run(name, *arguments, check=True, to=None):
    """PostgreSQL refuses to run as root."""
    as_owner = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    command = [*as_owner, program(name), *map(str, arguments)]
    # A server that stays would keep a pipe open.
    with open(to or os.devnull, "ab") as output:
        out = output if name == "pg_ctl" else subprocess.PIPE
        done = subprocess.run(command, cwd="/", stdout=out, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout or to}")
    return (done.stdout or "").strip()


def folder(place):
    """One that PostgreSQL's user may write in."""
    place.mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(place, "postgres")
    return place


class Cluster:
    """A server on a port of its own. What it is told beyond its configuration goes with it, and not to its standbys."""

    def __init__(self, place, name):
        self.place, self.name, self.port = folder(place / name), name, free_port()
        self.data, self.log = self.place / "data", self.place / "log"

    @classmethod
    def new(cls, place, name, **settings):
        cluster = cls(place, name)
        run("initdb", "-D", cluster.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        cluster.start(**settings)
        cluster.sql(f"CREATE DATABASE {DATABASE}", "postgres")
        return cluster

    @property
    def url(self):
        return f"postgres://postgres@127.0.0.1:{self.port}/{DATABASE}"

    def start(self, **settings):
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.place,
            "max_connections": 300,
            "shared_buffers": "64MB",
            **settings,
        }
        options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
        run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.log, "-o", options, to=self.place / "ctl")

    def stop(self, mode="fast"):
        run("pg_ctl", "stop", "-w", "-m", mode, "-D", self.data, check=False, to=self.place / "ctl")

    def sql(self, text, database=DATABASE):
        url = f"postgres://postgres@127.0.0.1:{self.port}/{database}"
        return run("psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, url)

    def base_backup(self, name, *more, port=None):
        """A copy that has not been started, taken from this server or from where `port` leads to it."""
        copy = Cluster(self.place.parent, name)
        run("pg_basebackup", "-h", "127.0.0.1", "-p", port or self.port, "-U", "postgres", "-D", copy.data, "-c", "fast", *more)
        return copy

    def standby(self, name, port):
        """One that follows this server by way of `port`."""
        copy = self.base_backup(name, "-X", "stream", "-R", port=port)
        # By its name it can be waited for.
        with open(copy.data / "postgresql.auto.conf", "a") as conf:
            conf.write(f"primary_conninfo = 'host=127.0.0.1 port={port} user=postgres application_name={name}'\n")
        copy.start()
        return copy

    def kill(self):
        """As if the power went: the server and all of its processes at once, by SIGKILL."""
        postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        for pid in [postmaster, *children(postmaster)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def promote(self):
        self.sql("SELECT pg_promote(true, 60)", "postgres")

    def until(self, condition, database="postgres"):
        for _ in range(600):
            if self.sql(f"SELECT {condition}", database) == "t":
                return
            time.sleep(0.1)
        raise SystemExit(f"{self.name}: it never came to {condition}")


def children(parent):
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == parent:
            found.append(int(status.parent.name))
    return found
