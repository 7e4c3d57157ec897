#!/usr/bin/env python3
"""libtombola-dev on a minimal Debian 12: with a compiler and CMake it is all that the application of
docs/embed.md needs. Skipped (exit code 77) where there is no clean root.

usage: sdk_package_test.py BIN_DIR PACKAGES CLEAN_ROOT [unittest arguments]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from hosts import CLEAN
from support.programs import SKIPPED, SOURCE

sys.path.insert(0, str(SOURCE / "tests/docs"))
from markdown import Document  # noqa: E402

PACKAGES, CLEAN_ROOT = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
INSIDE = """
export DEBIAN_FRONTEND=noninteractive
cd "$1"
apt-get install -y --no-install-recommends ./libtombola-dev_*.deb g++ cmake ninja-build >&2
cmake -G Ninja -S app -B app/build -DCMAKE_BUILD_TYPE=Release >&2
cmake --build app/build >&2
app/build/survey || echo "exit code $?"
"""


class Sdk(unittest.TestCase):
    def test_the_application_of_the_book_is_built_with_the_package_alone(self):
        with tempfile.TemporaryDirectory() as scratch:
            work = pathlib.Path(scratch)
            for block in Document(SOURCE / "docs/embed.md", "embed.md").blocks:
                if "file" in block.markers:
                    path = work / block.markers["file"]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(block.body, encoding="utf-8")
            [package] = PACKAGES.glob("libtombola-dev_*.deb")
            shutil.copy(package, work)
            with tempfile.TemporaryDirectory() as files:
                done = subprocess.run(
                    ["unshare", "--mount", "sh", "-euc", CLEAN + 'exec chroot "$root" sh -euc '
                     '"$INSIDE" sh "$1"', "sh", f"{files}/host", str(CLEAN_ROOT), scratch],
                    env={**os.environ, "INSIDE": INSIDE}, capture_output=True, text=True,
                    timeout=500, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "exit code 2\n")
            self.assertIn("usage: survey", done.stderr)


if __name__ == "__main__":
    if not CLEAN_ROOT.is_dir():
        print("skipped: there is no clean root, for want of a mirror", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
