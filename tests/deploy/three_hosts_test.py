#!/usr/bin/env python3
"""The guide of docs/deploy.md, command by command, on three hosts; what crosses the wire then; and what
upgrading and removing the packages leaves.

Hosts are namespaces: an address, a firewall and files of their own each. The files are a minimal Debian 12's
(clean_root.py), or this machine's where no mirror can be reached. `scp`, `systemctl` and the way that
`apt-get` downloads are stand-ins (stand_ins/), everything else in the guide is what it says. Skipped (exit
code 77) where namespaces cannot be made.

usage: three_hosts_test.py BIN_DIR PACKAGES CLEAN_ROOT [unittest arguments]
"""
import collections
import json
import pathlib
import re
import sys
import unittest

import capture
from hosts import ADDRESSES, Hosts, missing
from packages import newer
from support.programs import SKIPPED, SOURCE, run
from support.waiting import until

PACKAGES, CLEAN_ROOT = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
VALUES = ("aquamarine", "burgundy", "chartreuse", "vermilion")
CONFIG = "$HOME/tombola/tombola.json"
CONNECT = ("/usr/bin/python3 -c 'import socket, sys; "
           "socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=3)' ")


def blocks():
    """[(host, script)]: the guide's commands in its order."""
    guide = (SOURCE / "docs/deploy.md").read_text(encoding="utf-8")
    return re.findall(r"^```sh (\w+)\n(.*?)^```$", guide, re.M | re.S)


def events(hosts, party):
    """What a daemon has logged."""
    text = (hosts.root / f"tombola-{party}.log").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Guide(unittest.TestCase):
    """The hosts as the guide leaves them, what it printed, and what was logged meanwhile."""

    @classmethod
    def setUpClass(cls):
        if not hasattr(Guide, "hosts"):
            Guide.follow()

    @staticmethod
    def follow():
        hosts = Guide.hosts = Hosts(PACKAGES.glob("*.deb"),
                                    CLEAN_ROOT if CLEAN_ROOT.is_dir() else None)
        unittest.addModuleCleanup(hosts.close)
        Guide.capture = hosts.listen("guide")
        Guide.printed = [hosts.inside(host, script).stdout for host, script in blocks()]
        hosts.hush()
        Guide.task = hosts.inside("desk", f"tombola task list --config {CONFIG}").stdout.split()[0]
        Guide.events = {party: events(hosts, party) for party in ("shuffler", "collector")}

    def ask(self, words):
        return json.loads(self.hosts.inside("desk", f"tombola {words} --config {CONFIG} --json")
                          .stdout)


class ThreeHosts(Guide):
    def test_every_block_of_the_guide_names_its_host(self):
        guide = (SOURCE / "docs/deploy.md").read_text(encoding="utf-8")
        fences = re.findall(r"^```(\S.*)$", guide, re.M)
        self.assertEqual(fences.count("sh"), 1)  # ./dev package, which has happened
        self.assertEqual({fence for fence in fences if fence != "sh"},
                         {f"sh {host}" for host in ADDRESSES})

    def test_the_devices_are_counted_and_the_analyst_sees_the_histogram(self):
        answer = self.ask(f"query --task {self.task}")
        self.assertEqual(answer["reports"], 2000)
        self.assertEqual({found["value"] for found in answer["bins"]}, set(VALUES))
        self.assertLessEqual(answer["guarantee"]["epsilon"], 1)
        drawn = [text for text in self.printed if "guarantee: epsilon" in text]
        self.assertEqual(len(drawn), 1)
        for value in VALUES:
            self.assertIn(value, drawn[0])

    def test_the_renewed_certificate_was_taken_over_and_the_restart_was_clean(self):
        names = [line["event"] for line in self.events["shuffler"]]
        self.assertEqual(names.count("shuffler_started"), 2)
        self.assertEqual(names.count("shuffler_stopped"), 1)
        reloaded = [line for line in self.events["shuffler"] if line["event"] == "reloaded"]
        self.assertEqual(len(reloaded), 1)
        self.assertEqual(reloaded[0]["certificates"], "taken over")
        self.assertGreater(reloaded[0]["generation"], 1)

    def test_the_certificate_of_the_lost_laptop_is_revoked_and_its_successor_is_not(self):
        self.ask("keys list")  # with the renewed one
        lists = self.hosts.inside("desk", "cat $HOME/tombola/revoked.pem").stdout
        for party in ("shuffler", "collector"):
            self.assertEqual(
                self.hosts.inside(party, f"cat /etc/tombola/{party}/revoked.pem").stdout, lists)
        text = self.hosts.inside("desk", "openssl crl -noout -text -in $HOME/tombola/revoked.pem")
        self.assertEqual(text.stdout.count("Serial Number:"), 1)

    def test_the_analyst_asks_over_https_by_token_and_by_certificate(self):
        tasks = [text for text in self.printed if '"tasks":' in text]
        self.assertEqual(len(tasks), 1)
        lines = tasks[0].splitlines()
        self.assertEqual([task["task"] for task in json.loads(lines[0])["tasks"]], [self.task])
        self.assertEqual(json.loads(lines[1]), {"roles": ["analyst"]})
        self.assertEqual(self.status_of("/v1/tasks"), "401")

    def test_the_page_is_where_the_guide_says(self):
        listing = run("dpkg-deb", "--contents", next(PACKAGES.glob("tombola-collector_*.deb")))
        self.assertEqual(self.status_of("/"), "200" if "web/index.html" in listing else "404")

    def status_of(self, path):
        """What an unknown caller at the desk gets of the collector's HTTP port."""
        return self.hosts.inside("desk", "curl -sS --cacert $HOME/tombola/ca.pem -o /dev/null -w "
                                         f"'%{{http_code}}' https://collector.example:7004{path}"
                                 ).stdout

    def reaches(self, host, target, port):
        return self.hosts.inside(host, CONNECT + f"{target}.example {port}",
                                 check=False).returncode == 0

    def test_the_firewalls_admit_whom_they_should_and_nobody_else(self):
        self.assertTrue(self.reaches("desk", "shuffler", 7001))
        self.assertTrue(self.reaches("shuffler", "collector", 7002))
        self.assertTrue(self.reaches("desk", "collector", 7003))
        self.assertTrue(self.reaches("desk", "collector", 7004))
        self.assertFalse(self.reaches("desk", "collector", 7002))
        self.assertFalse(self.reaches("shuffler", "collector", 7003))
        self.assertFalse(self.reaches("shuffler", "collector", 7004))
        self.assertFalse(self.reaches("collector", "shuffler", 7001))

    def test_the_wire_shows_who_talks_to_whom_and_not_what_about(self):
        streams = capture.payloads(self.capture)
        desk, shuffler, collector = (ADDRESSES[name] for name in ("desk", "shuffler", "collector"))
        callers = {(way.source, way.target, way.target_port) for way in streams
                   if way.target_port in (7001, 7002, 7003, 7004)}
        self.assertEqual(callers, {(desk, shuffler, 7001), (shuffler, collector, 7002),
                                   (desk, collector, 7003), (desk, collector, 7004)})
        sent = b"".join(streams.values())
        self.assertIn(b"shuffler.example", sent)  # TLS says whom it calls: the capture can see
        self.assertGreater(len(sent), 2000 * 64)
        for word in (*VALUES, "colours", self.task, "tombola.v1", "Submit"):
            self.assertNotIn(word.encode(), sent)
        self.assertNotIn(bytes.fromhex(self.task), sent)

    def test_submissions_have_one_size_whatever_they_say(self):
        # The submission is the last call of a connection, perhaps with a ping behind it. gRPC may
        # write it into one record with something else, and a busy machine writes the time that is
        # left for a call with more digits: so it is the size that a value mostly has, over as many
        # rounds as it takes until that is one for all. If it depended on the value it would not be.
        sizes = {value: collections.Counter() for value in VALUES}
        submitted = 0
        for rounds in range(1, 26):
            for value in VALUES:
                sizes[value][self.size_of_a_submission(value)] += 1
                submitted += 1
            usual = {found.most_common(1)[0][0] for found in sizes.values()}
            if rounds >= 3 and len(usual) == 1:
                break
        self.assertEqual(len(usual), 1, sizes)
        self.assertGreater(min(usual), 100)
        until(lambda: self.ask(f"status --task {self.task}")["accepted"] == 2000 + submitted)

    def size_of_a_submission(self, value):
        path = self.hosts.listen("device")
        self.hosts.inside("desk", f"tombola report --config {CONFIG} --task {self.task} "
                                  f"--value {value}")
        self.hosts.hush()
        streams = [stream for way, stream in capture.payloads(path).items()
                   if way.target_port == 7001]
        self.assertEqual(len(streams), 1)
        return max(length for kind, length in capture.records(streams[0])[-3:] if kind == 23)


class Upgrades(Guide):
    def state(self):
        """What analysts and the operator see of the guide's task."""
        status = self.ask(f"status --task {self.task}")
        return (self.ask(f"query --task {self.task}"),
                {key: status[key] for key in ("accepted", "held", "forwarded")})

    def starts(self, party):
        return [line["event"] for line in events(self.hosts, party)].count(f"{party}_started")

    def test_an_upgrade_and_a_removal_keep_what_was_collected(self):
        before = self.state()
        self.assertEqual(before[0]["reports"], 2000)
        for party in ("shuffler", "collector"):
            package = f"tombola-{party}"
            deb = newer(next(PACKAGES.glob(f"{package}_*.deb")), self.hosts.root)
            self.hosts.inside(party, f"echo '# mine' >> /etc/tombola/{party}.toml")
            started = self.starts(party)
            self.hosts.inside(party, f"apt-get install -y {deb}")
            self.assertEqual(self.starts(party), started + 1)  # by the package's script
            self.assertEqual(self.state(), before)
            self.hosts.inside(party, f"apt-get remove -y {package}\n[ ! -e /usr/bin/{package} ]\n"
                                     f"[ ! -e /proc/$(cat $HOSTS/{package}.pid)/exe ]")
            self.hosts.inside(party, f"apt-get install -y {deb}\nsystemctl enable --now {package}\n"
                                     f"grep -q mine /etc/tombola/{party}.toml")
            self.assertEqual(self.state(), before)


if __name__ == "__main__":
    REASON = missing()
    if REASON:
        print(f"skipped: {REASON}", file=sys.stderr)
        sys.exit(SKIPPED)
    print("hosts: a minimal Debian 12 each" if CLEAN_ROOT.is_dir() else
          "hosts: this machine's files, for want of a mirror", file=sys.stderr)
    unittest.main(verbosity=2)
