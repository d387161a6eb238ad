"""One name for many cells: a request goes to the cell that its token names, `CELL.TOKEN`, and the cell gets the token alone.

A program of its own, told by lines: `cell NAME PORT...`, `hold NAME` (what comes waits here), `open NAME`. Nothing of a tenant is
known here but where its cell is.
"""

import asyncio
import pathlib
import subprocess
import sys

from postgres import free_port

NO_CELL = b'{"status": 421, "code": "no_such_cell", "title": "the token names no cell"}'
BROKEN = b'{"status": 502, "code": "cell_unreachable", "title": "the cell did not answer; ask again with the same key"}'


class Router:
    def __init__(self):
        self.port = free_port()
        command = [sys.executable, pathlib.Path(__file__), str(self.port)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def cell(self, name, ports):
        self.tell(" ".join(["cell", name, *map(str, ports)]))

    def hold(self, name):
        self.tell(f"hold {name}")

    def open(self, name):
        self.tell(f"open {name}")

    def close(self):
        self.process.kill()
        self.process.wait()


class Cell:
    def __init__(self):
        self.ports, self.turn, self.idle, self.opened = [], 0, {}, asyncio.Event()
        self.opened.set()

    async def ask(self, request):
        """Of the next node. One that takes no connection is passed over; what broke later may have arrived, and is not sent again."""
        await self.opened.wait()
        for _ in self.ports:
            self.turn += 1
            port = self.ports[self.turn % len(self.ports)]
            kept = self.idle.setdefault(port, [])
            try:
                reader, writer = kept.pop() if kept else await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            try:
                writer.write(request)
                reply = await message(reader)
            except (OSError, asyncio.IncompleteReadError, ValueError):
                writer.close()
                return plain("502 Bad Gateway", BROKEN)
            kept.append((reader, writer))
            return reply
        return plain("502 Bad Gateway", BROKEN)


def plain(status, body):
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def header(head, name):
    for line in head.split(b"\r\n")[1:]:
        found, _, value = line.partition(b":")
        if found.strip().lower() == name:
            return value.strip()
    return b""


async def message(reader):
    """A whole request or reply. The program sends lengths, and no chunks, for what is asked here."""
    head = await reader.readuntil(b"\r\n\r\n")
    if header(head, b"transfer-encoding"):
        raise ValueError("chunks")
    return head + await reader.readexactly(int(header(head, b"content-length") or 0))


async def serve(port):
    cells = {}

    async def accept(reader, writer):
        try:
            while True:
                request = await message(reader)
                sent = header(request.partition(b"\r\n\r\n")[0], b"authorization")
                name, dot, token = sent.removeprefix(b"Bearer ").partition(b".")
                cell = cells.get(name.decode()) if dot else None
                if cell:
                    reply = await cell.ask(request.replace(sent, b"Bearer " + token, 1))
                else:
                    reply = plain("421 Misdirected Request", NO_CELL)
                writer.write(reply)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", port)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command, name, *ports = line.split()
        cell = cells.setdefault(name, Cell())
        if command == "cell":
            # Connections to nodes of before are of no use.
            cell.ports, cell.idle = [int(port) for port in ports], {}
        elif command == "hold":
            cell.opened.clear()
        else:
            cell.opened.set()
        print("done", flush=True)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
