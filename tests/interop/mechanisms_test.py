"""What the Python client does with a value, without a network: tables, reports and refusals.

Usage: mechanisms_test.py PROTO_DIR
"""

import collections
import math
import sys
import tempfile
import unittest

import requirements

requirements.exit_if_missing()

import mechanisms
import wire_example
from count_tables import CountTable, logarithmic, poisson
from noise_law import noise_law
from seeded import Seeded
from wire_messages import Refused, messages

ONE = 1 << 40  # A rate of one.
HALF = 1 << 63  # A probability of one half.


def task_of(size, **mechanism):
    pb = messages("task")
    return pb.Task(domain=pb.Domain(size=size), mechanism=pb.Mechanism(**mechanism))


class TableTest(unittest.TestCase):
    def digest(self, table):
        """FNV-1a over the 16 little-endian bytes of every cumulative sum."""
        digest = 0xcbf29ce484222325
        for byte in b"".join(total.to_bytes(16, "little") for total in table.sums):
            digest = (digest ^ byte) * 0x100000001b3 % 2**64
        return digest

    def test_the_weights_are_those_of_the_other_implementation(self):
        # The digests that common/mechanism/count_table_test.cc pins.
        for table, least, most, digest in (
                (poisson(1), 0, 2, 0xd6f03659f03e8945),
                (poisson(ONE // 7), 0, 18, 0xf524d819cbb9c227),
                (poisson(3 * ONE // 2), 0, 34, 0x1a6ae741bd6ee433),
                (poisson(136 * ONE), 21, 302, 0x906a8dc7e9405ea4),
                (poisson(16384 * ONE), 14848, 17968, 0xefb58bbf1bf199cd),
                (logarithmic(1 << 44), 1, 6, 0xd18ca6995cceda30),
                (logarithmic(HALF), 1, 113, 0xc4f071da6e1b3443),
                (logarithmic(17906070004909124658), 1, 2435, 0x966953d5fc975108),
                (logarithmic(2**64 - 2**54), 1, 67267, 0x14738093679f2b86)):
            self.assertEqual((table.least, table.least + len(table.weights) - 1), (least, most))
            self.assertEqual(self.digest(table), digest)

    def test_the_mean_of_a_poisson_table_is_its_rate(self):
        for rate in (1, ONE // 1000, ONE // 7, ONE - 1, ONE, ONE + 1, 3 * ONE // 2, 136 * ONE,
                     5000 * ONE + 12345, 1 << 54):
            self.assertAlmostEqual(poisson(rate).mean() / (rate / ONE), 1, delta=1e-14)

    def test_the_mean_of_a_logarithmic_table(self):
        for success in (1 << 44, 1 << 60, HALF, 3 << 62, 17906070004909124658, 2**64 - 2**54):
            p, rest = success / 2**64, (2**64 - success) / 2**64
            mean = -p / (rest * math.log1p(-p))
            self.assertAlmostEqual(logarithmic(success).mean() / mean, 1, delta=1e-12)

    def test_a_draw_is_found_among_the_weights(self):
        table = CountTable(5, [2, 1, 3])
        self.assertEqual([table.draw(wire_example.Draws(drawn)) for drawn in range(6)],
                         [5, 5, 6, 7, 7, 7])


class ReportTest(unittest.TestCase):
    """The bytes that given draws lead to."""

    def encoded(self, task, value, *draws):
        given = wire_example.Draws(*draws)
        reports = mechanisms.encode(task, value, given)
        self.assertEqual(given.values, [])
        return [report.hex() for report in reports]

    def test_grr(self):
        task = task_of(300, grr=messages("task").Grr(blanket_threshold=HALF))
        self.assertEqual(self.encoded(task, 299, HALF), ["0d2b010000"])
        self.assertEqual(self.encoded(task, 299, HALF - 1, 0), ["0d00000000"])

    def test_aue(self):
        task = task_of(3, aue=messages("task").Aue(coin_threshold=HALF, max_dummies=2))
        self.assertEqual(self.encoded(task, 1, HALF, HALF, HALF), ["0d01000000"])
        too_many = (0, 0, 0)
        # Values 1 and 2 are named again; the last report goes first, the middle one stays.
        self.assertEqual(self.encoded(task, 1, *too_many, HALF, HALF - 1, 0, 0, 1),
                         ["0d02000000", "0d01000000", "0d01000000"])

    def test_pure_dump(self):
        dummies = messages("task").Dummies(rate=ONE // 2, max=2)
        task = task_of(4, pure_dump=messages("task").PureDump(dummies=dummies))
        first_two = 2**110 + 2**109  # The weights of 0 and 1.
        self.assertEqual(self.encoded(task, 3, 2**110 - 1), ["0d03000000"])
        self.assertEqual(self.encoded(task, 3, 2**110, 2, 1), ["0d03000000", "0d02000000"])
        self.assertEqual(self.encoded(task, 3, first_two, 2, 1, 0, 1),
                         ["0d01000000", "0d02000000", "0d03000000"])
        most = poisson(ONE // 2).total - 1
        self.assertEqual(len(self.encoded(task, 3, most, 2, 1, 0, 1)), 3)

    def test_mix_dump(self):
        pb = messages("task")
        task = task_of(4, mix_dump=pb.MixDump(response=pb.Grr(blanket_threshold=HALF),
                                              dummies=pb.Dummies(rate=ONE // 2, max=2)))
        self.assertEqual(self.encoded(task, 3, HALF, 0), ["0d03000000"])
        self.assertEqual(self.encoded(task, 3, 0, 1, 2**110, 2, 0), ["0d02000000", "0d01000000"])

    def test_murs_is_local_hash(self):
        for family in ("plane", "affine"):
            example = wire_example.compute()[family]
            task = messages("task").Task.FromString(bytes.fromhex(example["task"]))
            hashing = messages("task").LocalHash()
            hashing.CopyFrom(task.mechanism.local_hash)
            task.mechanism.murs.local_hash.CopyFrom(hashing)
            self.assertEqual(task.mechanism.WhichOneof("kind"), "murs")
            report = example["reports"][0]
            function = ([report["function"]] if family == "plane"
                        else [report["multiplier"], report["offset"]])
            self.assertEqual(
                self.encoded(task, report["value"], *function, int(report["u"], 16)),
                [report["report"]])

    def test_correlated(self):
        task = task_of(300, correlated=messages("task").Correlated(
            noise_success=HALF, flood_success=HALF, noise_rate=ONE // 2, flood_rate=ONE // 2,
            max_noise=5))
        none, one = 0, 2**110  # Clusters, by the Poisson table.
        single, double = 0, 2**120  # Their sizes, by the logarithmic table.
        # One of each: +1 twice at 299, -1 once at 0, a pair at 255.
        noise = (one, double, 299, one, single, 0, one, single, 255)
        # Four pairs are eight reports: above 5, so all is drawn again.
        above = (none, none, one, logarithmic(HALF).sums[2], 7)
        kept_in_place = (5, 4, 3, 2, 1)
        self.assertEqual(
            self.encoded(task, 42, *above, *noise, *kept_in_place),
            ["0d2b000000", "0d2c010000", "0d2c010000", "0d00010000", "0dffffffff", "0d00ffffff"])
        self.assertEqual(self.encoded(task, 42, none, none, none), ["0d2b000000"])


class LawTest(unittest.TestCase):
    """Draws with a fixed seed, against the laws that the page names."""

    SUBMISSIONS = 4000
    ANY_FAILURE = 1e-9  # Of one frequency, had the seed been drawn; there are fewer than 50.

    def assert_frequency(self, count, share):
        """`count` of SUBMISSIONS within Bernstein's bound: with variance V it is t or more away
        from its mean with probability at most 2 exp(-t^2 / (2 (V + t / 3)))."""
        logarithm = math.log(2 / self.ANY_FAILURE)
        variance = self.SUBMISSIONS * share * (1 - share)
        t = logarithm / 3 + math.sqrt((logarithm / 3) ** 2 + 2 * variance * logarithm)
        self.assertLessEqual(abs(count - self.SUBMISSIONS * share), t)

    def check_numbers(self, task):
        source = Seeded(7)
        law = noise_law(task.mechanism, task.domain.size)
        self.assertAlmostEqual(sum(law), 1, delta=1e-12)
        seen = collections.Counter(len(mechanisms.encode(task, 5, source)) - 1
                                   for _ in range(self.SUBMISSIONS))
        self.assertLess(max(seen), len(law))
        for number, share in enumerate(law):
            with self.subTest(number=number):
                self.assert_frequency(seen[number], share)

    def test_numbers_of_aue(self):
        self.check_numbers(task_of(8, aue=messages("task").Aue(
            coin_threshold=1 << 62, max_dummies=3)))

    def test_numbers_of_pure_dump(self):
        self.check_numbers(task_of(8, pure_dump=messages("task").PureDump(
            dummies=messages("task").Dummies(rate=3 * ONE // 2, max=4))))

    def test_numbers_of_correlated(self):
        self.check_numbers(task_of(8, correlated=messages("task").Correlated(
            noise_success=HALF, flood_success=3 << 62, noise_rate=ONE, flood_rate=ONE,
            max_noise=12)))

    def test_the_order_says_nothing(self):
        dummies = messages("task").Dummies(rate=1 << 54, max=2)
        task = task_of(1 << 24, pure_dump=messages("task").PureDump(dummies=dummies))
        source = Seeded(8)
        places = collections.Counter(
            mechanisms.encode(task, 5, source).index(mechanisms.value_report(5))
            for _ in range(self.SUBMISSIONS))
        for place in range(3):
            self.assert_frequency(places[place], 1 / 3)

    def test_the_flood_of_correlated_cancels(self):
        task = task_of(8, correlated=messages("task").Correlated(
            noise_success=HALF, flood_success=HALF, noise_rate=1, flood_rate=4 * ONE,
            max_noise=100))
        source = Seeded(9)
        for _ in range(100):
            net = collections.Counter()
            for report in mechanisms.encode(task, 5, source):
                change = messages("report").SignedReport.FromString(report).change
                net[abs(change) - 1] += 1 if change > 0 else -1
            self.assertEqual({v: total for v, total in net.items() if total}, {5: 1})


class RefusalTest(unittest.TestCase):
    """A valid task of each mechanism, then one field out of its bounds."""

    def setUp(self):
        pb = messages("task")
        hashing = dict(family=1, range=7, blanket_threshold=1)
        dummies = pb.Dummies(rate=1 << 54, honest=1 << 40, max=65534)
        self.valid = {
            "grr": pb.Grr(blanket_threshold=1),
            "aue": pb.Aue(coin_threshold=HALF, honest=1, max_dummies=1),
            "pure_dump": pb.PureDump(dummies=dummies),
            "mix_dump": pb.MixDump(response=pb.Grr(blanket_threshold=2**64 - 1), dummies=dummies),
            "murs": pb.Murs(local_hash=pb.LocalHash(**hashing), fakes=1 << 32),
            "correlated": pb.Correlated(
                noise_success=1 << 44, flood_success=2**64 - 2**52, noise_rate=1 << 40,
                flood_rate=1 << 54, honest=900, max_noise=65534),
            "rappor": pb.Rappor(bits=32, hashes=2, cohorts=1, seed=1, prr_threshold=1,
                                irr_q_threshold=1)}

    def check(self, kind, message, size=20):
        mechanisms.check_mechanism(messages("task").Mechanism(**{kind: message}), size)

    def test_valid_ones_are_taken(self):
        self.assertEqual({"local_hash", *self.valid}, set(mechanisms.MECHANISMS))
        for kind, message in self.valid.items():
            self.check(kind, message)

    def test_one_field_out_of_its_bounds(self):
        spread = (0, (1 << 40) + 1)
        most = (0, 65535, 2**32 - 1)
        rate = (0, (1 << 54) + 1)
        success = (0, (1 << 44) - 1, 2**64 - 2**52 + 1, 2**64 - 1)
        for path, values in {
                "rappor.bits": (0, 19, 257), "rappor.hashes": (0, 17), "rappor.cohorts": (0, 2),
                "rappor.prr_threshold": (0,), "rappor.irr_q_threshold": (0,),
                "grr.blanket_threshold": (0,), "aue.coin_threshold": (0, HALF + 1),
                "aue.honest": spread, "aue.max_dummies": most,
                "pure_dump.dummies.rate": rate, "pure_dump.dummies.honest": spread,
                "pure_dump.dummies.max": most, "mix_dump.dummies.rate": rate,
                "mix_dump.dummies.honest": spread, "mix_dump.dummies.max": most,
                "mix_dump.response.blanket_threshold": (0,),
                "murs.local_hash.family": (0, 2, 3), "murs.local_hash.range": (0, 3, 9),
                "murs.local_hash.blanket_threshold": (0,), "murs.local_hash.lane_bits": (32,),
                "murs.fakes": (0, (1 << 32) + 1),
                "correlated.noise_success": success, "correlated.flood_success": success,
                "correlated.noise_rate": rate, "correlated.flood_rate": rate,
                "correlated.honest": spread, "correlated.max_noise": most}.items():
            kind, *parents, last = path.split(".")
            for value in values:
                changed = type(self.valid[kind])()
                changed.CopyFrom(self.valid[kind])
                parent = changed
                for name in parents:
                    parent = getattr(parent, name)
                setattr(parent, last, value)
                with self.subTest(path=path, value=value), self.assertRaises(Refused):
                    self.check(kind, changed)

    def test_parts_that_are_missing(self):
        pb = messages("task")
        for kind, message in (("pure_dump", pb.PureDump()), ("murs", pb.Murs(fakes=1)),
                              ("mix_dump", pb.MixDump(dummies=self.valid["pure_dump"].dummies)),
                              ("mix_dump", pb.MixDump(response=self.valid["grr"]))):
            with self.subTest(kind), self.assertRaises(Refused):
                self.check(kind, message)
        with self.assertRaises(Refused):
            mechanisms.check_mechanism(pb.Mechanism(), 20)

    def test_correlated_rates_that_are_too_small(self):
        # At success 1/2 the least honest * rate is 2^40 * 20 * ln 2, which is 13.86 * 2^40.
        for honest, noise, flood, taken in ((14, ONE, ONE, True), (13, ONE, 2 * ONE, False),
                                            (13, 2 * ONE, ONE, False)):
            message = messages("task").Correlated(
                noise_success=HALF, flood_success=HALF, noise_rate=noise, flood_rate=flood,
                honest=honest, max_noise=1000)
            with self.subTest(honest=honest, noise=noise):
                if taken:
                    self.check("correlated", message)
                else:
                    with self.assertRaises(Refused):
                        self.check("correlated", message)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tombola_stubs_") as stubs:
        requirements.generate_stubs(sys.argv[1], stubs)
        unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
