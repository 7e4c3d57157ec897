#!/usr/bin/env python3
"""Every mechanism through the three programs: one suite, the same questions.

usage: mechanisms_test.py BIN_DIR [unittest arguments]
"""
import json
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

from support.deployment import Deployment
from support.programs import BIN, TOMBOLA

DEVICES, DOMAIN = 6000, 12
EPSILON, DELTA = 1.0, 1e-6
SINGLE = ("local_hash", "grr", "murs", "rappor")
SPREAD = ("aue", "pure_dump", "mix_dump", "correlated")


def account(*arguments):
    """What `tombola account` says; it must succeed."""
    done = subprocess.run([TOMBOLA, "account", *map(str, arguments), "--json"], capture_output=True,
                          text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


def parameters_for_account(mechanism, shown):
    """The flags of `account` for the parameters that a task shows."""
    words = ["--mechanism", mechanism, "--domain", DOMAIN]
    flags = {"range": "--range", "local_epsilon": "--local-epsilon", "dummies": "--dummies",
             "fakes": "--fakes", "noise_epsilon": "--noise-epsilon", "shape": "--shape",
             "flood": "--flood", "hashes": "--hashes", "prr": "--prr", "irr_p": "--irr-p",
             "irr_q": "--irr-q"}
    for name, flag in flags.items():
        if shown.get(name) is not None:
            words += [flag, shown[name]]
    return words


class Mechanisms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="tombola-mechanisms-")
        cls.deployment = Deployment(BIN, cls.directory)
        rng = random.Random(20261117)
        cls.drawn = rng.choices(range(DOMAIN), weights=[1 / (i + 1) for i in range(DOMAIN)],
                                k=DEVICES)
        cls.reports = pathlib.Path(cls.directory) / "reports.txt"
        cls.reports.write_text("".join(f"{v}\n" for v in cls.drawn), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.directory, ignore_errors=True)

    def collect(self, mechanism, *arguments):
        """A task of this mechanism with one batch of all devices: the task, its status, answer."""
        created = self.deployment.ask(
            "task", "create", "--name", mechanism, "--domain", str(DOMAIN), "--epsilon",
            str(EPSILON), "--delta", str(DELTA), "--users", str(DEVICES), "--mechanism", mechanism,
            *arguments)
        task = created["task"]
        outcome = self.deployment.ask("report", "--task", task, "--input", str(self.reports))
        self.assertEqual(outcome, {"accepted": DEVICES, "duplicates": 0, "rejected": 0})
        status = self.deployment.wait_for(task, lambda s: s["forwarded"] == DEVICES)
        # Failure of one bin at most 1e-8, of any of 12 in 8 mechanisms at most 1e-6.
        answer = self.deployment.ask("query", "--task", task, "--confidence", str(1 - 1e-8))
        return created, status, answer

    def check_bookkeeping(self, mechanism, created, status, answer):
        self.assertEqual(status["accepted"], DEVICES)
        self.assertEqual((status["counted_batches"], status["quarantined_batches"],
                          status["rejected"], status["expired"], status["waiting"]),
                         (1, 0, 0, 0, 0))
        self.assertEqual(answer["reports"], DEVICES)
        self.assertEqual(answer["rejected"], 0)
        self.assertEqual(answer["quality"]["warnings"], [])  # but for a probability of 1e-6
        self.assertEqual(answer["guarantee"]["users"], DEVICES)
        fakes = created["parameters"]["fakes"] or 0
        self.assertEqual(answer["fakes"], fakes)
        released = [line for line in self.log("shuffler")
                    if line.get("event") == "batch_released" and line["task"] == created["task"]]
        self.assertEqual(len(released), 1)
        self.assertEqual(released[0]["submissions"], DEVICES)
        self.assertEqual(released[0]["fakes"], fakes)
        self.assertEqual(released[0]["messages"], answer["messages"])
        if mechanism in SINGLE:
            self.assertEqual(answer["messages"], DEVICES + fakes)
        else:
            # The number of messages is a sum of independent ones, each at most the cap; with the
            # variance below cap times mean, 7 standard deviations fail with less than 1e-9.
            mean = DEVICES * created["messages_per_user"]
            spread = 7 * (mean * created["max_messages_per_user"]) ** 0.5
            self.assertLess(abs(answer["messages"] - mean), spread)
            self.assertGreater(answer["messages"], DEVICES)

    def log(self, party):
        path = pathlib.Path(self.directory) / f"{party}.log"
        lines = path.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def check_truth(self, answer):
        for bin_ in answer["bins"]:
            truth = self.drawn.count(bin_["value"]) / DEVICES
            self.assertLessEqual(bin_["low"], truth, bin_)
            self.assertGreaterEqual(bin_["high"], truth, bin_)
            self.assertGreater(bin_["stderr"], 0)
        widths = [b["high"] - b["low"] for b in answer["bins"]]
        self.assertLess(min(widths), 0.3, "the intervals say something")
        self.assertAlmostEqual(sum(b["frequency"] for b in answer["bins"]), 1, places=9)

    def check_guarantee(self, mechanism, created, answer):
        guarantee = answer["guarantee"]
        self.assertLessEqual(guarantee["epsilon"], EPSILON)
        self.assertEqual(guarantee["delta"], DELTA)
        words = parameters_for_account(mechanism, created["parameters"])
        users = DEVICES
        if mechanism in SPREAD:
            users = created["parameters"]["honest"]
            self.assertEqual(users, created["min_batch"])
            self.assertEqual(guarantee["accounted_users"], users)
        told = account(*words, "--users", users, "--delta", DELTA)
        # What caps and tables cost is in the guarantee and not in `account`.
        self.assertLessEqual(told["epsilon"], guarantee["epsilon"] * (1 + 2e-6))
        self.assertGreaterEqual(told["epsilon"], guarantee["epsilon"] * (1 - 1e-5))
        self.assertEqual(told["local_epsilon"], guarantee["local_epsilon"])
        if mechanism in ("aue", "pure_dump", "correlated"):
            self.assertIsNone(guarantee["local_epsilon"])
        else:
            self.assertGreater(guarantee["local_epsilon"], guarantee["epsilon"])

    def check(self, mechanism, *arguments):
        created, status, answer = self.collect(mechanism, *arguments)
        self.assertEqual(created["mechanism"], mechanism)
        self.check_bookkeeping(mechanism, created, status, answer)
        self.check_truth(answer)
        self.check_guarantee(mechanism, created, answer)
        return created, answer

    def test_local_hash(self):
        self.check("local_hash")

    def test_grr(self):
        self.check("grr")

    def test_aue(self):
        self.check("aue")

    def test_pure_dump(self):
        self.check("pure_dump")

    def test_mix_dump(self):
        self.check("mix_dump")

    def test_correlated(self):
        self.check("correlated")

    def test_rappor_with_bits_that_values_share(self):
        created, _ = self.check("rappor", "--bits", "32", "--hashes", "2", "--prr", "0.5", "--irr-p",
                                "0.25", "--irr-q", "0.75")
        self.assertEqual((created["parameters"]["bits"], created["parameters"]["hashes"]), (32, 2))

    def test_murs_with_fakes_of_the_shuffler(self):
        created, answer = self.check("murs", "--fakes", "500")
        self.assertEqual(created["parameters"]["fakes"], 500)
        self.assertEqual(answer["fakes"], 500)

    def test_every_postprocessing_answers(self):
        created, _, _ = self.collect("grr")
        task = created["task"]
        answers = {how: self.deployment.ask("query", "--task", task, "--postprocess", how)["bins"]
                   for how in ("none", "pop", "norm_sub", "base_cut", "em")}
        raw = [b["raw"] for b in answers["none"]]
        for how, bins in answers.items():
            self.assertEqual([b["raw"] for b in bins], raw)
            frequencies = [b["frequency"] for b in bins]
            if how in ("pop", "norm_sub", "em"):
                self.assertAlmostEqual(sum(frequencies), 1, places=6, msg=how)
            if how != "none":
                self.assertGreaterEqual(min(frequencies), 0, how)
            self.assertEqual(frequencies.index(max(frequencies)), 0, how)


if __name__ == "__main__":
    unittest.main(verbosity=2)
