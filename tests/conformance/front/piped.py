"""A front before processes on stdin and stdout, one for each connection: what a bridge to a stdio server does."""

import asyncio

from conformance.front.house import House

LINE_BYTES = 64 * 1024 * 1024


class Pipe:
    """What a front tells its process."""

    def __init__(self, process):
        self.process = process

    def message_received(self, message):
        self.process.stdin.write(message + b"\n")

    def connection_lost(self, error):
        self.process.stdin.close()


class Piped(House):
    """All connections of one command."""

    def __init__(self, kind, argv):
        super().__init__(kind)
        self.argv, self.message_bytes = argv, LINE_BYTES

    def come(self, front):
        self.fronts.add(front)
        task = asyncio.get_running_loop().create_task(self.pipe(front))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def pipe(self, front):
        """Pass on what is said, until either side ends."""
        pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "limit": LINE_BYTES}
        process = await asyncio.create_subprocess_exec(*self.argv, **pipes)
        try:
            await front.start(Pipe(process))
            async for line in process.stdout:
                front.say(line.rstrip(b"\n"))
            if not front.has_ended:
                front.fail(1011)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
