"""Every mechanism but local_hash, by the Python device through the daemons. Run by
interop_test.py."""

import secrets

import deployment
import mechanisms
import tombola_client as client
from device_case import DeviceCase
from noise_law import bounds_of_sum, mean_of, noise_law

ACCEPTED, DUPLICATE, REJECTED = 1, 2, 3
TRUTH = (360, 90, 60, 45, 30, 15, 0, 0)  # Devices for each value.
DEVICES, DOMAIN = sum(TRUTH), len(TRUTH)
SEALED = 53  # A ValueReport or SignedReport.
# Of one bin, and of one number of messages. There are 8 bins in each of 7 histograms and 4 numbers
# that vary, so all of them together fail a right client with probability at most 6e-7. For the
# bins that is as good as the collector's interval, an approximation (docs/cli.md); for the numbers
# it is proven.
ANY_FAILURE = 1e-8


class MechanismTest(DeviceCase):
    """A batch of 600 devices over 8 values for each mechanism."""

    def report(self, device):
        """Submits for all devices, most of them twice; the number of messages."""
        held = [value for value, count in enumerate(TRUTH) for _ in range(count)]
        # All but one, so that what is sent twice is still held; then the last one.
        first, last = device.request(held[:-1]), device.request(held[-1:])
        self.assertEqual(device.send(first), [ACCEPTED] * (DEVICES - 1))
        self.assertEqual(device.send(first), [DUPLICATE] * (DEVICES - 1))
        self.assertEqual(device.send(last), [ACCEPTED])
        return sum(sum(request.report_counts) or len(request.submission_ids) // 16
                   for request in (first, last))

    def check(self, mechanism, epsilon=1, **options):
        task = deployment.running.create_task(mechanism, users=DEVICES, epsilon=epsilon,
                                              domain=DOMAIN, mechanism=mechanism, **options)
        device = self.connect(task)
        self.assertEqual(device.task.mechanism.WhichOneof("kind"), mechanism)
        fakes = device.task.mechanism.murs.fakes  # 0 for all others.
        messages = self.report(device)
        status = deployment.running.wait_until_counted(task["task"])
        self.assertEqual((status["accepted"], status["duplicates"]), (DEVICES, DEVICES - 1))
        answer = self.query(task, "--confidence", str(1 - ANY_FAILURE))
        self.assertEqual((answer["reports"], answer["rejected"]), (DEVICES, 0))
        self.assertEqual((answer["messages"], answer["fakes"]), (messages + fakes, fakes))
        self.assertEqual(answer["guarantee"]["users"], DEVICES)
        self.check_messages(task, device.task.mechanism, messages)
        self.assertEqual([entry["value"] for entry in answer["bins"]], list(range(DOMAIN)))
        for entry, count in zip(answer["bins"], TRUTH):
            self.assertLess(entry["high"] - entry["low"], 0.4, "the test has no power")
            self.assertLessEqual(entry["low"], count / DEVICES, entry)
            self.assertGreaterEqual(entry["high"], count / DEVICES, entry)
        return device.task.mechanism

    def check_messages(self, task, mechanism, messages):
        """What was sent fits the law, and the law is the one that the collector planned with."""
        self.assertEqual(task["max_messages_per_user"], mechanisms.most_reports(mechanism))
        law = noise_law(mechanism, DOMAIN)
        self.assertEqual(len(law), mechanisms.most_reports(mechanism))
        self.assertAlmostEqual(task["messages_per_user"], 1 + mean_of(law), delta=1e-9)
        if len(law) == 1:
            self.assertEqual(messages, DEVICES)
            return
        low, high = bounds_of_sum(law, DEVICES, ANY_FAILURE)
        self.assertTrue(0 < low < high, "the test has no power")
        self.assertLessEqual(low, messages - DEVICES)
        self.assertGreaterEqual(high, messages - DEVICES)

    def test_grr(self):
        self.check("grr")

    def test_aue(self):
        self.check("aue")

    def test_pure_dump(self):
        self.check("pure_dump")

    def test_mix_dump(self):
        self.check("mix_dump")

    def test_correlated(self):
        self.check("correlated", epsilon=4)  # 3.5 messages a device; at 1 they are 9.2.

    def test_rappor(self):
        self.check("rappor", epsilon=2, hashes=2)

    def test_murs(self):
        self.assertEqual(self.check("murs", epsilon=2, fakes=70).murs.fakes, 70)


class SeveralReportsTest(DeviceCase):
    def connect_to(self, mechanism, users=300):
        task = deployment.running.create_task(mechanism, users=users, epsilon=8, domain=DOMAIN,
                                              mechanism=mechanism)
        return task, self.connect(task)

    def test_a_submission_has_as_many_reports_as_the_task_allows_and_no_more(self):
        for mechanism in mechanisms.MECHANISMS:
            with self.subTest(mechanism):
                _, device = self.connect_to(mechanism)
                key = device.current_key()
                most = mechanisms.most_reports(device.task.mechanism)
                length = len(client.seal(key.public_key, b"",
                                         mechanisms.encode(device.task, 0)[0]))
                # The shuffler cannot see that these are no reports.
                submissions = [[secrets.token_bytes(length) for _ in range(count)]
                               for count in (most, most + 1, 1, 0)]
                self.assertEqual(device.send(device.call_of(submissions, key)),
                                 [ACCEPTED, REJECTED, ACCEPTED, REJECTED])

    def test_a_submission_with_one_report_sent_before_is_a_duplicate_as_a_whole(self):
        _, device = self.connect_to("pure_dump")
        key = device.current_key()
        first, second, third = (secrets.token_bytes(SEALED) for _ in range(3))
        self.assertEqual(device.send(device.call_of([[first, second], [second, third]], key)),
                         [ACCEPTED, DUPLICATE])
        self.assertEqual(device.send(device.call_of([[third]], key)), [ACCEPTED])

    def check_bad(self, mechanism, malformed, out_of_range):
        """These reports, each a submission of its own among good ones, are dropped by cause."""
        task, device = self.connect_to(mechanism)
        key = device.current_key()
        info = client.report_info(device.task_id, key.key_id)
        bad = [[client.seal(key.public_key, info, plaintext)]
               for plaintext in malformed + out_of_range]
        self.assertEqual({len(sealed[0]) for sealed in bad}, {SEALED})
        good = task["users"] - len(bad)
        self.assertEqual(device.submit([5] * good), [ACCEPTED] * good)
        self.assertEqual(device.send(device.call_of(bad, key)), [ACCEPTED] * len(bad))
        deployment.running.wait_until_counted(task["task"])
        answer = self.query(task)
        self.assertEqual(answer["rejected_by_cause"], {
            "unopened": 0, "malformed": len(malformed), "out_of_range": len(out_of_range)})
        self.assertEqual(answer["guarantee"]["users"], good)

    def test_bad_value_reports(self):
        good = mechanisms.value_report(0)
        self.check_bad(
            "pure_dump", malformed=[bytes(5), b"\x08" + good[1:], good[1:] + good[:1]],
            out_of_range=[mechanisms.value_report(value) for value in (DOMAIN, 2**31, 2**32 - 1)])

    def test_bad_signed_reports(self):
        good = mechanisms.signed_report(1, 0)
        self.check_bad(
            "correlated", malformed=[bytes(5), b"\x15" + good[1:], good[1:] + good[:1]],
            out_of_range=[mechanisms.signed_report(sign, value) for sign, value in (
                (1, -1), (1, DOMAIN), (-1, DOMAIN), (1, 2**31 - 2), (-1, 2**31 - 1))])
