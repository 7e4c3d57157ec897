"""A daemon as a process, until it says that it takes calls."""
import json
import os
import pathlib
import select
import subprocess


def start(command, log, environment=None, seconds=60):
    """The process, and what it says when it is ready; its output goes to the end of `log`."""
    read, write = os.pipe()
    with open(log, "ab") as out:
        process = subprocess.Popen([*map(str, command), "--ready-fd", str(write)], pass_fds=[write],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   env=environment)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        ready, _, _ = select.select([pipe], [], [], seconds)
        line = pipe.readline() if ready else ""
    if not line:
        process.kill()
        said = pathlib.Path(log).read_text(encoding="utf-8", errors="replace")[-2000:]
        raise RuntimeError(f"{command[0]} did not start: exit code {process.wait()}\n{said}")
    return process, json.loads(line)


def command_of(pid):
    """How a running daemon was started, without --ready-fd."""
    text = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    command = [os.fsdecode(part) for part in text.split(b"\0")[:-1]]
    at = command.index("--ready-fd")
    return command[:at] + command[at + 2:]
