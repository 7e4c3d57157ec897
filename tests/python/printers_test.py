#!/usr/bin/env python3
"""Whatever face prints an answer of whatever kind, no epsilon, delta or local epsilon in it is better
than what holds.

usage: printers_test.py BIN_DIR SOURCE_DIR [unittest arguments]
"""
import json
import pathlib
import re
import sys
import unittest

import installed

installed.exit_if_missing()
PACKAGE = installed.Package(pathlib.Path(sys.argv.pop(2)))

from counted_tasks import CountedTasks  # noqa: E402

NUMBER = r"(\d[\d.]*(?:e[-+]?\d+)?)"


class PrintersTest(CountedTasks):
    def whole(self, number):
        """What every epsilon and delta that is said of this task may stand for."""
        return sorted(float(found) for name, found in number.items()
                      if re.search("epsilon|delta", name) and found is not None)

    def assert_rounded_up(self, text, wholes, least=1):
        """Each number after the word is an upper bound of one that holds, within four digits."""
        # The noise epsilon of a mechanism is no guarantee.
        said = re.findall(rf"(?<!noise )\b(?:epsilon|delta):? +{NUMBER}", text)
        self.assertGreaterEqual(len(said), least, text)
        for word in map(float, said):
            self.assertTrue(any(whole <= word <= 1.0011 * whole for whole in wholes if whole > 0)
                            or word == 0, (word, wholes, text))

    def test_every_kind_in_every_face(self):
        for task in (self.labelled, self.numbered, self.each["task"], self.held, self.rated, self.timed,
                     self.bought):
            told = self.deployment.ask("task", "show", "--task", task)
            answer = self.deployment.ask("query", "--task", task)
            wholes = self.whole(answer["guarantee"])
            usual = [4, 1e-3]  # of a device's policy, which warnings name
            with self.subTest(kind=answer["kind"]):
                for form in ("table", "csv", "svg"):
                    by = ("--by", "age") if task == self.bought and form == "svg" else ()
                    code, out, err = self.deployment.run("query", "--task", task, "--format", form, *by)
                    self.assertEqual(code, 0, err)
                    self.assert_rounded_up(out + err, wholes + usual, 4)
                code, out, err = self.deployment.run("task", "show", "--task", task)
                self.assertEqual(code, 0, err)
                self.assert_rounded_up(out, self.whole(told) + usual, 3)
                self.assertIn(" in the task's life", out)
                self.assert_rounded_up(str(self.client.answer(task).guarantee), wholes, 4)
                status, _, text = self.deployment.http(task)
                self.assertEqual(status, 200)
                # JSON has the very same doubles, which are upper bounds themselves.
                self.assertEqual(json.loads(text)["guarantee"], answer["guarantee"])
                self.assertGreaterEqual(answer["guarantee"]["total_epsilon"],
                                        answer["guarantee"]["epsilon"])

    def test_tasks_and_plans_of_the_kinds_without_an_answer_here(self):
        target = ("--epsilon", "1.23456789", "--delta", "1.23456789e-6")
        for kind, *words in (("stream", "--interval", "24h", "--periods", "5", "--domain", "6",
                              "--device-periods", "3", "--users", "2000"),
                             ("strings", "--alphabet", "abcdef", "--length", "4", "--step", "2",
                              "--users", "20000")):
            with self.subTest(kind=kind):
                create = ("task", "create", "--name", kind, "--kind", kind, *words, *target, "--dry-run")
                told = self.deployment.ask(*create)
                self.assertEqual(told["kind"], kind)
                code, out, err = self.deployment.run(*create)
                self.assertEqual(code, 0, err)
                self.assert_rounded_up(out, self.whole(told) + [4, 1e-3], 2)
                self.assertIn(" in the task's life", out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
