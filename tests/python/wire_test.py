"""Answers about sets and key-value pairs from the messages that carry them, without a collector.

usage: wire_test.py SOURCE_DIR
"""
import csv
import io
import json
import math
import pathlib
import sys
import unittest

import installed

installed.exit_if_missing()
PACKAGE = installed.Package(pathlib.Path(sys.argv.pop(1)))

import tombola_query
from tombola_query import stream, strings
from tombola_query.kinds import KINDS
from tombola_query.wire import collector_pb2

NAN = math.nan
COLUMNS = {"labels": ["maps", "mail"], "values": [4, 0], "frequencies": [0.5, 0.0],
           "raw": [0.5, -0.01], "standard_errors": [0.02, 0.02], "low": [0.46, -0.05],
           "high": [0.54, 0.03], "max_error": 0.25}
SIZES = {"shares": [0.25, 0.5, -0.0625, 0.3125], "full": 0.3125, "full_standard_error": 0.015625,
         "full_low": 0.28125, "full_high": 0.34375, "hint": "raise --max-items"}
MEANS = {"means": [0.25, NAN], "mean_standard_errors": [0.0625, NAN], "mean_low": [0.125, NAN],
         "mean_high": [0.375, NAN]}
BESIDE = {"max_error": 0.25, "sizes": [0.25, 0.5, -0.0625, 0.3125], "full": 0.3125,
          "full_stderr": 0.015625, "full_low": 0.28125, "full_high": 0.34375,
          "hint": "raise --max-items"}
SHARES = [{"value": "maps", "frequency": 0.5, "raw": 0.5, "stderr": 0.02, "low": 0.46, "high": 0.54},
          {"value": "mail", "frequency": 0.0, "raw": -0.01, "stderr": 0.02, "low": -0.05, "high": 0.03}]


def envelope(**body):
    """The bytes of an answer, as they come, read again."""
    wire = collector_pb2.Answer(task_id=b"\xab" * 32, reports=400, messages=1600, **body)
    wire.guarantee.epsilon = 0.5
    return collector_pb2.Answer.FromString(wire.SerializeToString())


def set_answer(**sizes):
    return KINDS["set"].read(envelope(set=collector_pb2.Set(
        sizes=collector_pb2.Sizes(**{**SIZES, **sizes}), **COLUMNS)), "clip", 0.95)


def pairs_answer(**means):
    return KINDS["key_value"].read(envelope(key_value=collector_pb2.KeyValues(
        sizes=collector_pb2.Sizes(**SIZES), **COLUMNS, **{**MEANS, **means})), "clip", 0.95)



def total(last, **fields):
    shares = collector_pb2.Histogram(**COLUMNS)
    return collector_pb2.StreamTotal(**{
        "first": 1, "last": last, "submissions": 200 * last, "shares": shares, "counts": [8.5, -1.5],
        "count_standard_errors": [4, 4], "count_low": [0.5, -9.5], "count_high": [16.5, 6.5], **fields})


def stream_answer(*totals, series=False):
    return stream.from_wire(envelope(stream=collector_pb2.StreamTotals(
        totals=totals, counted="fenwick, 2 nodes over a period at most", void_nodes=[3])), "none", 0.95,
        series)


COUNTS = [{**SHARES[0], "count": 8.5, "count_stderr": 4.0, "count_low": 0.5, "count_high": 16.5},
          {**SHARES[1], "count": -1.5, "count_stderr": 4.0, "count_low": -9.5, "count_high": 6.5}]


class WireTest(unittest.TestCase):
    def test_a_set_has_rows_sizes_and_the_hint(self):
        answer = set_answer()
        self.assertIsInstance(answer, tombola_query.Set)
        self.assertEqual((answer.kind, answer.task, answer.reports), ("set", "ab" * 32, 400))
        self.assertEqual([row.value for row in answer.rows], ["maps", "mail"])
        self.assertEqual(answer.sizes, (0.25, 0.5, -0.0625, 0.3125))
        self.assertEqual(answer.hint, "raise --max-items")
        self.assertIsNone(set_answer(hint="").hint)

    def test_the_object_has_the_members_of_the_command_line(self):
        for answer, rows in ((set_answer(), SHARES), (pairs_answer(), [
                {**SHARES[0], "mean": 0.25, "mean_stderr": 0.0625, "mean_low": 0.125,
                 "mean_high": 0.375},
                {**SHARES[1], "mean": None, "mean_stderr": None, "mean_low": None,
                 "mean_high": None}])):
            made = answer.to_dict()
            self.assertEqual(made["kind"], answer.kind)
            self.assertEqual({name: made[name] for name in BESIDE}, BESIDE)
            self.assertEqual(made["bins"], rows)
            self.assertEqual(json.loads(json.dumps(made, allow_nan=False)), made)

    def test_a_key_that_few_hold_has_no_mean(self):
        answer = pairs_answer()
        self.assertIsInstance(answer, tombola_query.KeyValues)
        known, unknown = answer.rows
        self.assertEqual((known.mean, known.mean_stderr, known.mean_low, known.mean_high),
                         (0.25, 0.0625, 0.125, 0.375))
        self.assertEqual((unknown.mean, unknown.mean_stderr, unknown.mean_low, unknown.mean_high),
                         (None,) * 4)

    def test_csv_leaves_the_fields_of_an_unknown_mean_empty(self):
        lines = list(csv.reader(io.StringIO(pairs_answer().to_csv(), newline="")))
        self.assertEqual(lines[0], ["value", "frequency", "raw", "stderr", "low", "high", "mean",
                                    "mean_stderr", "mean_low", "mean_high"])
        self.assertEqual(lines[1][6:], ["0.25", "0.0625", "0.125", "0.375"])
        self.assertEqual(lines[2][6:], ["", "", "", ""])

    def test_values_without_labels_are_numbers(self):
        body = collector_pb2.Set(**{**COLUMNS, "labels": []})
        rows = KINDS["set"].read(envelope(set=body), "none", 0.9).rows
        self.assertEqual([row.value for row in rows], [4, 0])

    def test_a_question_is_under_the_kinds_name(self):
        self.assertEqual(list(KINDS), ["histogram", "set", "key_value", "number", "records",
                                       "stream", "strings"])
        for name, kind in KINDS.items():
            if name in ("number", "records", "strings"):  # asked otherwise than by rows of a domain
                continue
            request = collector_pb2.GetAnswerRequest()
            kind.ask(request, 7, [3, 1])
            self.assertEqual(request.WhichOneof("question"), name)
            self.assertEqual(getattr(request, name).top, 7)
            self.assertEqual(list(getattr(request, name).values), [3, 1])
            kind.ask(request, None, ())
            self.assertEqual(request.WhichOneof("question"), name)
            self.assertEqual(getattr(request, name).top, 0)

    def test_numbers_and_records_are_asked_without_rows(self):
        for name in ("number", "records"):
            request = collector_pb2.GetAnswerRequest()
            KINDS[name].ask(request, None, ())
            self.assertEqual(request.WhichOneof("question"), name)
            for top, values in ((7, ()), (None, [3])):
                with self.assertRaises(ValueError):
                    KINDS[name].ask(request, top, values)

    def test_strings_are_asked_by_how_many_or_by_a_list(self):
        request = collector_pb2.GetAnswerRequest()
        KINDS["strings"].ask(request, 7, ())
        self.assertEqual(request.strings.top, 7)
        with self.assertRaises(ValueError):
            KINDS["strings"].ask(request, None, [3])
        strings.ask_strings(request, None, ["caf\xe9", b"\xff"], 0.25)
        self.assertEqual(list(request.strings.dictionary), ["caf\xe9".encode(), b"\xff"])
        self.assertEqual((request.strings.top, request.strings.false_strings), (0, 0.25))
        for dictionary, false_strings in (([], None), (None, 1.5)):
            with self.assertRaises(ValueError):
                strings.ask_strings(request, None, dictionary, false_strings)

    def test_strings_have_rows_and_what_was_searched(self):
        columns = {name: column for name, column in COLUMNS.items() if name not in ("labels", "max_error")}
        body = collector_pb2.FrequentStrings(**{**columns, "values": [b"maps", b"ma\xff"]}, threshold=135.5,
                                             least_holders=130, false_strings=0.05, tests=1000, complete=True,
                                             moved_by_report=2.5, levels=[collector_pb2.StringLevel(
                                                 candidates=7, needed=21, found=2)])
        answer = KINDS["strings"].read(envelope(strings=body), "clip", 0.95)
        self.assertIsInstance(answer, tombola_query.Strings)
        made = answer.to_dict()
        self.assertEqual([row["value"] for row in made["bins"]], ["maps", "ma\ufffd"])
        self.assertEqual((made["threshold"], made["dictionary"], made["complete"]), (135.5, None, True))
        self.assertEqual(made["levels"], [{"candidates": 7.0, "needed": 21, "found": 2}])
        self.assertEqual(json.loads(json.dumps(made, allow_nan=False)), made)

    def test_a_search_is_asked_for_until_it_is_over_or_patience_is(self):
        under_way = envelope(strings=collector_pb2.FrequentStrings(
            decoding=collector_pb2.Decoding(level=2, levels=3, share=0.5)))
        over = envelope(strings=collector_pb2.FrequentStrings(tests=7))
        answers = iter([under_way, over])
        self.assertEqual(strings.until_found(lambda: next(answers)).strings.tests, 7)
        with self.assertRaisesRegex(tombola_query.TombolaError, "level 2 of 3, 50 %"):
            strings.until_found(lambda: under_way, patience=0.0)

    def test_what_is_usual_can_be_asked_of_each(self):
        self.assertEqual({name: kind.postprocess for name, kind in KINDS.items()},
                         {"histogram": "pop", "set": "clip", "key_value": "clip", "number": "pop",
                          "records": "none", "stream": "pop", "strings": "clip"})
        for kind in KINDS.values():
            self.assertIn(kind.postprocess, tombola_query.answer.POSTPROCESS)

    def test_a_total_of_a_stream_has_counts_and_names_what_is_missing(self):
        answer = stream_answer(total(2, missing=[collector_pb2.PeriodRun(first=1, last=2)]))
        self.assertIsInstance(answer, tombola_query.Stream)
        self.assertEqual((answer.series, answer.void_nodes), (False, (3,)))
        self.assertEqual([row.count for row in answer.rows], [8.5, -1.5])
        self.assertEqual(answer.totals[0].missing, (tombola_query.PeriodRun(1, 2),))
        made = answer.to_dict()
        self.assertEqual({name: made[name] for name in
                          ("submissions", "missing", "strange", "max_error", "bins", "void_nodes")},
                         {"submissions": 400, "missing": [{"first": 1, "last": 2}], "strange": [],
                          "max_error": 0.25, "bins": COUNTS, "void_nodes": [3]})
        self.assertNotIn("series", made)
        self.assertEqual(json.loads(json.dumps(made, allow_nan=False)), made)

    def test_a_series_has_a_total_for_each_period(self):
        nothing = collector_pb2.StreamTotal(first=1, last=1, counts=[0, 0])
        answer = stream_answer(nothing, total(2), series=True)
        made = answer.to_dict()
        self.assertNotIn("bins", made)
        self.assertEqual([found["periods"] for found in made["series"]],
                         [{"first": 1, "last": 1}, {"first": 1, "last": 2}])
        self.assertEqual((made["series"][0]["bins"], made["series"][0]["max_error"]), ([], None))
        self.assertEqual(made["series"][1]["bins"], COUNTS)
        rows = list(csv.DictReader(io.StringIO(answer.to_csv())))
        self.assertEqual([(row["last"], row["submissions"], row["value"], row["count"]) for row in rows],
                         [("2", "400", "maps", "8.5"), ("2", "400", "mail", "-1.5")])
        alone = stream_answer(total(1), series=True).to_dict()
        self.assertEqual(alone["series"][0]["bins"], alone["bins"])


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2)
    finally:
        PACKAGE.cleanup()
