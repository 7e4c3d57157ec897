"""What the Python client does with strings, without a network: spelling, keys, reports and refusals.

Usage: strings_test.py PROTO_DIR
"""

import sys
import tempfile
import unittest

import requirements

requirements.exit_if_missing()

import mechanisms
import string_cells
import tombola_client as client
import wire_example
from seeded import Seeded
from wire_messages import Refused, messages

TASK_ID = bytes(range(32))


def strings(**fields):
    pb = messages("task")
    return pb.Strings(**{"alphabet": "abcdefghijklmnopqrstuvwxyz", "length": 6, "step": 2,
                         "range": 1 << 16, "spelling": pb.SPELLING_FOLDED, "unicode": "15.0",
                         "least_holders": 1, "one_message": pb.StringResponse(blanket_threshold=1),
                         **fields})


def of_bytes(**fields):
    return strings(alphabet="", unicode="", spelling=messages("task").SPELLING_AS_IT_IS, **fields)


class VectorTest(unittest.TestCase):
    """Computed by an independent program, exactly: (strings, level, symbols, key, buckets)."""

    def check(self, task, level, symbols, key, buckets):
        self.assertEqual(string_cells.key_of(task, TASK_ID, level, symbols), key)
        for function, bucket in buckets.items():
            self.assertEqual(string_cells.bucket_of(task, TASK_ID, function, key), bucket)

    def test_characters(self):
        of_42 = strings(alphabet="".join(map(chr, range(0x61, 0x61 + 40))))
        self.check(of_42, 0, [6, 14, 0, 0, 0, 0], 16621599068373276047,
                   {0: 28788, 1: 61746, 7: 23298, 255: 36523})
        self.check(of_42, 1, [6, 14, 14, 6, 0, 0], 265839195856610740,
                   {0: 36993, 1: 54102, 7: 29559, 255: 59020})

    def test_bytes(self):
        self.check(of_bytes(range=1 << 14), 2, [1, 2, 3, 4, 0, 0], 7150965876498442475,
                   {0: 4103, 1: 13664, 7: 2758, 255: 14310})


class SpellingTest(unittest.TestCase):
    def test_texts_that_read_the_same(self):
        pb = messages("task")
        composed = strings(spelling=pb.SPELLING_COMPOSED)
        for text, kept, folded in (
                ("e\u0301", "\u00e9", "\u00e9"), ("\u212b", "\u00c5", "\u00e5"),
                ("Stra\u00dfe", "Stra\u00dfe", "strasse"), ("I\u0130\u0131", "I\u0130\u0131", "ii\u0307\u0131"),
                ("\u1112\u1161\u11ab", "\ud55c", "\ud55c"), ("\ufb03", "\ufb03", "ffi"),
                ("s\u0307\u0323", "\u1e69", "\u1e69"), ("\u1f80", "\u1f80", "\u1f00\u03b9")):
            self.assertEqual(string_cells.spelled(composed, text.encode()).decode(), kept)
            self.assertEqual(string_cells.spelled(strings(), text.encode()).decode(), folded)

    def test_symbols(self):
        self.assertEqual(string_cells.symbols_of(strings(), "A\u00e9bCdEfGh".encode()),
                         [1, 27, 2, 3, 4, 5])
        self.assertEqual(string_cells.symbols_of(strings(), b""), [0] * 6)
        self.assertEqual(string_cells.symbols_of(of_bytes(), b"a\0\xff"), [0x61, 255, 255, 0, 0, 0])
        with self.assertRaises(Refused):
            string_cells.symbols_of(strings(), b"\xff")


class ReportTest(unittest.TestCase):
    def draw(self, task, count=2000):
        random = Seeded(b"strings")
        return [[(report[0], report[1], int.from_bytes(report[2:], "little"))
                 for report in string_cells.encode_string(task, TASK_ID, b"toledo", random)]
                for _ in range(count)]

    def is_own(self, task, level, function, bucket):
        key = string_cells.key_of(task, TASK_ID, level, string_cells.symbols_of(task, b"toledo"))
        return bucket == string_cells.bucket_of(task, TASK_ID, function, key)

    def test_one_message_is_a_cell_of_any_level(self):
        pb = messages("task")
        task = strings(range=1 << 10, one_message=pb.StringResponse(blanket_threshold=1 << 62))
        reports = [one for [one] in self.draw(task)]
        for level in range(3):  # Binomial(2000, 1/3): 500 is 8 deviations below the mean.
            self.assertGreater(sum(one[0] == level for one in reports), 500)
        self.assertGreater(len({function for _, function, _ in reports}), 200)
        own = sum(self.is_own(task, *one) for one in reports)
        # Binomial(2000, 3/4 + 1/4096): +-6 deviations.
        self.assertLess(abs(own - 1500), 6 * 19.4)

    def test_others_say_the_truth_among_uniform_cells(self):
        pb = messages("task")
        dummies = pb.Dummies(rate=5 << 39, honest=1, max=40)
        for way, sent in (("dummies", 1), ("every_level", 3)):
            task = strings(range=1 << 10, **{way: dummies})
            submissions = self.draw(task, 500)
            for reports in submissions:
                self.assertTrue(all(self.is_own(task, *one) for one in reports[:sent]))
            if sent == 3:
                self.assertTrue(all([one[0] for one in reports[:3]] == [0, 1, 2]
                                    for reports in submissions))
            # Poisson(2.5) of 500: +-6 deviations of the mean.
            mean = sum(len(reports) - sent for reports in submissions) / 500
            self.assertLess(abs(mean - 2.5), 6 * (2.5 / 500) ** 0.5)

    def test_whole_strings_have_one_level(self):
        task = strings(whole=True)
        self.assertEqual({one[0] for [one] in self.draw(task, 50)}, {0})


class RefusalTest(unittest.TestCase):
    def refused(self, change):
        task = messages("task").Task.FromString(wire_example.strings_task())
        change(task)
        data = task.SerializeToString()
        with self.assertRaises(Refused):
            client.parse_task(data, client.task_id_of(data))

    def test_the_example_is_taken(self):
        data = wire_example.strings_task()
        client.parse_task(data, client.task_id_of(data))

    def test_fields_out_of_bounds(self):
        pb = messages("task")
        for field, values in {
                "alphabet": ("", "aa", "\0b", "\ufffd", "A", "\u212b", "abc"), "length": (0, 7, 256),
                "step": (0, 4, 7), "range": (0, 32, 1000, 1 << 25), "spelling": (0, 1, 4),
                "unicode": ("", "14.0"), "least_holders": (0, (1 << 40) + 1)}.items():
            for value in values:
                self.refused(lambda task, f=field, v=value: setattr(task.strings, f, v))
        self.refused(lambda task: task.strings.ClearField("messages"))
        self.refused(lambda task: setattr(task.strings.one_message, "blanket_threshold", 0))
        self.refused(lambda task: setattr(task.strings.dummies, "max", 65_535))
        self.refused(lambda task: task.ClearField("strings"))
        self.refused(lambda task: setattr(task, "kind", pb.KIND_HISTOGRAM))
        self.refused(lambda task: task.domain.labels.extend(map(str, range(28))))
        self.refused(lambda task: task.mechanism.grr.SetInParent())
        self.refused(lambda task: setattr(task.items, "max_items", 1))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tombola_stubs_") as stubs:
        requirements.generate_stubs(sys.argv[1], stubs)
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
