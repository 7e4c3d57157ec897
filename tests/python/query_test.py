"""The Python package against the running system: real daemons, real TLS, the analyst's certificate.
What it answers must be what `tombola query --json` prints, bin by bin.

usage: query_test.py BIN_DIR SOURCE_DIR [unittest arguments]
"""
import csv
import dataclasses
import io
import json
import pathlib
import re
import sys
import unittest
from unittest import mock

import installed

installed.exit_if_missing()
SOURCE = pathlib.Path(sys.argv.pop(2))
PACKAGE = installed.Package(SOURCE)

import tombola_query
from busy_server import BusyServer
from counted_tasks import LABELS, USERS, DOMAIN, CountedTasks
from support import periods
from tombola_query import Client, TombolaError
from tombola_query.rounding import rounded_up


class QueryTest(CountedTasks):
    def both(self, task, *flags, **arguments):
        """The same question in Python and on the command line."""
        return (self.client.histogram(task, **arguments),
                self.deployment.ask("query", "--task", task, *flags))

    def test_the_package_in_use_is_the_installed_one(self):
        self.assertTrue(tombola_query.__file__.startswith(PACKAGE.site), tombola_query.__file__)

    def test_answers_are_those_of_the_command_line_bin_by_bin(self):
        for task, size in ((self.labelled, len(LABELS)), (self.numbered, DOMAIN)):
            answer, printed = self.both(task)
            self.assertEqual(len(answer.rows), size)
            self.assertEqual(answer.reports, USERS)
            for row, bin_ in zip(answer.rows, printed["bins"]):
                self.assertEqual(dataclasses.asdict(row), bin_)
            self.assertEqual(answer.to_dict(), printed)
            self.assertEqual(json.loads(json.dumps(answer.to_dict())), printed)
        self.assertEqual([row.value for row in self.client.histogram(self.labelled).rows], LABELS)
        self.assertEqual([row.value for row in self.client.histogram(self.numbered).rows],
                         list(range(DOMAIN)))

    def test_every_argument_means_what_its_flag_means(self):
        for name in ("pop", "none", "norm_sub", "base_cut", "em"):
            answer, printed = self.both(self.numbered, "--postprocess", name, postprocess=name)
            self.assertEqual(answer.to_dict(), printed, name)
            self.assertEqual(answer.postprocess, name)
        answer, printed = self.both(self.numbered, "--top", "7", top=7)
        self.assertEqual(answer.to_dict(), printed)
        self.assertEqual(len(answer.rows), 7)
        self.assertEqual(len(answer.ranking.places), 7)
        self.assertEqual(answer.ranking.sure,
                         sum(place.worst <= 7 for place in answer.ranking.places))
        self.assertIsNone(self.client.histogram(self.numbered).ranking)
        answer, printed = self.both(self.numbered, "--values", "5,3", values=[5, 3])
        self.assertEqual(answer.to_dict(), printed)
        self.assertEqual([row.value for row in answer.rows], [5, 3])
        answer, printed = self.both(self.labelled, "--values", "東京,red", values=("東京", "red"))
        self.assertEqual(answer.to_dict(), printed)
        self.assertEqual(self.client.histogram(self.labelled, values="red").rows[0].value, "red")
        answer, printed = self.both(self.labelled, "--confidence", "0.5", confidence=0.5)
        self.assertEqual(answer.to_dict(), printed)
        wide = self.client.histogram(self.labelled, confidence=0.999)
        for narrow, row in zip(answer.rows, wide.rows):
            self.assertLess(row.low, narrow.low)
            self.assertLess(narrow.high, row.high)

    def test_periods_are_those_of_the_command_line(self):
        task = self.each["task"]
        status = self.client.status(task)
        for member in ("interval_seconds", "merge_periods", "periods"):
            self.assertEqual(getattr(status, member), self.each[member], member)
        self.assertGreater(status.present_period, self.period)  # the counted one is over
        first, then = (periods.begins(self.each, self.period + i) for i in (0, 1))
        for arguments, words in (
                ({"period": self.period}, ("--period", self.period)),
                ({"since": first}, ("--since", periods.moment(self.each, self.period))),
                ({"until": periods.moment(self.each, self.period + 1)},
                 ("--until", periods.moment(self.each, self.period + 1))),
                ({"since": first, "until": then},
                 ("--since", periods.moment(self.each, self.period),
                  "--until", periods.moment(self.each, self.period + 1)))):
            answer, printed = self.both(task, *words, **arguments)
            # A bound that is open ends where periods do, which goes on between the two questions.
            for said in (answer.to_dict(), printed):
                self.assertEqual(said["reports"], 50)
                self.assertEqual(said["periods"]["counted"], 1)
            if "until" in arguments or "period" in arguments:
                self.assertEqual(answer.to_dict(), printed)
        one = self.client.histogram(task, period=self.period)
        self.assertEqual((one.periods.first, one.periods.last, one.periods.missing),
                         (self.period, self.period, 0))
        self.assertRegex(str(one.guarantee), "colludes: epsilon .*, delta 0, over all that a device "
                         "may have made in that time; over the one submission a device may make "
                         "in this period; total: epsilon .* in the task's life$")

    def test_wrong_periods_are_refused_before_or_by_the_collector(self):
        for arguments, says in (
                ({"period": 0}, "period must be a whole number from 1"),
                ({"period": True}, "period must be a whole number"),
                ({"period": 1, "since": "2026-11-17T13:26:00Z"}, "either period, or since"),
                ({"since": periods.begins(self.each).replace(tzinfo=None)}, "since must be a datetime"),
                ({"until": "2026-11-17T13:26:00"}, "until must be a datetime with a time zone")):
            with self.assertRaisesRegex(ValueError, says):
                self.client.histogram(self.each["task"], **arguments)
        self.fails(lambda: self.client.histogram(self.labelled, period=1), "INVALID_ARGUMENT",
                   "the task has no periods")
        self.fails(lambda: self.client.histogram(self.each["task"], period=1 << 39),
                   "INVALID_ARGUMENT", "a period must be between 1 and")
        self.fails(lambda: self.client.histogram(self.each["task"], since="2020-01-01T00:00:00Z",
                                                 until="2020-01-02T00:00:00Z"),
                   "INVALID_ARGUMENT", "no period of the task begins")

    def test_an_answer_of_any_kind_is_of_the_tasks(self):
        answer = self.client.answer(self.labelled, top=2)
        self.assertIsInstance(answer, tombola_query.Histogram)
        self.assertEqual(answer, self.client.histogram(self.labelled, top=2))
        with mock.patch.dict("tombola_query.kinds.KINDS", clear=True):
            self.fails(lambda: self.client.answer(self.labelled), "", "of the kind histogram, of which")

    def test_sets_and_key_value_pairs_are_those_of_the_command_line(self):
        for task, ask, kind in ((self.held, self.client.set, tombola_query.Set),
                                (self.rated, self.client.key_value, tombola_query.KeyValues)):
            answer = ask(task)
            self.assertIsInstance(answer, kind)
            self.assertEqual(answer.to_dict(), self.deployment.ask("query", "--task", task))
            self.assertEqual(self.client.answer(task), answer)
            self.assertEqual(self.client.status(task).kind, answer.kind)
            self.assertEqual(len(answer.sizes), 3)
            for way in ("clip", "base_cut", "none"):
                self.assertEqual(
                    ask(task, top=2, values=None, postprocess=way, confidence=0.9).to_dict(),
                    self.deployment.ask("query", "--task", task, "--top", "2", "--postprocess", way,
                                        "--confidence", "0.9"), way)
            for way in ("pop", "norm_sub", "em"):
                self.fails(lambda: ask(task, postprocess=way), "INVALID_ARGUMENT",
                           "clip, base_cut or none")
        # Every device holds red: its mean is known. A question of another kind is refused.
        self.assertAlmostEqual(self.client.key_value(self.rated, values="red").rows[0].mean, 0.75,
                               delta=0.5)
        self.fails(lambda: self.client.histogram(self.held), "INVALID_ARGUMENT", "")

    def test_numbers_are_those_of_the_command_line(self):
        answer = self.client.number(self.timed, quantiles=[0.5, 1])
        self.assertIsInstance(answer, tombola_query.Numbers)
        self.assertEqual(answer.to_dict(), self.deployment.ask("query", "--task", self.timed, "--quantile",
                                                               "0.5,1"))
        self.assertEqual(list(answer.quantiles), [0.5, 1])
        self.assertIn(answer.quantiles[0.5].low, [row.low_edge for row in answer.rows])
        self.assertEqual(len(answer.rows), 20)
        self.assertEqual((answer.where, answer.partial), (None, 0))
        self.assertEqual(self.client.answer(self.timed), self.client.number(self.timed))
        self.assertEqual(self.client.status(self.timed).kind, "number")
        ranged = self.client.number(self.timed, where=(2, 9.75), bins=4, postprocess="none",
                                    confidence=0.9)
        self.assertEqual(ranged.to_dict(), self.deployment.ask(
            "query", "--task", self.timed, "--where", "value=2..9.75", "--bins", "4", "--postprocess", "none",
            "--confidence", "0.9"))
        self.assertEqual(ranged.where, tombola_query.Range(2, 9.75))
        self.assertEqual(len(ranged.rows), 4)
        for where, text in (((None, 4), "..4"), ((4, None), "4.."), ((None, None), "0..10")):
            self.assertEqual(self.client.number(self.timed, where=where).to_dict(),
                             self.deployment.ask("query", "--task", self.timed, "--where", f"value={text}"))
        for wrong in ({"quantiles": [1.5]}, {"where": (5, 2)}, {"where": (0, float("nan"))}, {"bins": 0},
                      {"where": (10, None)}):
            with self.assertRaises(ValueError, msg=wrong):
                self.client.number(self.timed, **wrong)
        for wrong in ({"top": 3}, {"values": [1]}):
            with self.assertRaises(ValueError, msg=wrong):
                self.client.answer(self.timed, **wrong)
        self.fails(lambda: self.client.number(self.timed, where=(0, 11)), "INVALID_ARGUMENT", "0 to 10")
        self.fails(lambda: self.client.number(self.timed, postprocess="em"), "INVALID_ARGUMENT", "em needs")
        self.fails(lambda: self.client.histogram(self.timed), "INVALID_ARGUMENT", "")
        text = self.deployment.run("query", "--task", self.timed, "--format", "csv")[1]
        ours = list(csv.reader(io.StringIO(self.client.number(self.timed).to_csv(), newline="")))
        theirs = list(csv.reader(io.StringIO(text, newline="")))
        self.assertEqual(ours[0], theirs[0])
        self.assertEqual([[float(x) for x in line[1:]] for line in ours[1:]],
                         [[float(x) for x in line[1:]] for line in theirs[1:]])

    def test_records_are_those_of_the_command_line(self):
        for arguments, flags in (
                ({}, []), ({"measure": "amount"}, ["--measure", "amount"]),
                ({"by": "age", "quantiles": [0.5]}, ["--by", "age", "--quantile", "0.5"]),
                ({"by": ["age", "city"], "measure": "amount", "independence": True},
                 ["--by", "age,city", "--measure", "amount", "--independence"]),
                ({"where": {"age": (20, None), "city": "red"}}, ["--where", "age=20..", "--where", "city=red"]),
                ({"where": {"age": (None, 20), "city": ["red", "東京"]}},
                 ["--where", "age=..20", "--where", "city=red,東京"])):
            answer = self.client.records(self.bought, **arguments)
            self.assertEqual(answer.to_dict(), self.deployment.ask("query", "--task", self.bought, *flags),
                             flags)
        self.assertEqual(self.client.status(self.bought).ranges, {"age": (0, 40)})
        self.assertEqual(self.client.records(self.bought, by="age").ranges[1],
                         (tombola_query.Range(5, 10),))
        for wrong in ({"age": (20, 10)}, {"age": (None,)}, {"age": (40, None)}, {"age": ("a", 1)}, {"age": []},
                      {"height": (None, 3)}):
            with self.assertRaises(ValueError, msg=wrong):
                self.client.records(self.bought, where=wrong)
        self.fails(lambda: self.client.records(self.bought, where={"height": (0, 3)}), "INVALID_ARGUMENT",
                   "height")

    def test_csv_has_the_numbers_of_the_command_line(self):
        answer = self.client.histogram(self.labelled)
        code, out, err = self.deployment.run("query", "--task", self.labelled, "--format", "csv")
        self.assertEqual(code, 0, err)
        ours, theirs = (list(csv.reader(io.StringIO(text, newline="")))
                        for text in (answer.to_csv(), out))
        self.assertEqual(ours[0], theirs[0])
        self.assertEqual([line[0] for line in ours[1:]], LABELS)
        for mine, other in zip(ours[1:], theirs[1:]):
            self.assertEqual(mine[0], other[0])
            self.assertEqual([float(x) for x in mine[1:]], [float(x) for x in other[1:]])
        path = pathlib.Path(self.directory) / "bins.csv"
        path.write_text("old", encoding="utf-8")
        self.assertEqual(answer.to_csv(path), answer.to_csv())
        self.assertEqual(path.read_bytes().decode(), answer.to_csv())
        with self.assertRaises(OSError):
            answer.to_csv(pathlib.Path(self.directory) / "missing" / "bins.csv")

    def test_a_task_goes_by_its_name_and_by_the_beginning_of_its_id(self):
        for name in ("numbered", self.numbered[:9], self.numbered[:9].upper(), self.numbered):
            self.assertEqual(self.client.find(name), self.numbered)
            self.assertEqual(self.client.status(name).task, self.numbered)
            self.assertEqual(self.client.histogram(name).to_dict(), self.client.histogram(self.numbered).to_dict())
        self.assertEqual(self.client.answer("rated").kind, "key_value")
        for wrong in ("number", self.numbered[:3], ""):
            with self.assertRaisesRegex(TombolaError, "no task has the name"):
                self.client.histogram(wrong)
        self.assertEqual(self.client.tasks(archived=True), ())

    def test_tasks_and_status(self):
        listed = {task.task: task for task in self.client.tasks()}
        self.assertEqual({task.name for task in listed.values()},
                         {"labelled", "numbered", "empty", "each", "held", "rated", "timed", "bought"})
        shown = self.deployment.ask("task", "show", "--task", self.labelled)
        status = self.client.status(self.labelled)
        self.assertEqual(status, listed[self.labelled])
        for member in ("task", "name", "kind", "state", "domain", "mechanism", "epsilon", "delta",
                       "users", "needed", "interval_seconds", "merge_periods", "periods",
                       "present_period", "submissions_per_device", "counted_batches",
                       "quarantined_batches", "reports", "messages", "fakes", "rejected",
                       "expired", "predicted_mse", "smallest_batch_mse"):
            self.assertEqual(getattr(status, member), shown[member], member)
        self.assertEqual((status.periods, status.present_period), (None, None))
        self.assertEqual(status.labels, tuple(LABELS))
        self.assertEqual(self.client.status(self.numbered).labels, ())

    def test_a_client_without_a_configuration(self):
        paths = json.loads(pathlib.Path(self.deployment.config).read_text(encoding="utf-8"))
        folder = pathlib.Path(self.directory)
        with Client(paths["collector_query"], roots=folder / paths["roots"],
                    certificate=str(folder / paths["analyst"]["certificate"]),
                    private_key=folder / paths["analyst"]["private_key"], timeout=60) as client:
            self.assertEqual(client.histogram(self.labelled), self.client.histogram(self.labelled))
        with self.assertRaises(TombolaError):
            client.tasks()  # it is closed

    def fails(self, call, code, says, may_retry=False):
        with self.assertRaises(TombolaError) as caught:
            call()
        error = caught.exception
        self.assertEqual(error.code, code, error)
        self.assertIn(says, error.message)
        self.assertIn(says, str(error))
        self.assertEqual(error.may_retry, may_retry, error)
        return error

    def test_what_the_server_refuses(self):
        self.fails(lambda: self.client.histogram("00" * 32), "NOT_FOUND", "task")
        self.fails(lambda: self.client.status("00" * 32), "NOT_FOUND", "task")
        self.fails(lambda: self.client.histogram(self.empty), "FAILED_PRECONDITION", "no batch")
        with Client.from_config(self.deployment.config, role="operator") as operator:
            self.fails(operator.tasks, "PERMISSION_DENIED", "role")

    def test_a_server_that_is_not_there_may_be_later(self):
        config = json.loads(pathlib.Path(self.deployment.config).read_text(encoding="utf-8"))
        config["collector_query"] = "127.0.0.1:1"
        path = pathlib.Path(self.directory) / "elsewhere.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        with Client.from_config(path) as client:
            error = self.fails(client.tasks, "UNAVAILABLE", "", may_retry=True)
        self.assertIsNone(error.retry_after)

    def test_a_busy_server_says_how_long_to_wait(self):
        folder = pathlib.Path(self.directory) / "certificates"
        with BusyServer(folder, wait=1.5) as server:
            with Client(server.address, roots=folder / "ca.pem", certificate=folder / "analyst.pem",
                        private_key=folder / "analyst.key") as client:
                error = self.fails(lambda: client.histogram(self.labelled), "RESOURCE_EXHAUSTED",
                                   "too many questions", may_retry=True)
                self.assertEqual(error.retry_after, 1.5)
                # Without a wait, or with details that do not parse, it says nothing of a retry.
                for details in (None, b"\xff\xff"):
                    server.details = details
                    error = self.fails(client.tasks, "RESOURCE_EXHAUSTED", "too many questions")
                    self.assertIsNone(error.retry_after)

    def test_a_compressed_answer_is_refused(self):
        folder = pathlib.Path(self.directory) / "certificates"
        with BusyServer(folder, wait=1) as server:
            with Client(server.address, roots=folder / "ca.pem", certificate=folder / "analyst.pem",
                        private_key=folder / "analyst.key") as client:
                with self.assertRaises(TombolaError) as caught:
                    client.status(self.labelled)
        # By gRPC before the bytes are there, or because they are no message as they stand.
        self.assertIn(caught.exception.code, ("UNIMPLEMENTED", "INTERNAL"))

    def test_arguments_that_cannot_be_right(self):
        for arguments, says in (
                ({"top": 0}, "top must be"),
                ({"postprocess": "magic"}, "postprocess must be one of pop"),
                ({"confidence": 1}, r"confidence must be in \(0, 1\)"),
                ({"confidence": float("nan")}, "confidence must be"),
                ({"values": []}, "values must name"),
                ({"values": ["purple"]}, "'purple' is not among the task's labels"),
                ({"values": [1]}, "1 is not among the task's labels"),
                ({"task": self.numbered, "values": [DOMAIN]}, f"from 0 to {DOMAIN - 1}"),
                ({"task": self.numbered, "values": [-1]}, "-1 is not among"),
                ({"task": self.numbered, "values": [True]}, "True is not among")):
            with self.assertRaisesRegex(ValueError, says):
                self.client.histogram(**{"task": self.labelled, **arguments})

    def test_configurations_that_do_not_do(self):
        good = json.loads(pathlib.Path(self.deployment.config).read_text(encoding="utf-8"))
        path = pathlib.Path(self.directory) / "bad.json"
        self.fails(lambda: Client.from_config(path), "", "cannot read")
        for content, says in (("[", "must be a JSON object"), ("[]", "collector_query"),
                              (json.dumps({**good, "roots": 7}), "text member roots"),
                              (json.dumps({**good, "analyst": {}}), "analyst/certificate"),
                              (json.dumps({**good, "roots": "none.pem"}), "cannot read the roots")):
            path.write_text(content, encoding="utf-8")
            self.fails(lambda: Client.from_config(path), "", says)

    def test_an_answer_cannot_be_changed(self):
        answer = self.client.histogram(self.labelled)
        for target, name in ((answer, "reports"), (answer.rows[0], "raw"),
                             (answer.guarantee, "epsilon"), (answer.quality, "duplicates")):
            with self.assertRaises(dataclasses.FrozenInstanceError):
                setattr(target, name, 0)
        self.assertIsInstance(answer.rows, tuple)

    def test_what_is_not_installed_is_named(self):
        answer = self.client.histogram(self.labelled)
        for module, method, package in (("pandas", answer.to_pandas, "python3-pandas"),
                                        ("matplotlib", answer.plot, "python3-matplotlib")):
            with mock.patch.dict(sys.modules, {module: None}):
                with self.assertRaisesRegex(ImportError, f"not installed: .*{package}"):
                    method()

    def test_the_guarantee_in_a_sentence(self):
        guarantee = self.client.histogram(self.labelled).guarantee
        said = re.fullmatch(r"epsilon (\S+), delta 1e-06 .* colludes: epsilon (\S+), delta 0; "
                            "over the one submission a device may make; total: epsilon .*, delta 1e-06 "
                            "over the one submission a device may make in the task's life", str(guarantee))
        for text, number in zip(said.groups(), (guarantee.epsilon, guarantee.local_epsilon)):
            self.assertGreaterEqual(float(text), number)
            self.assertLess(float(text), number * 1.0011)
        none = dataclasses.replace(guarantee, local_epsilon=None)
        self.assertIn("colludes: nothing is guaranteed;", str(none))

    def test_decimals_are_never_below_the_number(self):
        """By the same table as those of the command line and of the dashboard."""
        cases = 0
        for line in (SOURCE / "tests/data/rounded.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            value, digits, up, _ = line.split()
            said = rounded_up(float(value), int(digits))
            if "e+308" not in up:  # Python says inf where the decimal is beyond its numbers
                self.assertEqual(said, up, line)
            if value != "nan":
                self.assertGreaterEqual(float(said), float(value), line)
            cases += 1
        self.assertGreater(cases, 300)


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2)
    finally:
        PACKAGE.cleanup()
