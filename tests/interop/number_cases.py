"""Numbers, by the Python device through the daemons. Run by interop_test.py."""

import deployment
import mechanisms
import placing
import tombola_client as client
from device_case import DeviceCase
from item_cases import read_signed, read_value
from noise_law import mean_of, noise_law
from seeded import Seeded

ACCEPTED, DUPLICATE = 1, 2
BINS = 10
# How many devices have which number in [0, 5].
TRUTH = ((0, 100), (1.2, 150), (2.25, 200), (4.9, 120), (5, 30))
DEVICES = sum(count for _, count in TRUTH)
# Of one interval, had the seed been drawn: there are fewer than 20 in each of 8 answers.
ANY_FAILURE = 1e-9


def estimates(task, reports):
    """The share of every cell, by the page's laws, from the counts of what was sent."""
    mechanism, cells = task.mechanism, placing.cell_count(task)
    kind = mechanism.WhichOneof("kind")
    signal, noise = 1, mean_of(noise_law(mechanism, cells)) / cells
    if kind in ("grr", "mix_dump"):
        response = mechanism.grr if kind == "grr" else mechanism.mix_dump.response
        blanket = response.blanket_threshold / 2**64
        signal, noise = 1 - blanket, noise + task.numbers.sent * blanket / cells
    elif kind == "correlated":
        noise = 0
    counts = [0] * cells
    for cell, change in map(read_signed if kind == "correlated" else read_value, reports):
        counts[cell] += change
    means = [noise * ratio * cells for ratio in noise_ratios(task)] or [noise] * cells
    return [(count / DEVICES - mean) / signal for count, mean in zip(counts, means, strict=True)]


def noise_ratios(task):
    """For each cell the part of all dummies that it has, where levels have noise of their own."""
    rates, levels = task.mechanism.pure_dump.level_rates, placing.level_cells(task)
    return [rate / sum(rates) / nodes for rate, nodes in zip(rates, levels) for _ in range(nodes)]


def least_squares(task, shares):
    """The bins that agree best with the shares of all nodes, each known as well as its dummies are
    few, and sum to 1."""
    levels, branching = placing.tree_of(task), task.numbers.branching
    ratios = noise_ratios(task) or [1.0] * placing.cell_count(task)
    own = [ratios[first] / ratios[0] for _, _, first in levels]
    known, error = [shares[:BINS]], [[1.0] * BINS]
    for level, (_, nodes, first) in enumerate(levels[1:], 1):
        below = [range(node * branching, min((node + 1) * branching, len(known[-1])))
                 for node in range(nodes)]
        sums = [(sum(known[-1][i] for i in part), sum(error[-1][i] for i in part)) for part in below]
        error.append([1 / (1 / own[level] + 1 / variance) for _, variance in sums])
        known.append([weight * (shares[first + node] / own[level] + total / variance)
                      for node, ((total, variance), weight) in enumerate(zip(sums, error[-1]))])
    lack = 1 - sum(known[-1])
    exact = [value + lack * weight / sum(error[-1]) for value, weight in zip(known[-1], error[-1])]
    for level in range(len(levels) - 2, -1, -1):
        lower = list(known[level])
        for node, value in enumerate(exact):
            part = range(node * branching, min((node + 1) * branching, len(lower)))
            lack = value - sum(lower[i] for i in part)
            whole = sum(error[level][i] for i in part)
            for i in part:
                lower[i] += lack * error[level][i] / whole
        exact = lower
    return exact


class NumbersTest(DeviceCase):
    """A batch of 600 devices with a number each."""

    def report(self, device, records):
        """Submits for all devices, most of them twice."""
        request = device.request(records[:-1])  # What is sent twice is still held.
        self.assertEqual(device.send(request), [ACCEPTED] * (len(records) - 1))
        self.assertEqual(device.send(request), [DUPLICATE] * (len(records) - 1))
        self.assertEqual(device.submit(records[-1:]), [ACCEPTED])

    def check(self, mechanism, branching, epsilon=4):
        task = deployment.running.create_task(
            f"numbers {mechanism} {branching} {epsilon}", users=DEVICES, epsilon=epsilon,
            kind="number", mechanism=mechanism, value_range="0:5", resolution=BINS,
            branching=branching)
        device = self.connect(task, random=Seeded(16))
        self.assertEqual(device.task.numbers.branching, branching)
        records = [number for number, count in TRUTH for _ in range(count)]
        self.report(device, records)
        again = Seeded(16)  # The same draws once more: what was sent is known.
        reports = [report for record in records
                   for report in mechanisms.encode(device.task, record, again)]
        deployment.running.wait_until_counted(task["task"])
        answer = self.query(task, "--confidence", str(1 - ANY_FAILURE))
        self.assertEqual((answer["reports"], answer["rejected"]), (DEVICES, 0))
        self.assertEqual(answer["messages"], len(reports))
        self.assertEqual(task["max_messages_per_user"], mechanisms.most_reports(
            device.task.mechanism, device.task.numbers.sent))
        self.check_true(answer)
        self.assertEqual(len(task["parameters"].get("level_dummies", [])),
                         len(device.task.mechanism.pure_dump.level_rates))
        if mechanism != "grr" or branching == 0:  # Else levels are not known equally well.
            shares = estimates(device.task, reports)
            for row, share in zip(answer["bins"], least_squares(device.task, shares), strict=True):
                self.assertAlmostEqual(row["raw"], share, delta=1e-7)
        return device

    def check_true(self, answer):
        mean = sum(number * count for number, count in TRUTH) / DEVICES
        spread = 5 / BINS / 2
        self.assertLessEqual(answer["mean"]["low"] - spread, mean)
        self.assertGreaterEqual(answer["mean"]["high"] + spread, mean)
        for row in answer["bins"]:
            last = row["high_edge"] == 5
            held = sum(count for number, count in TRUTH if row["low_edge"] <= number
                       and (number < row["high_edge"] or last)) / DEVICES
            self.assertLessEqual(row["low"], held)
            self.assertGreaterEqual(row["high"], held)

    def test_bins_alone(self):
        for mechanism in ("grr", "pure_dump", "mix_dump"):
            with self.subTest(mechanism=mechanism):
                self.check(mechanism, 0)

    def test_trees(self):
        for mechanism, branching in (("pure_dump", 3), ("aue", 2), ("correlated", 5), ("grr", 5)):
            with self.subTest(mechanism=mechanism):
                self.check(mechanism, branching)

    def test_a_tree_whose_levels_have_dummies_of_their_own(self):
        device = self.check("pure_dump", 3, epsilon=1)  # With more, empty nodes would tell most.
        self.assertEqual(len(device.task.mechanism.pure_dump.level_rates), 3)

    def test_a_missing_number_is_counted_apart(self):
        task = deployment.running.create_task(
            "missing numbers", users=DEVICES, epsilon=4, kind="number", mechanism="pure_dump",
            value_range="0:5", resolution=BINS, branching=3, missing=True)
        device = self.connect(task)
        self.report(device, [None] * 200 + [1.5] * (DEVICES - 200))
        deployment.running.wait_until_counted(task["task"])
        count = self.query(task, "--confidence", str(1 - ANY_FAILURE))["count"]
        self.assertLessEqual(count["low"], DEVICES - 200)
        self.assertGreaterEqual(count["high"], DEVICES - 200)

    def test_what_is_outside_is_refused_and_nothing_is_sent(self):
        task = deployment.running.create_task(
            "numbers within", users=DEVICES, epsilon=4, kind="number", mechanism="pure_dump",
            value_range="0:5", resolution=BINS)
        device = self.connect(task)
        for number in (-0.01, 5.01, float("nan"), None):
            with self.subTest(number=number), self.assertRaises(client.Refused):
                device.submit([1, number])
        self.assertEqual(deployment.running.status(task["task"])["accepted"], 0)
