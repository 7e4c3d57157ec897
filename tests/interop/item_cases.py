"""Sets and key-value pairs, by the Python device through the daemons. Run by interop_test.py."""

import collections
import math
import secrets
import tempfile

import deployment
import mechanisms
import placing
import tombola_client as client
from device_case import DeviceCase
from noise_law import mean_of, noise_law
from seeded import Seeded

ACCEPTED, DUPLICATE, REJECTED = 1, 2, 3
SEALED = 53  # A ValueReport or SignedReport.
KEYS, MOST = 6, 4
# What devices hold, and how many hold it. Nobody has key 5.
TRUTH = (({0: 0.5, 1: -1}, 300), ({0: 1, 2: 0.25, 3: -0.3, 4: 0.9}, 150), ({}, 90), ({1: 0.1}, 60))
DEVICES = sum(count for _, count in TRUTH)
# Of one interval, had the seed been drawn: as good as the collector's interval, an approximation
# (docs/cli.md). There are 6 frequencies, 6 means at most and 1 share of full ones in each of 16
# answers, so all of them together fail a right client with probability at most 2.1e-7.
ANY_FAILURE = 1e-9


def holders(key):
    return sum(count for held, count in TRUTH if key in held)


def true_mean(key):
    return sum(count * held[key] for held, count in TRUTH if key in held) / holders(key)


def read_signed(report):
    change = client.messages("report").SignedReport.FromString(report).change
    return (abs(change) - 1, 1 if change > 0 else -1)


def read_value(report):
    return (client.messages("report").ValueReport.FromString(report).value, 1)


class Estimates:
    """Shares by the page's laws, from the counts of what was sent: a cell that a share f of n
    devices fill has a mean of n (f signal + noise) reports."""

    def __init__(self, task, reports):
        mechanism, cells = task.mechanism, placing.cell_count(task)
        kind = mechanism.WhichOneof("kind")
        sent = task.items.sent
        self.signal = sent / task.items.max_items
        self.noise = mean_of(noise_law(mechanism, cells)) / cells
        if kind == "grr":
            blanket = mechanism.grr.blanket_threshold / 2**64
            self.signal *= 1 - blanket
            self.noise = sent * blanket / cells
        elif kind == "correlated":
            self.noise = 0
        reader = read_signed if kind == "correlated" else read_value
        self.counts = collections.Counter()
        for cell, change in map(reader, reports):
            self.counts[cell] += change

    def share(self, cell):
        return (self.counts[cell] / DEVICES - self.noise) / self.signal


class ItemsTest(DeviceCase):
    """A batch of 600 devices over 6 keys for each kind, mechanism and number of cells said."""

    def report(self, device, records):
        """Submits for all devices, most of them twice."""
        # All but one, so that what is sent twice is still held; then the last one.
        first = device.request(records[:-1])
        self.assertEqual(device.send(first), [ACCEPTED] * (DEVICES - 1))
        self.assertEqual(device.send(first), [DUPLICATE] * (DEVICES - 1))
        self.assertEqual(device.submit(records[-1:]), [ACCEPTED])

    def check(self, kind, mechanism, sent, epsilon=4):
        pairs = kind == "key_value"
        options = {"value_range": "-1:1", "levels": 3} if pairs else {}
        task = deployment.running.create_task(
            f"{kind} {mechanism} {sent}", users=DEVICES, epsilon=epsilon, domain=KEYS, kind=kind,
            mechanism=mechanism, max_items=MOST, sent=sent, **options)
        device = self.connect(task, random=Seeded(15))
        self.assertEqual((device.task.mechanism.WhichOneof("kind"), device.task.items.sent),
                         (mechanism, sent))
        records = [list(held.items()) if pairs else list(held)
                   for held, count in TRUTH for _ in range(count)]
        self.report(device, records)
        again = Seeded(15)  # The same draws once more: what was sent is known.
        reports = [report for record in records
                   for report in mechanisms.encode(device.task, record, again)]
        status = deployment.running.wait_until_counted(task["task"])
        self.assertEqual((status["accepted"], status["duplicates"]), (DEVICES, DEVICES - 1))
        answer = self.query(task, "--confidence", str(1 - ANY_FAILURE))
        self.assertEqual((answer["reports"], answer["rejected"]), (DEVICES, 0))
        self.assertEqual(answer["messages"], len(reports))
        self.assertEqual(task["max_messages_per_user"],
                         mechanisms.most_reports(device.task.mechanism, sent))
        self.check_counted(device.task, answer, Estimates(device.task, reports))
        self.check_true(answer)

    def check_counted(self, task, answer, estimates):
        """Every number of the answer follows from the very reports that were sent: one report more
        or less would change a share by 1 / DEVICES at least."""
        count = task.levels.count or 1
        for key, row in enumerate(answer["bins"]):
            self.assertEqual(row["value"], key)
            shares = [estimates.share(key * count + level) for level in range(count)]
            self.assertAlmostEqual(row["raw"], sum(shares), delta=1e-7)
            if row.get("mean") is not None:
                step = 2 / (count - 1)
                total = sum((-1 + step * level) * share for level, share in enumerate(shares))
                mean = max(-1, min(1, total / sum(shares)))
                self.assertAlmostEqual(row["mean"], mean, delta=1e-5)
        pads = [estimates.share(placing.pads_begin(task) + j) for j in range(MOST)]
        fewer = [0, *pads[::-1], 1]  # The shares that hold fewer than 0, 1, ... things.
        self.assertEqual(len(answer["sizes"]), MOST + 1)
        for size, share in enumerate(answer["sizes"]):
            self.assertAlmostEqual(share, fewer[size + 1] - fewer[size], delta=1e-7)

    def check_true(self, answer):
        """And fits what the devices hold."""
        self.assertGreater(answer["bins"][0]["low"], 0, "the test has no power")
        for key, row in enumerate(answer["bins"]):
            self.assertLessEqual(row["low"], holders(key) / DEVICES, row)
            self.assertGreaterEqual(row["high"], holders(key) / DEVICES, row)
            if row.get("mean") is not None and holders(key):
                self.assertLessEqual(row["mean_low"], true_mean(key) + 1e-9, row)
                self.assertGreaterEqual(row["mean_high"], true_mean(key) - 1e-9, row)
        full = sum(count for held, count in TRUTH if len(held) >= MOST) / DEVICES
        self.assertTrue(answer["full_low"] <= full <= answer["full_high"], answer["full"])

    def test_pure_dump(self):
        for kind in ("set", "key_value"):
            for sent in (4, 2, 1):
                with self.subTest(kind=kind, sent=sent):
                    self.check(kind, "pure_dump", sent)

    def test_grr(self):
        for kind in ("set", "key_value"):
            for sent in (4, 2, 1):
                with self.subTest(kind=kind, sent=sent):
                    self.check(kind, "grr", sent)

    def test_aue(self):
        for kind in ("set", "key_value"):
            with self.subTest(kind=kind):
                self.check(kind, "aue", MOST)

    def test_correlated(self):
        for kind in ("set", "key_value"):
            with self.subTest(kind=kind):
                self.check(kind, "correlated", MOST)


class RecordTest(DeviceCase):
    """Records that do not fit as they are."""

    USERS = 400
    OPTIONS = {"mechanism": "pure_dump", "max_items": MOST, "sent": MOST}

    def connect_to(self, kind, epsilon=8, **options):
        pairs = {"value_range": "-1:1", "levels": 3} if kind == "key_value" else {}
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(f"key {i}" for i in range(KEYS)))
            file.flush()
            task = deployment.running.create_task(
                f"records of {kind}", users=self.USERS, epsilon=epsilon, kind=kind,
                values=file.name, **{**self.OPTIONS, **pairs, **options})
        return task, self.connect(task)

    def test_of_more_than_max_items_a_uniform_choice_is_counted(self):
        """Each of 6 keys is kept with probability 4/6. A count is a sum of independent indicators
        of variance n 2/9 and a Poisson number of dummies, of mean and variance D; so it is t or
        more away from its mean with probability at most 2 exp(-t^2 / (2 (n 2/9 + D + t / 3)))."""
        any_failure = 1e-9  # Of one key; there are twelve.
        for kind in ("set", "key_value"):
            task, device = self.connect_to(kind)
            names = [f"key {i}" for i in range(KEYS)]
            record = names if kind == "set" else [(name, 0.5) for name in names]
            self.assertEqual(device.submit([record] * self.USERS), [ACCEPTED] * self.USERS)
            deployment.running.wait_until_counted(task["task"])
            answer = self.query(task)
            levels = device.task.levels.count or 1
            dummies = levels * self.USERS * (task["messages_per_user"] - MOST) / placing.cell_count(
                device.task)
            logarithm = math.log(2 / any_failure)
            variance = self.USERS * 2 / 9 + dummies
            t = logarithm / 3 + math.sqrt((logarithm / 3) ** 2 + 2 * variance * logarithm)
            self.assertLess(t / self.USERS, 1 / 3, "the test has no power")
            for row in answer["bins"]:
                self.assertLessEqual(abs(row["raw"] - MOST / KEYS), t / self.USERS, row)
            self.assertIn("larger --max-items", answer["hint"])

    def test_what_is_outside_is_refused_and_nothing_is_sent(self):
        for kind, bad in (("set", [["key 0", "nobody"]]),
                          ("key_value", [[("nobody", 0)], [("key 0", 1.5)],
                                         [("key 0", float("nan"))], [("key 0", 0), ("key 0", 1)]])):
            task, device = self.connect_to(kind)
            for record in bad:
                with self.subTest(record=record), self.assertRaises(client.Refused):
                    device.submit([[], record])
            status = deployment.running.status(task["task"])
            self.assertEqual(status["accepted"], 0)

    def test_a_submission_has_as_many_reports_as_its_cells_and_noise_and_no_more(self):
        for mechanism, sent in (("pure_dump", 2), ("grr", 2), ("aue", 4), ("correlated", 4)):
            with self.subTest(mechanism):
                _, device = self.connect_to("set", mechanism=mechanism, sent=sent)
                most = mechanisms.most_reports(device.task.mechanism, sent)
                # The shuffler cannot see that these are no reports.
                submissions = [[secrets.token_bytes(SEALED) for _ in range(count)]
                               for count in (most, most + 1)]
                key = device.current_key()
                self.assertEqual(device.send(device.call_of(submissions, key)),
                                 [ACCEPTED, REJECTED])

    def test_the_last_pad_is_counted_and_what_is_beyond_is_not(self):
        for mechanism, report in (("pure_dump", mechanisms.value_report),
                                  ("correlated", lambda cell: mechanisms.signed_report(-1, cell))):
            task, device = self.connect_to("key_value", mechanism=mechanism)
            key = device.current_key()
            info = client.report_info(device.task_id, key.key_id)
            cells = placing.cell_count(device.task)
            self.assertEqual(cells, 3 * KEYS + MOST)
            given = [[client.seal(key.public_key, info, report(cell))]
                     for cell in (cells - 1, cells, 2**31 - 2)]
            good = self.USERS - len(given)
            self.assertEqual(device.send(device.call_of(given, key)), [ACCEPTED] * len(given))
            self.assertEqual(device.submit([[]] * good), [ACCEPTED] * good)
            deployment.running.wait_until_counted(task["task"])
            self.assertEqual(self.query(task)["rejected_by_cause"],
                             {"unopened": 0, "malformed": 0, "out_of_range": 2})
