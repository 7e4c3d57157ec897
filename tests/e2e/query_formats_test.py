#!/usr/bin/env python3
"""`tombola query` as a table, CSV, JSON and SVG, on standard output and into files.

usage: query_formats_test.py BIN_DIR [unittest arguments]
"""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from support.deployment import Deployment
from support.programs import BIN, TOMBOLA

SVG = "{http://www.w3.org/2000/svg}"
USERS = 400
LABELS = ["red", "green, light", 'the "blue" one', "東京", "<script>&amp;</script>"] + [
    f"value {i}" for i in range(115)]
COLUMNS = ["value", "frequency", "raw", "stderr", "low", "high"]


class QueryFormats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tombola-formats-"))
        cls.deployment = Deployment(BIN, cls.folder / "up")
        labels = cls.folder / "labels.txt"
        labels.write_text("".join(label + "\n" for label in LABELS), encoding="utf-8")
        cls.truth = cls.folder / "truth.txt"
        cls.truth.write_text("".join(LABELS[i * i % 11] + "\n" for i in range(USERS)),
                             encoding="utf-8")
        flags = ["--epsilon", "8", "--delta", "1e-6", "--users", str(USERS), "--mechanism",
                 "local_hash"]
        cls.task = cls.deployment.ask("task", "create", "--name", "many & <more>", "--values",
                                      str(labels), *flags)["task"]
        cls.large = cls.deployment.ask("task", "create", "--name", "large", "--domain", "3000",
                                       *flags)["task"]
        cls.empty = cls.deployment.ask("task", "create", "--name", "empty", "--domain", "4",
                                       *flags)["task"]
        cls.deployment.ask("report", "--task", cls.task, "--input", str(cls.truth))
        cls.deployment.ask("report", "--task", cls.large, "--input", "-", stdin="7\n" * USERS)
        for task in (cls.task, cls.large):
            cls.deployment.wait_for(task, lambda status: status["counted_batches"] == 1)
        cls.bins = cls.deployment.ask("query", "--task", cls.task)["bins"]

    @classmethod
    def tearDownClass(cls):
        cls.deployment.stop()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def query(self, *flags, task=None):
        """Standard output and standard error, as they are."""
        done = subprocess.run([TOMBOLA, "query", "--config", self.deployment.config, "--task",
                               task or self.task, *flags], capture_output=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def rows(self, *flags):
        """Of the table: the lines between the heading and the band for all bins."""
        out, _ = self.query(*flags)
        table = out.split("\n\n")[0].splitlines()
        self.assertTrue(table[0].startswith("value"), table[0])
        self.assertTrue(table[-1].startswith("all bins at once: with 95 % confidence"), table[-1])
        return table[1:-1]

    def largest_first(self):
        order = {label: index for index, label in enumerate(LABELS)}
        return sorted(self.bins, key=lambda b: (-b["frequency"], order[b["value"]]))

    def test_a_table_of_many_bins_shows_the_largest_and_how_to_get_all(self):
        rows = self.rows()
        self.assertEqual(len(rows), 51)
        self.assertEqual(rows[-1],
                         "the 50 largest of 120 bins: --top K shows K of them, --top 0 all")
        self.assertTrue(rows[0].startswith(self.largest_first()[0]["value"]), rows[0])
        whole = self.rows("--top", "0")
        self.assertEqual(len(whole), 120)
        self.assertTrue(whole[0].startswith("red "), whole[0])
        self.assertEqual(len(self.rows("--values", "red,東京")), 2)

    def test_a_table_of_the_largest_says_what_is_sure_of_them(self):
        table = self.query("--top", "7")[0].split("\n\n")[0].splitlines()
        self.assertEqual(len(table), 1 + 7 + 3)
        self.assertIn(" place ", table[0])
        ranking = json.loads(self.query("--top", "7", "--json")[0])["ranking"]
        for line, place in zip(table[1:8], ranking["places"]):
            best, worst = place["best"], place["worst"]
            self.assertIn(f" {best} " if best == worst else f" {best}-{worst} ", line)
            self.assertEqual("*" in line, worst <= 7, line)
            self.assertEqual("+" in line, place["low"] > 0, line)
        self.assertEqual(table[8], "* surely among the 7 largest  + surely above 0")
        self.assertEqual(table[10].split(";")[0],
                         f"the 7 largest: with 95 % confidence, all at once, {ranking['sure']} of "
                         "these 7 surely are among them")
        self.assertIn(f"in all {ranking['possible']} may be", table[10])

    def test_wide_names_keep_their_columns(self):
        rows = self.rows("--values", "red,東京")
        # Two wide characters fill four cells, so the line has two characters less.
        self.assertEqual(rows[1].index("%"), rows[0].index("%") - 2)

    def test_csv_has_every_bin_and_the_very_numbers_of_json(self):
        out, err = self.query("--format", "csv")
        self.assertEqual(out.count("\r\n"), 121)
        self.assertEqual(out.count("\n"), 121)
        lines = list(csv.reader(io.StringIO(out, newline=""), strict=True))
        self.assertEqual(lines[0], COLUMNS)
        self.assertEqual([[line[0], *map(float, line[1:])] for line in lines[1:]],
                         [[b[c] for c in COLUMNS] for b in self.bins])
        self.assertIn("guarantee: epsilon", err)
        out, _ = self.query("--format", "csv", "--truth", str(self.truth))
        self.assertTrue(out.startswith(",".join([*COLUMNS, "truth"]) + "\r\n"))

    def test_json_has_two_names(self):
        self.assertEqual(self.query("--json"), self.query("--format", "json"))

    def test_sort_orders_what_is_shown(self):
        def values(*flags):
            return [b["value"] for b in self.deployment.ask("query", "--task", self.task,
                                                            *flags)["bins"]]
        largest = [b["value"] for b in self.largest_first()]
        self.assertEqual(values(), LABELS)
        self.assertEqual(values("--sort", "value"), LABELS)
        self.assertEqual(values("--sort", "frequency"), largest)
        self.assertEqual(values("--top", "9"), largest[:9])
        self.assertEqual(values("--top", "9", "--sort", "value"),
                         [label for label in LABELS if label in largest[:9]])
        answer = self.deployment.ask("query", "--task", self.task, "--sort", "frequency")
        self.assertEqual(answer["bins"], self.largest_first())

    def chart(self, *flags, **more):
        out, err = self.query("--format", "svg", *flags, **more)
        self.assertEqual(err, "")
        return xml.etree.ElementTree.fromstring(out), out

    def test_svg_is_a_document_with_a_bar_for_each_bin(self):
        root, text = self.chart()
        self.assertEqual(root.tag, SVG + "svg")
        self.assertEqual(root.findtext(SVG + "title"), "many & <more>")
        self.assertIn("50 of 120 bins are shown; 70 are left out", root.findtext(SVG + "desc"))
        self.assertIn("Guarantee over the one submission a device may make: epsilon ", root.findtext(SVG + "desc"))
        self.assertEqual(len(root.findall(f".//{SVG}rect[@class='bar s0']")), 50)
        self.assertEqual(len(root.findall(f".//{SVG}path[@class='whisker']")), 50)
        self.assertIn("prefers-color-scheme:dark", text)
        self.assertIsNone(root.find(f".//{SVG}script"))
        root, text = self.chart("--top", "0", "--truth", str(self.truth))
        self.assertEqual(len(root.findall(f".//{SVG}rect[@class='bar s0']")), 120)
        self.assertEqual(len(root.findall(f".//{SVG}path[@class='mark s1']")), 120)
        self.assertNotIn("left out", text)
        titles = [title.text for title in root.iterfind(f".//{SVG}g/{SVG}title")]
        for title, bin_ in zip(titles, self.bins):
            self.assertTrue(title.startswith(f"{bin_['value']}: "), title)

    def test_out_replaces_a_file_as_a_whole_or_not_at_all(self):
        path = self.folder / "answer"
        for form in ("table", "csv", "json", "svg"):
            path.write_text("old", encoding="utf-8")
            out, _ = self.query("--format", form, "--out", str(path))
            self.assertEqual(out, "")
            written = path.read_bytes().decode()
            self.assertEqual(written, self.query("--format", form)[0])
        before = path.read_bytes()
        code, _, err = self.deployment.run("query", "--task", self.empty, "--out", str(path))
        self.assertEqual(code, 1, err)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual([p.name for p in self.folder.glob("answer*")], ["answer"])

    def test_a_large_domain_is_not_drawn_whole(self):
        root, _ = self.chart(task=self.large)
        self.assertEqual(len(root.findall(f".//{SVG}rect[@class='bar s0']")), 50)
        out, _ = self.query(task=self.large)
        self.assertIn("the 50 largest of 3000 bins", out)
        self.assertTrue(out.splitlines()[1].startswith("7 "), out)

    def test_bad_usage_and_bad_input_exit_with_two_and_one_line(self):
        for flags, says in ((["--format", "xml"], "--format"), (["--sort", "size"], "--sort"),
                            (["--json", "--format", "csv"], "--format"),
                            (["--top", "-1"], "--top"), (["--top", "few"], "--top"),
                            (["--out", str(self.folder)], "is a directory"),
                            (["--out", str(self.folder / "no" / "file")], "does not exist"),
                            (["--out", os.devnull], "no regular file"),
                            (["--format", "svg", "--top", "0", "--task", self.large],
                             "at most 1000 bins")):
            task = [] if "--task" in flags else ["--task", self.task]
            code, out, err = self.deployment.run("query", *task, *flags)
            self.assertEqual(code, 2, f"{flags}: {err}")
            self.assertEqual(out, "", flags)
            self.assertEqual(err.count("\n"), 1, f"{flags}: {err}")
            self.assertIn(says, err, flags)


if __name__ == "__main__":
    unittest.main(verbosity=2)
