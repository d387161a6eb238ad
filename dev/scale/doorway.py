"""One address that leads to another, which can be changed: what a proxy, a virtual address or a service of Kubernetes is.

A program of its own, so that what goes through it does not wait for the load. It is told by lines: `to PORT`, `hold`, `cut` and
`silence`.
"""

import asyncio
import pathlib
import subprocess
import sys

from postgres import free_port


class Doorway:
    def __init__(self, to):
        self.port = free_port()
        command = [sys.executable, pathlib.Path(__file__), str(self.port), str(to)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def leads_to(self, port):
        """New connections; those that are open stay where they are."""
        self.tell(f"to {port}")

    def hold(self):
        """Nothing goes through any more; what comes is kept until it is cut."""
        self.tell("hold")

    def cut(self):
        """Ends all that is open, with what is on its way."""
        self.tell("cut")

    def silence(self):
        """What is open stays open and says nothing, as if the machine behind it had lost its power."""
        self.tell("silence")

    def close(self):
        self.process.kill()
        self.process.wait()


async def serve(port, to):
    writers, flows = set(), asyncio.Event()
    flows.set()

    async def pump(reader, writer, flows):
        try:
            data = True
            while data:
                data = await reader.read(65536)
                await flows.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            await flows.wait()
        finally:
            writer.close()

    async def accept(reader, writer):
        try:
            onward = await asyncio.open_connection("127.0.0.1", to)
        except OSError:
            writer.close()
            return
        pair = {writer, onward[1]}
        writers.update(pair)
        await asyncio.gather(pump(reader, onward[1], flows), pump(onward[0], writer, flows))
        writers.difference_update(pair)

    server = await asyncio.start_server(accept, "127.0.0.1", port)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        match line.split():
            case ["to", other]:
                to = int(other)
            case ["hold"]:
                flows.clear()
            case ["silence"]:
                # Those that are open wait for what never comes.
                flows.clear()
                flows = asyncio.Event()
                flows.set()
            case ["cut"]:
                for writer in list(writers):
                    writer.transport.abort()
        print("done", flush=True)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
