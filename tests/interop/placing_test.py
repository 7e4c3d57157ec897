"""What the Python client does with a set and with pairs, without a network: cells and refusals.

Usage: placing_test.py PROTO_DIR
"""

import collections
import itertools
import math
import sys
import tempfile
import unittest

import requirements

requirements.exit_if_missing()

import mechanisms
import placing
import tombola_client as client
import wire_example
from seeded import Seeded
from wire_messages import Refused, messages

HALF = 1 << 63  # A probability of one half.
NAN, INFINITY = float("nan"), float("inf")


def items_task(levels=False, labels=(), other=None, size=5, most=3, sent=3, **mechanism):
    """The page's example: five values, three cells of a device, levels -1, 0 and 1."""
    pb = messages("task")
    task = pb.Task.FromString(wire_example.task_bytes(
        size, nonce=0x60, family=pb.HASH_FAMILY_PLANE, range=7))
    task.kind = pb.KIND_KEY_VALUE if levels else pb.KIND_SET
    task.domain.labels.extend(labels)
    if other is not None:
        task.domain.other = other
    task.items.max_items, task.items.sent = most, sent
    if levels:
        task.levels.CopyFrom(pb.Levels(low=-1, high=1, count=3))
    task.mechanism.CopyFrom(pb.Mechanism(**(mechanism or {"grr": pb.Grr(blanket_threshold=1)})))
    return task


def numbers_task(edges=(0, 5), size=10, branching=3, missing=True, dithered=False, sent=3,
                 **mechanism):
    """The page's example: ten bins from 0 to 5 under a tree of three levels."""
    pb = messages("task")
    task = items_task(size=size, **mechanism)
    task.ClearField("items")
    task.kind = pb.KIND_NUMBER
    task.numbers.CopyFrom(pb.Numbers(edges=edges, branching=branching, missing=missing,
                                     dithered=dithered, sent=sent))
    return task


class NumberTest(unittest.TestCase):
    def placed(self, task, number, *draws):
        given = wire_example.Draws(*draws)
        cells = placing.cells_said(task, number, given)
        self.assertEqual(given.values, [])
        return cells

    def test_the_bytes_of_the_example(self):
        self.assertIn(bytes.fromhex("8a01180a1000000000000000000000000000001440100318012803"),
                      numbers_task().SerializeToString())

    def test_the_cells_of_the_example(self):
        for number, cells in ((0, [0, 11, 16]), (2.25, [4, 12, 16]), (5, [9, 14, 17]),
                              (None, [10, 15, 18]), (0.5, [1, 11, 16])):
            self.assertEqual(self.placed(numbers_task(), number), cells)
        self.assertEqual(placing.cell_count(numbers_task()), 19)
        self.assertEqual(self.placed(numbers_task(missing=False), 5), [9, 13, 15])

    def test_the_reports_of_pure_dump(self):
        pb = messages("task")
        task = numbers_task(pure_dump=pb.PureDump(dummies=pb.Dummies(rate=1, honest=1, max=1)))
        reports = mechanisms.encode(task, 2.25, wire_example.Draws(0, 2, 1))  # No dummy, kept.
        self.assertEqual([report.hex() for report in reports],
                         ["0d04000000", "0d0c000000", "0d10000000"])

    def test_dummies_of_every_level(self):
        pb = messages("task")
        pure = pb.PureDump(dummies=pb.Dummies(honest=1, max=3),
                           level_rates=(1 << 38, 1 << 37, 3 << 37))
        task = numbers_task(pure_dump=pure)
        self.assertIn(bytes.fromhex(
            "2a2222200a04100118035218000000004000000000000000200000000000000060000000"),
            task.SerializeToString())
        mechanisms.check_mechanism(task.mechanism, 19, placing.level_cells(task))
        # One dummy, of the second level and its third node; then what is left in order.
        draws = (2**110, 1 << 38, 2, 3, 2, 1)
        reports = mechanisms.encode(task, 2.25, wire_example.Draws(*draws))
        self.assertEqual([report.hex() for report in reports],
                         ["0d04000000", "0d0c000000", "0d10000000", "0d0d000000"])
        for levels, change in (([], {}), ([11, 8], {}), ([11, 5, 3], {"rate": 1}),
                               ([11, 5, 3], {"honest": 0}), ([11, 5, 3], {"max": 0})):
            wrong = pb.Mechanism(pure_dump=pure)
            for name, value in change.items():
                setattr(wrong.pure_dump.dummies, name, value)
            with self.subTest(levels=levels, change=change), self.assertRaises(Refused):
                mechanisms.check_mechanism(wrong, 19, levels)
        for rates in ((1, 0, 1), (1 << 54, 1, 1)):
            wrong = pb.Mechanism(pure_dump=pb.PureDump(dummies=pure.dummies, level_rates=rates))
            with self.subTest(rates=rates), self.assertRaises(Refused):
                mechanisms.check_mechanism(wrong, 19, [11, 5, 3])
        self.assertEqual(placing.level_cells(numbers_task(sent=1)), [])

    def test_bins_between_all_edges(self):
        task = numbers_task(edges=(0, 1, 10, 100), size=3, branching=0, missing=False, sent=1)
        for number, cell in ((0, 0), (0.99, 0), (1, 1), (10, 2), (100, 2)):
            self.assertEqual(self.placed(task, number), [cell])

    def test_dithered_numbers_become_a_level_beside_them(self):
        task = numbers_task(edges=(-1, 1), size=5, branching=0, dithered=True, sent=1)
        half = 1 << 52  # Of the coin's 53 bits.
        self.assertEqual(self.placed(task, 0.25, half - 1), [3])
        self.assertEqual(self.placed(task, 0.25, half), [2])
        self.assertEqual(self.placed(task, 1, 0), [4])
        self.assertEqual(self.placed(task, None), [5])

    def test_one_level_is_drawn_where_one_is_said(self):
        task = numbers_task(sent=1)
        self.assertEqual(self.placed(task, 2.25, 1), [12])

    def test_tasks_that_are_refused(self):
        pb = messages("task")
        pure = pb.PureDump(dummies=pb.Dummies(rate=1, honest=1, max=1))
        for wrong in ({"edges": (5, 0)}, {"edges": (0, 0)}, {"edges": (0, INFINITY)},
                      {"edges": (0, NAN)}, {"edges": (0,)}, {"edges": (0, 1, 2)},
                      {"edges": (-1.7e308, 1.7e308)}, {"edges": (1, 1 + 2**-52)},
                      {"branching": 1}, {"branching": 4097}, {"sent": 2}, {"sent": 0},
                      {"dithered": True}, {"dithered": True, "branching": 0, "size": 257, "sent": 1},
                      {"branching": 0, "sent": 1, "murs": pb.Murs(fakes=1)}):
            task = numbers_task(**{"pure_dump": pure, **wrong} if "murs" not in wrong else wrong)
            with self.subTest(wrong=wrong), self.assertRaises(Refused):
                placing.check_items(task)
        for kind in (pb.KIND_HISTOGRAM, pb.KIND_SET):
            task = numbers_task()
            task.kind = kind
            with self.assertRaises(Refused):
                placing.check_items(task)
        task = numbers_task()
        task.ClearField("numbers")
        with self.assertRaises(Refused):
            placing.check_items(task)
        placing.check_items(numbers_task())

    def test_numbers_that_are_refused(self):
        for number in (-0.001, 5.001, NAN, INFINITY):
            with self.subTest(number=number), self.assertRaises(Refused):
                placing.cells_said(numbers_task(), number, Seeded(1))
        with self.assertRaises(Refused):
            placing.cells_said(numbers_task(missing=False), None, Seeded(1))


def records_task():
    """The page's example of records."""
    pb = messages("task")
    task = pb.Task.FromString(wire_example.task_bytes(
        43, nonce=0x60, family=pb.HASH_FAMILY_PLANE, range=7))
    task.kind = pb.KIND_RECORDS
    records = task.records
    records.attributes.add(name="age", edges=[0, 10], bins=5)
    records.attributes.add(name="city", labels=["a", "b", "c"])
    records.measures.add(name="amount").levels.CopyFrom(pb.Levels(low=0, high=10, count=3))
    records.max_records = 3
    records.max_alike = 3
    records.views.add(attributes=[0], joined=[1], branching=2)
    records.views.add(attributes=[0, 1], joined=[2, 1], branching=0, measure=0)
    task.mechanism.CopyFrom(pb.Mechanism(pure_dump=pb.PureDump()))
    return task


class RecordsExampleTest(unittest.TestCase):
    """What the page says of its example of records."""

    def placed(self, record, *draws):
        return placing.cells_said(records_task(), record, wire_example.Draws(*draws))

    def test_one_record_and_none(self):
        placing.check_items(records_task())
        self.assertEqual(placing.cell_count(records_task()), 43)
        self.assertEqual(placing.cells_sent(records_task()), 12)
        row = {"age": 7, "city": "c", "amount": 10}
        self.assertEqual(self.placed([row], 0), [3, 7, 10, 5, 9, 12, 5, 9, 12, 30, 40, 40])
        self.assertEqual(self.placed([]), [5, 9, 12] * 3 + [40] * 3)

    def test_what_does_not_fit_is_refused(self):
        good = {"age": 7, "city": "c", "amount": 10}
        for change in ({"age": 11}, {"city": "d"}, {"amount": NAN}, {"amount": 11}):
            with self.assertRaises(Refused):
                self.placed([{**good, **change}], 0)

    def test_tasks_out_of_bounds_are_refused(self):
        def refused(change):
            task = records_task()
            change(task)
            with self.assertRaises(Refused):
                placing.check_items(task)

        refused(lambda task: setattr(task.domain, "size", 44))
        refused(lambda task: setattr(task.records, "max_records", 0))
        refused(lambda task: setattr(task.records.views[0], "branching", 1))
        refused(lambda task: task.records.views[0].ClearField("branching"))
        refused(lambda task: setattr(task.records.attributes[1], "name", "age"))
        refused(lambda task: task.mechanism.grr.SetInParent())
        refused(lambda task: task.items.SetInParent())


class ExampleTest(unittest.TestCase):
    """What the page says of its example."""

    def placed(self, task, record, *draws):
        given = wire_example.Draws(*draws)
        cells = placing.place(task, record, given)
        self.assertEqual(given.values, [])
        return sorted(cells)

    def test_the_bytes_of_the_fields(self):
        self.assertIn(bytes.fromhex("7a0408031003"), items_task().SerializeToString())
        self.assertIn(bytes.fromhex("82011409000000000000f0bf11000000000000f03f1803"),
                      items_task(levels=True).SerializeToString())

    def test_a_set_and_its_pads(self):
        for record, cells in (([1, 4], [1, 4, 5]), ([], [5, 6, 7]), ([0, 2, 3], [0, 2, 3]),
                              ([4, 1, 4, 1], [1, 4, 5])):
            self.assertEqual(self.placed(items_task(), record), cells)

    def test_pairs_and_their_pads(self):
        task = items_task(levels=True)
        half = 1 << 52  # Of the coin's 53 bits.
        record = [(1, 0.5), (4, -1)]
        self.assertEqual(self.placed(task, record, half - 1, 0), [5, 12, 15])
        self.assertEqual(self.placed(task, record, half, 0), [4, 12, 15])
        self.assertEqual(self.placed(task, []), [15, 16, 17])
        for coin in (0, (1 << 53) - 1):  # A number on a level stays there.
            self.assertEqual(self.placed(task, [(0, -1), (2, 0), (4, 1)], coin, coin, coin),
                             [0, 7, 14])

    def test_the_reports_of_pure_dump(self):
        pb = messages("task")
        task = items_task(pure_dump=pb.PureDump(dummies=pb.Dummies(rate=1, honest=1, max=1)))
        reports = mechanisms.encode(task, [1, 4], wire_example.Draws(0, 2, 1))  # No dummy, kept.
        self.assertEqual([report.hex() for report in reports],
                         ["0d01000000", "0d04000000", "0d05000000"])

    def test_every_cell_is_randomised_by_itself_with_grr(self):
        task = items_task(grr=messages("task").Grr(blanket_threshold=HALF))
        draws = (HALF, HALF - 1, 7, HALF, 2, 1)
        reports = mechanisms.encode(task, [1, 4], wire_example.Draws(*draws))
        self.assertEqual([report.hex() for report in reports],
                         ["0d01000000", "0d07000000", "0d05000000"])

    def test_the_most_reports_count_what_is_sent(self):
        pb = messages("task")
        for sent in (1, 2, 4):
            task = items_task(most=4, sent=sent, pure_dump=pb.PureDump(
                dummies=pb.Dummies(rate=1, honest=1, max=65_534)))
            data = task.SerializeToString()
            if sent == 1:
                client.parse_task(data, client.task_id_of(data))
                continue
            with self.assertRaises(Refused):  # More than 65,535.
                client.parse_task(data, client.task_id_of(data))


class NamesTest(unittest.TestCase):
    LABELS = ("a", "b", "c", "d", "rest")

    def place(self, task, record):
        return set(placing.place(task, record, Seeded(1)))

    def test_names_are_labels(self):
        self.assertEqual(self.place(items_task(labels=self.LABELS), ["d", "a"]), {0, 3, 5})

    def test_other_stands_once_for_all_outside(self):
        task = items_task(labels=self.LABELS, other=4)
        self.assertEqual(self.place(task, ["x", "a", "y", "rest"]), {0, 4, 5})

    def test_one_key_has_one_cell_though_its_numbers_round_apart(self):
        task = items_task(levels=True)
        for seed in range(64):
            cells = placing.place(task, [(1, 0.5), (1, 0.5)], Seeded(seed))
            self.assertEqual(len(set(cells)), 3)
            self.assertEqual(sum(cell < 15 for cell in cells), 1)

    def test_what_is_refused(self):
        for task, record in (
                (items_task(), [5]), (items_task(), [-1]),
                (items_task(labels=self.LABELS), ["x"]),
                (items_task(levels=True), [(5, 0)]),
                (items_task(levels=True, labels=self.LABELS), [("x", 0)]),
                (items_task(levels=True), [(0, 1.001)]), (items_task(levels=True), [(0, -1.001)]),
                (items_task(levels=True), [(0, NAN)]), (items_task(levels=True), [(0, INFINITY)]),
                (items_task(levels=True), [(0, 0.5), (1, 0), (0, 0.25)]),
                (items_task(levels=True, labels=self.LABELS, other=4), [("x", NAN)])):
            with self.subTest(record=record), self.assertRaises(Refused):
                mechanisms.encode(task, record)


class LawTest(unittest.TestCase):
    """Draws with a fixed seed, against the laws that the page names."""

    DEVICES = 4000
    ANY_FAILURE = 1e-9  # Of one frequency, had the seed been drawn; there are fewer than 50.

    def assert_uniform(self, seen, choices):
        self.assertLessEqual(set(seen), set(choices))
        for choice in choices:
            self.assert_frequency(seen[choice], 1 / len(choices))

    def assert_frequency(self, count, share):
        """Bernstein, as in mechanisms_test.py."""
        logarithm = math.log(2 / self.ANY_FAILURE)
        variance = self.DEVICES * share * (1 - share)
        t = logarithm / 3 + math.sqrt((logarithm / 3) ** 2 + 2 * variance * logarithm)
        self.assertLessEqual(abs(count - self.DEVICES * share), t)

    def drawn(self, seed, draw):
        source = Seeded(seed)
        return collections.Counter(draw(source) for _ in range(self.DEVICES))

    def test_of_too_many_every_choice_is_as_likely(self):
        task = items_task()
        seen = self.drawn(1, lambda source: tuple(sorted(
            placing.place(task, [4, 3, 2, 1, 0], source))))
        self.assert_uniform(seen, list(itertools.combinations(range(5), 3)))

    def test_of_too_many_pairs_every_choice_is_as_likely(self):
        task = items_task(levels=True)
        record = [(key, 1) for key in range(5)]
        seen = self.drawn(2, lambda source: tuple(sorted(placing.place(task, record, source))))
        self.assert_uniform(seen, [tuple(3 * key + 2 for key in keys)
                                   for keys in itertools.combinations(range(5), 3)])

    def test_what_is_said_is_a_uniform_choice_of_cells_and_pads(self):
        task = items_task(most=4, sent=2)
        seen = self.drawn(3, lambda source: tuple(sorted(
            placing.cells_said(task, [1, 4], source))))
        self.assert_uniform(seen, list(itertools.combinations((1, 4, 5, 6), 2)))

    def test_a_level_keeps_the_mean(self):
        levels = items_task(levels=True).levels
        for number, below, up in ((-0.9, 0, 0.1), (0.25, 1, 0.25), (0.75, 1, 0.75)):
            seen = self.drawn(4, lambda source: placing.level_of(levels, number, source))
            self.assertLessEqual(set(seen), {below, below + 1})
            self.assert_frequency(seen[below + 1], up)

    def test_of_those_that_other_stands_for_any_is_kept(self):
        task = items_task(levels=True, labels=NamesTest.LABELS, other=4)
        record = [("x", -1), ("a", 1), ("rest", 0), ("y", 1)]
        seen = self.drawn(5, lambda source: tuple(sorted(placing.place(task, record, source))))
        self.assert_uniform(seen, [(2, cell, 15) for cell in (12, 13, 14)])


class RefusalTest(unittest.TestCase):
    """A valid task of either kind, then one field out of its bounds."""

    def parse(self, task):
        data = task.SerializeToString()
        return client.parse_task(data, client.task_id_of(data))

    def test_valid_ones_are_taken(self):
        pb = messages("task")
        for levels in (False, True):
            self.assertEqual(self.parse(items_task(levels)).items.max_items, 3)
            self.parse(items_task(levels, sent=1))
            self.parse(items_task(levels, most=5, sent=5))
            self.parse(items_task(levels, most=1, sent=1, local_hash=pb.LocalHash(
                family=pb.HASH_FAMILY_PLANE, range=7, blanket_threshold=1)))

    def test_numbers_out_of_their_bounds(self):
        for path, values in {
                "kind": (0, 1, 2, 4), "items.max_items": (0, 6, 4097), "items.sent": (0, 2, 6),
                "levels.low": (1, 2, NAN, -INFINITY),
                "levels.high": (-1, NAN, INFINITY), "levels.count": (0, 1, 257)}.items():
            parent, _, last = path.rpartition(".")
            for value in values:
                task = items_task(levels=True)
                setattr(getattr(task, parent) if parent else task, last, value)
                with self.subTest(path=path, value=value), self.assertRaises(Refused):
                    self.parse(task)

    def test_a_range_too_wide_or_too_narrow_for_squares(self):
        task = items_task(levels=True)
        for low, high in ((-1.5e308, 1.5e308), (0, 1.01e100), (-1.01e100, 0), (0, 9.9e-101)):
            task.levels.low, task.levels.high = low, high
            with self.subTest(low=low, high=high), self.assertRaises(Refused):
                self.parse(task)
        for low, high in ((-1e100, 1e100), (0, 1e-100)):
            task.levels.low, task.levels.high = low, high
            self.parse(task)

    def test_parts_that_are_missing_or_too_many(self):
        for levels, part in ((False, "items"), (True, "items"), (True, "levels")):
            task = items_task(levels)
            task.ClearField(part)
            with self.subTest(part), self.assertRaises(Refused):
                self.parse(task)
        task = items_task()
        task.levels.CopyFrom(items_task(levels=True).levels)
        with self.assertRaises(Refused):
            self.parse(task)

    def test_mechanisms_that_are_for_one_cell_or_for_all(self):
        pb = messages("task")
        hashing = pb.LocalHash(family=pb.HASH_FAMILY_PLANE, range=7, blanket_threshold=1)
        dummies = pb.Dummies(rate=1, honest=1, max=1)
        for mechanism in ({"local_hash": hashing}, {"murs": pb.Murs(local_hash=hashing, fakes=1)},
                          {"mix_dump": pb.MixDump(response=pb.Grr(blanket_threshold=1),
                                                  dummies=dummies)}):
            with self.subTest(mechanism=mechanism), self.assertRaises(Refused):
                self.parse(items_task(**mechanism))
        aue = {"aue": pb.Aue(coin_threshold=1, honest=1, max_dummies=1)}
        correlated = {"correlated": pb.Correlated(
            noise_success=HALF, flood_success=HALF, noise_rate=1 << 40, flood_rate=1 << 40,
            honest=100, max_noise=100)}
        for mechanism in (aue, correlated):
            self.parse(items_task(**mechanism))
            with self.subTest(mechanism=mechanism), self.assertRaises(Refused):
                self.parse(items_task(sent=1, **mechanism))

    def test_more_cells_than_there_may_be(self):
        for size, taken in (((1 << 24) - 3, True), ((1 << 24) - 2, False)):
            task = items_task(size=size)
            if taken:
                self.parse(task)
            else:
                with self.assertRaises(Refused):
                    self.parse(task)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tombola_stubs_") as stubs:
        requirements.generate_stubs(sys.argv[1], stubs)
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
