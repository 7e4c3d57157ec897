#!/usr/bin/env python3
"""Runs every command of README.md and docs/*.md, and checks their links. The rules are in
CONTRIBUTING.md, "Documents".

usage: docs_test.py BIN_DIR SOURCE_DIR BUILD_DIR [DOCUMENT...]

With documents, named from the tree's root, only the commands of those are run.
"""
import collections
import pathlib
import re
import shutil
import sys
import tempfile

import checks
import expected
import help_texts
import shell
from markdown import Document
from support import programs
from support.deployment import Deployment

BIN = programs.BIN.resolve()
SOURCE, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])

PLACE = re.compile(r"/tmp/t(?![\w-])")
DEVICES = 300


class Run:
    """The commands of some documents, and what became of them."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tombola-docs-"))
        self.deployment, self.task = None, None
        self.problems, self.left = [], collections.Counter()
        self.ran = self.compared = 0

    def close(self):
        if self.deployment:
            self.deployment.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def shared(self):
        """A deployment with one counted task, for all documents that need one."""
        if not self.deployment:
            self.deployment = Deployment(BIN, self.folder / "t")
            values = self.folder / "colours.txt"
            values.write_text("red\ngreen\nblue\n", encoding="utf-8")
            self.task = self.deployment.ask(
                "task", "create", "--name", "colours", "--values", str(values), "--epsilon", "8",
                "--delta", "1e-6", "--users", str(DEVICES))["task"]
            self.deployment.ask("report", "--task", self.task, "--input", "-",
                                stdin="red\nred\nblue\n" * (DEVICES // 3))
            self.deployment.wait_for(self.task, lambda status: status["counted_batches"] == 1)
        return self.folder / "t"

    def document(self, document, alone):
        """Its blocks in order, in a folder that looks like the tree's root."""
        elsewhere = None if alone else document.markers.get("run by")
        folder = self.folder / document.name.replace("/", "-")
        folder.mkdir()
        for entry in SOURCE.iterdir():
            if not entry.name.startswith((".", "build")):
                (folder / entry.name).symlink_to(entry)
        (folder / "build").symlink_to(BUILD)
        place = folder / "t"
        given = {}
        if document.markers.get("needs") == "up" and not elsewhere:
            place = self.shared()
            given = {"C": str(place / "tombola.json"), "ID": self.task}
        terminal = shell.Terminal(folder, shell.environment(folder, BIN, **given))
        printed = None
        try:
            for block in document.blocks:
                where = f"{document.name}:{block.line}"
                if "not run" in block.markers:
                    self.left[block.markers["not run"]] += 1
                    printed = None
                elif "file" in block.markers:
                    path = folder / block.markers["file"]
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(PLACE.sub(str(place), block.body), encoding="utf-8")
                elif block.kind.split(" ")[0] == "sh" and elsewhere:
                    self.left[f"run by {elsewhere}"] += 1
                    printed = None
                elif block.kind == "sh":
                    printed = terminal.run(PLACE.sub(str(place), block.body),
                                           int(block.markers.get("fails", "0")))
                    self.ran += 1
                elif block.kind == "text" and printed is not None:
                    wrong = expected.difference(block.body, printed.replace(str(place), "/tmp/t"),
                                                block.markers.get("numbers"))
                    self.compared += 1
                    if wrong:
                        self.problems.append(f"{where}: not what is printed:\n{wrong}")
                    printed = None
                else:
                    printed = None
        except shell.Failed as failed:
            self.problems.append(f"{where}: {failed}")
        finally:
            if any(codes := terminal.close()):
                self.problems.append(f"{document.name}: `tombola up` ended with {codes}, not 0")


def main():
    paths = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", SOURCE / "CHANGELOG.md",
             *sorted((SOURCE / "docs").rglob("*.md"))]
    documents = {path.resolve(): Document(path, path.relative_to(SOURCE).as_posix())
                 for path in paths}
    chosen = set(sys.argv[3:])
    helps = help_texts.Helps(BIN, [SOURCE / tool for tool in (
        "dev", "bench/run", "tests/torture/torture.py")])
    run, problems = Run(), []
    try:
        for document in documents.values():
            if chosen and document.name not in chosen:
                continue
            if not chosen:
                problems += checks.escapes(document, SOURCE)
                problems += checks.spans(document, helps)
                problems += checks.links(document, documents)
            if chosen or document.markers.get("run by") != "tests/install/install_test.sh":
                run.document(document, bool(chosen))
    finally:
        run.close()
    if not chosen:
        problems += checks.contents(documents[SOURCE / "docs" / "README.md"])
    problems += run.problems
    for problem in problems:
        print(problem + "\n")
    print(f"{run.ran} blocks run, the output of {run.compared} compared; not run:")
    for reason, count in sorted(run.left.items()):
        print(f"  {count:3}  {reason}")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
