"""A daemon as a process, until it says that it takes calls."""
import json
import os
import pathlib
import select
import subprocess


def start(command, log):
    """The process, and what it says when it is ready; its output goes to the end of `log`."""
    read, write = os.pipe()
    with open(log, "ab") as out:
        process = subprocess.Popen([*command, "--ready-fd", str(write)], pass_fds=[write],
                                   stdout=out, stderr=out)
    os.close(write)
    with os.fdopen(read) as pipe:
        ready, _, _ = select.select([pipe], [], [], 60)
        line = pipe.readline() if ready else ""
    if not line:
        process.kill()
        process.wait()
        raise RuntimeError(log.read_text(encoding="utf-8")[-2000:])
    return process, json.loads(line)


def command_of(pid):
    """How a running daemon was started, without --ready-fd."""
    text = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    command = [os.fsdecode(part) for part in text.split(b"\0")[:-1]]
    at = command.index("--ready-fd")
    return command[:at] + command[at + 2:]
