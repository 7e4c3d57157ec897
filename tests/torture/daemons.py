"""The two programs under test, started, killed and started again."""

import os
import signal
import subprocess

from support import daemon_process

START_SECONDS = 20
STOP_SECONDS = 30


class Daemon:
    """One of the programs, with the shims in front of its disk and its clock."""

    def __init__(self, program, arguments, disk, clock, shims, log):
        self.command = [str(program), "--data-dir", str(disk.root), *map(str, arguments)]
        self.disk, self.clock, self.log = disk, clock, log
        self.environment = {**os.environ, **disk.environment(), "TORTURE_CLOCK": clock.path,
                            "LD_PRELOAD": ":".join(map(str, shims))}
        self.process = None
        self.ports = {}
        self.starts = 0

    def running(self):
        return self.process is not None and self.process.poll() is None

    def ended_with(self):
        """Its exit code, negative for a signal; None while it runs."""
        return self.process.poll()

    def start(self):
        """True once calls are taken; False if the program ended instead."""
        assert not self.running()
        self.starts += 1
        try:
            self.process, self.ports = daemon_process.start(self.command, self.log,
                                                            self.environment, START_SECONDS)
        except RuntimeError:
            self.process = None
            return False
        return True

    def kill(self):
        """kill -9, whatever it is doing."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.process = None

    def stop(self, told=lambda: None):
        """SIGTERM, then `told`; True if it ended well."""
        if not self.running():
            self.kill()
            return False
        self.process.send_signal(signal.SIGTERM)
        told()
        try:
            return self.process.wait(STOP_SECONDS) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.kill()

    def jump(self, seconds):
        self.clock.put("q", 0, seconds)
