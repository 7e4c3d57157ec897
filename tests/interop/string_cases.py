"""Strings, by the Python device through the daemons. Run by interop_test.py."""

import secrets

import deployment
import tombola_client as client
from device_case import DeviceCase
from grpc import StatusCode
from string_cells import string_report

ACCEPTED, DUPLICATE = 1, 2
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
DEVICES = 600
# As devices hold them, and how many do; "Gr\u00fc\u00dfe" has a character that the alphabet lacks.
TRUTH = {"Toledo": 240, "toledo": 60, "Gr\u00fc\u00dfe": 200, "tea": 100}
SPELLED = {"toledo": 300, "gr\ufffdsse": 200, "tea": 100}
# Of one interval, had the seed been drawn: there are 3 in each of 2 answers.
ANY_FAILURE = 1e-9


class StringsTest(DeviceCase):
    def test_what_the_python_device_says_is_found(self):
        for way in ("one_message", "every_level"):
            with self.subTest(way):
                task = deployment.running.create_task(
                    f"strings {way}", users=DEVICES, kind="strings", alphabet=ALPHABET, length=6, step=2,
                    fold_case=True, mechanism=way, max_local_epsilon="none")
                device = self.connect(task)
                held = [text.encode() for text, count in TRUTH.items() for _ in range(count)]
                request = device.request(held[:-1])
                self.assertEqual(device.send(request), [ACCEPTED] * (DEVICES - 1))
                self.assertEqual(device.send(request), [DUPLICATE] * (DEVICES - 1))
                self.assertEqual(device.submit(held[-1:]), [ACCEPTED])
                deployment.running.wait_until_counted(task["task"])
                answer = self.query(task, "--confidence", repr(1 - ANY_FAILURE))
                self.assertEqual((answer["reports"], answer["rejected"]), (DEVICES, 0))
                found = {row["value"]: row for row in answer["bins"]}
                for text, count in SPELLED.items():
                    self.assertIn(text, found)
                    self.assertLessEqual(found[text]["low"], count / DEVICES)
                    self.assertGreaterEqual(found[text]["high"], count / DEVICES)
                # One that nobody holds comes with a probability of 0.05, three with less than 1e-4.
                self.assertLess(len(found), len(SPELLED) + 3)

    def test_reports_that_are_no_cells_are_dropped_by_cause(self):
        task = deployment.running.create_task(
            "no cells", users=50, kind="strings", alphabet="ab", length=4, step=2, epsilon=12,
            range=64, mechanism="one_message")
        device = self.connect(task)
        key = device.current_key()
        info = client.report_info(device.task_id, key.key_id)
        # A level that there is not, and a bucket.
        beyond = [string_report(2, 0, 0), string_report(0, 0, 64)]
        request = device.request([b"ab"] * (50 - len(beyond)), key)
        bad = [client.seal(key.public_key, info, report) for report in beyond]
        request.submission_ids += secrets.token_bytes(16 * len(bad))
        request.sealed_reports += b"".join(bad)
        self.assertEqual(device.send(request), [ACCEPTED] * 50)
        deployment.running.wait_until_counted(task["task"])
        causes = self.query(task)["rejected_by_cause"]
        self.assertEqual((causes["malformed"], causes["out_of_range"]), (0, 2))
        short = device.request([b"ab"])
        short.sealed_reports = client.seal(key.public_key, info, b"\0" * 5)
        self.assert_status(StatusCode.INVALID_ARGUMENT, device.stub.Submit, short)
