#!/usr/bin/env python3
"""The rules by which documents are tested, each with what keeps it and what breaks it."""
import os
import pathlib
import tempfile
import unittest

import checks
import expected
import shell
from markdown import Document


def document(folder, text, name="docs/a.md"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Document(path, name)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tombola-docs-rules-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()


class OutputTest(unittest.TestCase):
    def agree(self, shown, printed, marker=None):
        self.assertIsNone(expected.difference(shown, printed, marker))

    def differ(self, shown, printed, marker=None):
        self.assertIsNotNone(expected.difference(shown, printed, marker))

    def test_lines_are_the_same_but_for_blanks(self):
        self.agree("a  b\nc\n", "a b\nc\n")
        self.differ("a\n", "b\n")
        self.differ("a\n", "a\nb\n")
        self.differ("a\nb\n", "a\n")

    def test_an_ellipsis_is_anything_in_a_line_and_alone_any_lines(self):
        self.agree("took … s\n", "took 0.3 s\n")
        self.differ("took … s\n", "took 0.3 s\nmore\n")
        self.agree("a\n…\nz\n", "a\nb\nc\nz\n")
        self.agree("a\n…\n", "a\n")
        self.differ("a\n…\nz\n", "a\nb\n")

    def test_ids_and_bars_may_differ(self):
        self.agree("task 0123456789abcdef\n", "task fedcba9876543210\n")
        self.differ("task 0123456789abcdef\n", "task fedcba98765432100\n")
        self.agree("red ████├┤\n", "red ██████████\n")

    def test_numbers_are_the_same_unless_loosened(self):
        self.differ("5 of 6\n", "5 of 7\n")
        self.agree("5 of 6, 1e-06\n", "5.2 of 6.2, 1.01e-06\n", "within 5 %")
        self.differ("5 of 6\n", "5 of 6.4\n", "within 5 %")
        self.agree("5 of 6\n", "1,234 of −7\n", "any")
        self.differ("5 of 6\n", "5 or 6\n", "any")
        with self.assertRaises(ValueError):
            expected.difference("5\n", "5\n", "roughly")


class DocumentTest(Scratch):
    def test_a_marker_belongs_to_the_fence_right_below_it(self):
        blocks = document(self.folder, "<!-- fails: 2 -->\n```sh\nfalse\n```\n\n<!-- needs: up -->\n\n"
                                       "```text\nx\n```\n").blocks
        self.assertEqual([(block.kind, block.markers) for block in blocks],
                         [("sh", {"fails": "2"}), ("text", {})])

    def test_a_command_that_nobody_runs_is_found(self):
        for text in ("```\ntombola plan --users 5\n```\n", "```text\n$ ./dev test\n```\n",
                     "x\n\n    ./dev test\n", "```sh desk\ntombola up --dir /tmp/t\n```\n"):
            self.assertEqual(len(list(checks.escapes(document(self.folder, text), self.folder))), 1,
                             text)
        for text in ("```sh\ntombola plan --users 5\n```\n",
                     "<!-- not run: slow -->\n```\n./dev test\n```\n",
                     "```text\ntombola: no such task\n```\n"):
            self.assertEqual(list(checks.escapes(document(self.folder, text), self.folder)), [])

    def test_an_unknown_marker_and_a_test_that_runs_nothing_are_found(self):
        self.assertEqual(len(list(checks.escapes(document(
            self.folder, "<!-- skip: x -->\n```sh\ntrue\n```\n"), self.folder))), 1)
        text = "<!-- run by: a_test.py -->\n"
        self.assertEqual(len(list(checks.escapes(document(self.folder, text), self.folder))), 1)
        (self.folder / "a_test.py").write_text("runs docs/a.md", encoding="utf-8")
        self.assertEqual(list(checks.escapes(document(self.folder, text), self.folder)), [])

    def test_links_lead_to_files_and_headings(self):
        other = document(self.folder, "# Why `x`, then?\n## Twice\n## Twice\n", "docs/b.md")
        for target, wrong in (("b.md", 0), ("c.md", 1), ("b.md#why-x-then", 0),
                              ("b.md#why-x", 1), ("b.md#twice-1", 0), ("#here", 1)):
            one = document(self.folder, f"[text]({target})\n")
            found = list(checks.links(one, {one.path: one, other.path: other}))
            self.assertEqual(len(found), wrong, (target, found))
        bare = document(self.folder, "![](b.md)\n")
        self.assertEqual(len(list(checks.links(bare, {}))), 1)

    def test_every_document_is_in_the_contents(self):
        document(self.folder, "# B\n", "docs/b.md")
        book = document(self.folder, "[a](a.md)\n", "docs/README.md")
        document(self.folder, "# A\n")
        self.assertEqual(list(checks.contents(book)), ["docs/README.md does not list b.md"])


class TerminalTest(Scratch):
    def setUp(self):
        super().setUp()
        self.terminal = shell.Terminal(self.folder, dict(os.environ), seconds=30)
        self.addCleanup(self.terminal.close)

    def test_blocks_share_a_shell(self):
        self.terminal.run("x=1; mkdir d; cd d\n")
        self.assertEqual(self.terminal.run("echo $x; basename $PWD; echo e >&2\n"), "1\nd\ne\n")

    def test_a_failure_in_the_middle_is_a_failure(self):
        with self.assertRaises(shell.Failed):
            self.terminal.run("false | cat\necho on\n")

    def test_an_expected_failure_has_its_code(self):
        self.assertEqual(self.terminal.run("echo no; (exit 2)\n", 2), "no\n")
        self.assertEqual(self.terminal.run("echo on\n"), "on\n")
        with self.assertRaises(shell.Failed):
            self.terminal.run("true\n", 2)


if __name__ == "__main__":
    unittest.main(verbosity=1)
