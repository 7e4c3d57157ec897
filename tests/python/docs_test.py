"""Every command and every snippet of docs/query.md, run as it stands, in a folder of its own against
a running deployment.

usage: docs_test.py BIN_DIR SOURCE_DIR [unittest arguments]
"""
import csv
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import installed

installed.exit_if_missing()
SOURCE = pathlib.Path(sys.argv.pop(2)).resolve()

from support.deployment import Deployment
from support.programs import BIN

BLOCK = re.compile(r"^```(.*)\n((?:.*\n)*?)^```$", re.M)
USERS = 300


class DocsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tombola-docs-"))
        (cls.folder / "python").symlink_to(SOURCE / "python")
        cls.deployment = Deployment(BIN, cls.folder / "t")
        (cls.folder / "colours.txt").write_text("red\ngreen\nblue\n", encoding="utf-8")
        task = cls.deployment.ask("task", "create", "--name", "colours", "--values",
                                  str(cls.folder / "colours.txt"), "--epsilon", "8", "--delta",
                                  "1e-6", "--users", str(USERS))["task"]
        cls.deployment.ask("report", "--task", task, "--input", "-",
                           stdin="red\nred\nblue\n" * (USERS // 3))
        cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        cls.task = task
        text = (SOURCE / "docs" / "query.md").read_text(encoding="utf-8")
        cls.blocks = [(kind, body.replace("/tmp/t/", f"{cls.folder}/t/"))
                      for kind, body in BLOCK.findall(text)]
        cls.environment = {**installed.ENVIRONMENT, "HOME": str(cls.folder), "MPLBACKEND": "Agg",
                           "PATH": f"{BIN.resolve()}:{os.environ['PATH']}",
                           "PIP_ROOT_USER_ACTION": "ignore",
                           "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        # The commands first: they also install the package that the snippets use.
        cls.shell = cls.run_block("bash", "set -euo pipefail\n" + "".join(cls.of("sh")))

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def of(cls, kind):
        return [body for found, body in cls.blocks if found == kind]

    @classmethod
    def run_block(cls, program, body, **more):
        return subprocess.run([program, "-"], input=body, cwd=cls.folder, capture_output=True,
                              text=True, timeout=300, check=False,
                              env={**cls.environment, **more})

    def run_python(self, body, program=sys.executable, site="tombola-python"):
        done = self.run_block(program, body, PYTHONPATH=str(self.folder / site))
        self.assertEqual(done.returncode, 0, f"{body}\n{done.stderr}")
        return done.stdout

    def test_every_block_is_of_a_kind_that_is_run(self):
        self.assertEqual({kind for kind, _ in self.blocks},
                         {"sh", "sh apt", "sh venv", "python", "python pandas",
                          "python matplotlib"})

    def test_the_commands(self):
        self.assertEqual(self.shell.returncode, 0, self.shell.stderr)
        self.assertIn("red", self.shell.stdout)
        self.assertIn("guarantee: epsilon", self.shell.stdout)
        # The package has the version of the tree.
        version = re.search(r"project\(tombola VERSION (\S+)",
                            (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
        self.assertEqual([path.name for path in (self.folder / "wheels").iterdir()],
                         [f"tombola_query-{version}-py3-none-any.whl"])
        with open(self.folder / "bins.svg", encoding="utf-8") as file:
            self.assertEqual(len(xml.etree.ElementTree.parse(file).findall(
                ".//{http://www.w3.org/2000/svg}rect[@class='bar s0']")), 3)

    def test_the_snippets(self):
        first, second, third = self.of("python")
        printed = self.run_python(first)
        self.assertIn(f"{self.task} colours open {USERS}", printed)
        self.assertRegex(printed, r"(?m)^red +\d+\.\d+%  \[")
        self.assertIn(f"{USERS} reports; epsilon ", printed)
        self.assertEqual(self.run_python(second), "['red', 'blue']\n")
        with open(self.folder / "bins.csv", encoding="utf-8", newline="") as file:
            self.assertEqual([line[0] for line in csv.reader(file)],
                             ["value", "red", "green", "blue"])
        self.assertTrue(self.run_python(third).startswith("NOT_FOUND "))

    def test_the_snippet_with_pandas(self):
        self.optional("pandas")
        self.assertIn("frequency", self.run_python(self.of("python pandas")[0]))

    def test_the_snippet_with_matplotlib(self):
        self.optional("matplotlib")
        self.run_python(self.of("python matplotlib")[0])
        self.assertEqual((self.folder / "bins.png").read_bytes()[:4], b"\x89PNG")

    def test_the_environment(self):
        self.optional("ensurepip")
        done = self.run_block("bash", "set -euo pipefail\n" + self.of("sh venv")[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_python("import tombola_query\nassert 'venv' in tombola_query.__file__\n",
                        self.folder / "tombola-venv" / "bin" / "python", site="")

    def test_the_packages_are_what_these_tests_run_with(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("dpkg-query is not installed")
        words = self.of("sh apt")[0].replace("\\\n", " ").split()
        packages = [word for word in words[words.index("install") + 1:] if word[0] != "-"]
        self.assertIn("python3-pip", packages)
        done = subprocess.run(["dpkg-query", "-W", "-f=${Status}\n", *packages],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "install ok installed\n" * len(packages), done.stderr)

    def optional(self, module):
        if importlib.util.find_spec(module) is None:
            self.skipTest(f"{module} is not installed")


if __name__ == "__main__":
    unittest.main(verbosity=2)
