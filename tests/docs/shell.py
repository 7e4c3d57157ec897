"""A terminal for one document: its blocks in one shell, one after the other, and what they start in
front (`tombola up`) in a terminal of its own until the document ends."""
import os
import re
import signal
import subprocess
import threading

from support.waiting import until

FRONT = re.compile(r"^tombola (up|demo --stay)\b")
READY = "running"


class Failed(Exception):
    pass


class Terminal:
    def __init__(self, folder, environment, seconds=120):
        self.folder, self.environment, self.seconds = folder, environment, seconds
        self.count, self.front = 0, []
        self.records = folder / ".blocks"
        self.records.mkdir()
        self.shell = subprocess.Popen(["bash", "--norc"], cwd=folder, env=environment, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send("set -euo pipefail")

    def run(self, body, code=0):
        """What the block printed. It must end with `code`; if that is not 0 nothing that it sets
        is kept."""
        if FRONT.match(body):
            return self._start(body)
        self.count += 1
        block, out = (self.records / f"{self.count}.{end}" for end in ("sh", "out"))
        block.write_text(body, encoding="utf-8")
        source = f". '{block}'"
        if code:
            source = f"( set -e; {source} )"
            self._send("set +e")
        self._send(f"{source} >'{out}' 2>&1 </dev/null; echo done $?")
        watch = threading.Timer(self.seconds, self.shell.kill)
        watch.start()
        line = self.shell.stdout.readline()
        watch.cancel()
        printed = out.read_text(encoding="utf-8", errors="replace") if out.exists() else ""
        if line != f"done {code}\n":
            ended = line.strip() or f"ended the shell ({self.shell.wait()})"
            raise Failed(f"{ended}, expected exit code {code}; it printed:\n{printed}")
        if code:
            self._send("set -e")
        return printed

    def close(self):
        """Ends everything; the exit codes of what ran in front."""
        for process in self.front:
            process.send_signal(signal.SIGTERM)
        codes = [process.wait(timeout=60) for process in self.front]
        self.shell.stdin.close()
        self.shell.stdout.close()
        self.shell.wait(timeout=60)
        return codes

    def _send(self, line):
        try:
            self.shell.stdin.write(line + "\n")
            self.shell.stdin.flush()
        except BrokenPipeError as error:
            raise Failed("the shell has ended") from error

    def _start(self, body):
        self.count += 1
        out = self.records / f"{self.count}.out"
        with open(out, "wb") as file:
            process = subprocess.Popen(["bash", "-c", "exec " + body], cwd=self.folder, stdout=file,
                                       stderr=file, stdin=subprocess.DEVNULL, env=self.environment)
        self.front.append(process)
        printed = lambda: out.read_text(encoding="utf-8")
        until(lambda: READY in printed() or process.poll() is not None,
              lambda: f"it never said `{READY}`; it printed:\n{printed()}", self.seconds)
        if READY not in printed():
            raise Failed(f"it ended without `{READY}`; it printed:\n{printed()}")
        return printed()


def environment(folder, binaries, **more):
    """The reader's: a home of its own, the programs in front, nothing that draws for a screen."""
    return {**os.environ, "HOME": str(folder), "PATH": f"{binaries}:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8", "TERM": "dumb", **more}
