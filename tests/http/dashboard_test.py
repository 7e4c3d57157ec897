#!/usr/bin/env python3
"""The dashboard of `tombola up` and `tombola demo --stay`: reachable, with a token, until the end.

usage: dashboard_test.py BIN_DIR SOURCE_DIR [unittest arguments]
"""
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(2)).resolve()
# pylint: disable=wrong-import-position
from http_client import Http
from support.deployment import Deployment
from support.ports import free_ports
from support.programs import BIN, TOMBOLA


def caller(dashboard):
    base, token = dashboard.split("/#token=")
    return Http(base, token=token)


class Dashboard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tombola-dashboard-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_up_keeps_its_token_over_starts_and_from_others(self):
        first = Deployment(BIN, self.folder / "up")
        self.assertEqual(caller(first.ready["dashboard"]).ask("/v1/session").json(),
                         {"roles": ["analyst"]})
        for name in ("tombola.json", "keys/http-tokens"):
            mode = stat.S_IMODE((self.folder / "up" / name).stat().st_mode)
            self.assertEqual(mode, 0o600, name)
        self.assertEqual(first.stop(), 0)
        second = Deployment(BIN, self.folder / "up", "--port-base", str(free_ports(4)))
        self.addCleanup(second.stop)
        base, token = second.ready["dashboard"].split("/#token=")
        self.assertEqual(int(base.split(":")[-1]), int(second.ready["shuffler"].split(":")[-1]) + 3)
        self.assertEqual(token, first.ready["dashboard"].split("=")[-1])
        self.assertEqual(Http(base, token=token).ask("/v1/tasks").json(), {"tasks": []})
        self.assertEqual(second.stop(), 0)
        third = Deployment(BIN, self.folder / "up", "--new-token")
        self.addCleanup(third.stop)
        base, other = third.ready["dashboard"].split("/#token=")
        self.assertEqual(Http(base, token=token).ask("/v1/tasks").status, 401)
        self.assertEqual(Http(base, token=other).ask("/v1/tasks").json(), {"tasks": []})

    def test_a_page_that_is_not_there_is_named(self):
        deployment = Deployment(BIN, self.folder / "up")
        self.addCleanup(deployment.stop)
        answer = caller(deployment.ready["dashboard"]).ask("/")
        if answer.status != 200:  # a tree that was built without the page
            self.assertEqual(answer.status, 404)
            self.assertIn("page_missing", answer.json()["error"]["message"])

    def demo(self, *flags):
        return subprocess.Popen([TOMBOLA, "demo", "--devices", "500", "--epsilon", "8", *flags],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": str(self.folder)})

    def test_demo_stays_with_the_dashboard_until_it_is_told_to_end(self):
        for end in (signal.SIGINT, signal.SIGTERM):
            with self.demo("--stay", "--json") as demo:
                announced = next(line for line in demo.stderr if line.startswith("dashboard"))
                page = caller(announced.split()[1])
                self.assertEqual(page.ask("/readyz").text, "ready\n")  # while devices report
                answer = json.loads(demo.stdout.readline())
                self.assertEqual(answer["dashboard"], announced.split()[1])
                task = page.ask(f"/v1/tasks/{answer['task']}/answer").json()
                self.assertEqual(task["reports"], 500)
                self.assertIsNone(demo.poll())
                demo.send_signal(end)
                rest = demo.stderr.read()
                self.assertEqual(demo.wait(60), 0, rest)
            self.assertIn("both daemons stopped cleanly", rest)
            self.assertEqual(list(self.folder.glob("tombola-demo-*")), [])

    def test_demo_alone_ends_by_itself_and_has_no_dashboard(self):
        with self.demo() as demo:
            out, err = demo.communicate(timeout=120)
            self.assertEqual(demo.returncode, 0, err)
        self.assertNotIn("http://", out + err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
