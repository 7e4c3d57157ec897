"""The programs under test, and running them. The first argument of the program that imports this is
the folder of the binaries; it is taken off.
"""
import pathlib
import subprocess
import sys

BIN = pathlib.Path(sys.argv.pop(1))
TOMBOLA = str(BIN / "tombola")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # as an exit code


def run(*command, timeout=300, **options):
    """Runs a command that must succeed; its standard output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=timeout, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} exited {done.returncode}: {done.stderr}")
    return done.stdout
