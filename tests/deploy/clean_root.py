#!/usr/bin/env python3
"""Makes a minimal Debian 12 that has nothing of this machine's, for packages to be installed into.

Skipped (exit code 77) where no mirror of Debian's can be reached, or mmdebstrap is not installed.

usage: clean_root.py DIRECTORY
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# systemd is on every host that has units; Python is for the stand-ins of the tests alone.
PACKAGES = "systemd,python3-minimal"


def sources():
    """Where this machine's apt gets Debian from, as lines of a sources.list."""
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages", "Origin: Debian", "Target-Of: deb"],
        capture_output=True, text=True, timeout=60, check=False)
    return sorted(line for line in set(done.stdout.splitlines()) if " bookworm" in line)


def missing(lines):
    """Why there can be no clean root here, or nothing."""
    if os.geteuid() != 0:
        return "needs root"
    if not shutil.which("mmdebstrap"):
        return "mmdebstrap is not installed"
    if not lines:
        return "apt has no list of Debian 12's packages"
    with tempfile.TemporaryDirectory() as scratch:
        _, mirror, release, _ = lines[0].split()
        asked = subprocess.run(
            ["/usr/lib/apt/apt-helper", "-o", "Acquire::Retries=2", "download-file",
             f"{mirror.rstrip('/')}/dists/{release}/InRelease", f"{scratch}/InRelease"],
            capture_output=True, timeout=120, check=False)
    return "no mirror of Debian's can be reached" if asked.returncode else None


def main():
    directory = pathlib.Path(sys.argv[1])
    shutil.rmtree(directory, ignore_errors=True)
    lines = sources()
    reason = missing(lines)
    if reason:
        print(f"skipped: {reason}", file=sys.stderr)
        sys.exit(SKIPPED)
    directory.parent.mkdir(parents=True, exist_ok=True)
    unfinished = directory.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    # The lists of packages stay in it: hosts install from them without another look.
    subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase",
                    "--skip=cleanup/apt/lists", f"--include={PACKAGES}", "bookworm",
                    str(unfinished)],
                   input="\n".join(lines) + "\n", text=True, timeout=540, check=True)
    unfinished.rename(directory)


if __name__ == "__main__":
    main()
