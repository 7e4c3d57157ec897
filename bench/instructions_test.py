#!/usr/bin/env python3
"""Tests of what bench/instructions makes of counts; counting is callgrind's."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True

PATH = str(pathlib.Path(__file__).resolve().parent / "instructions")
LOADER = importlib.machinery.SourceFileLoader("instructions", PATH)
instructions = importlib.util.module_from_spec(importlib.util.spec_from_loader("instructions", LOADER))
LOADER.exec_module(instructions)


class CompareTest(unittest.TestCase):
    def test_a_kernel_that_grew_by_more_than_five_percent_fails(self):
        lines, failed = instructions.compare({"a": 1000, "b": 1000}, {"a": 1051, "b": 1000})
        self.assertTrue(failed)
        self.assertEqual(lines, ["a: 1000 -> 1051 (+5.1 %)  GREW", "b: 1000 -> 1000 (+0.0 %)"])

    def test_five_percent_are_allowed(self):
        self.assertFalse(instructions.compare({"a": 1000}, {"a": 1050})[1])

    def test_a_kernel_that_shrank_is_named_and_does_not_fail(self):
        lines, failed = instructions.compare({"a": 1000}, {"a": 949})
        self.assertFalse(failed)
        self.assertIn("shrank", lines[0])

    def test_a_kernel_that_is_not_kept_fails(self):
        self.assertTrue(instructions.compare({}, {"a": 1})[1])

    def test_a_kernel_that_cannot_run_here_is_named_and_does_not_fail(self):
        lines, failed = instructions.compare({"a": 1000}, {})
        self.assertFalse(failed)
        self.assertIn("not run", lines[0])


if __name__ == "__main__":
    unittest.main()
