#!/usr/bin/env python3
"""Container and compose files: parsed, and compared with the binaries and with ./dev.

usage: containers_test.py BIN_DIR [unittest arguments]
"""
import ipaddress
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from parties import DEPLOY
from support.programs import BIN, SKIPPED, SOURCE, run

try:
    import yaml
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(SKIPPED)

FOLDER = DEPLOY / "containers"
PROGRAMS = {"shuffler": "tombola-shuffler", "collector": "tombola-collector", "tools": "tombola"}
INSTRUCTIONS = {"FROM", "RUN", "COPY", "WORKDIR", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL",
                "ENTRYPOINT", "CMD"}


def instructions(name):
    """[(instruction, rest)] of a Containerfile, continuation lines joined."""
    text = (FOLDER / f"{name}.Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()
    return [tuple(line.split(None, 1)) for line in joined]


def stages(name):
    """The instructions of the building stage and of the image that is left."""
    found = instructions(name)
    second = [i for i, (word, _) in enumerate(found) if word == "FROM"][1]
    return found[:second], found[second:]


def packages(stage):
    """What apt-get installs in a stage."""
    for word, rest in stage:
        match = re.search(r"apt-get install -y --no-install-recommends ([^&]*)", rest)
        if word == "RUN" and match:
            return set(match[1].split())
    raise AssertionError("no packages")


class Containers(unittest.TestCase):
    def test_two_stages_without_root(self):
        for name, program in PROGRAMS.items():
            build, image = stages(name)
            for word, _ in (*build, *image):
                self.assertIn(word, INSTRUCTIONS)
            self.assertEqual(build[0], ("FROM", "debian:12 AS build"))
            self.assertEqual(image[0], ("FROM", "debian:12"))
            self.assertIn(("COPY", f"--from=build /src/build/bin/{program} /usr/bin/{program}"),
                          image)
            users = [rest for word, rest in image if word == "USER"]
            self.assertEqual(users, ["10001:10001"])
            words = [word for word, _ in image]
            self.assertLess(max(i for i, word in enumerate(words) if word in ("RUN", "COPY")),
                            words.index("USER"))
            entry = json.loads(dict(image)["ENTRYPOINT"])
            self.assertEqual(entry[0], f"/usr/bin/{program}")
            if name != "tools":
                self.assertEqual(entry[1:], ["--config", f"/etc/tombola/{name}.toml"])
                self.assertIn(("VOLUME", f"/var/lib/tombola-{name}"), image)
                self.assertIn(("STOPSIGNAL", "SIGTERM"), image)

    def test_they_build_with_what_dev_installs(self):
        dev = (SOURCE / "dev").read_text(encoding="utf-8")
        needed = set(re.search(r"^build_packages=\(([^)]*)\)", dev, re.M)[1].split())
        only_tests = {"libgtest-dev", "libgmock-dev", "libbenchmark-dev", "libxxhash-dev", "ccache"}
        for name in PROGRAMS:
            web = {"nodejs", "npm"} if name == "collector" else set()
            self.assertEqual(packages(stages(name)[0]), (needed - only_tests) | web)

    @unittest.skipUnless(shutil.which("dpkg-query") and shutil.which("readelf"),
                         "dpkg and binutils are not installed")
    def test_they_carry_the_libraries_that_the_programs_need(self):
        everywhere = {"libc6", "libgcc-s1", "libstdc++6"}  # libstdc++6 by the others
        for name, program in PROGRAMS.items():
            binary = BIN / program
            needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", binary))
            if any("san" in library for library in needed):
                self.skipTest("sanitizers bring libraries of their own")
            places = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", binary)))
            owners = self.owners([places[library] for library in needed if library in places])
            self.assertEqual(packages(stages(name)[1]), owners - everywhere)

    def owners(self, paths):
        """The packages of these files, which may be known by another name of the same file."""
        names = {path: {path, os.path.realpath(path), "/usr" + path} for path in paths}
        done = subprocess.run(["dpkg-query", "--search", *set().union(*names.values())],
                              capture_output=True, text=True, check=False)
        known = {line.rsplit(": ", 1)[1]: line.split(":")[0] for line in done.stdout.splitlines()}
        for path, others in names.items():
            self.assertTrue(others & known.keys(), f"nobody owns {path}")
        return set(known.values())


class Compose(unittest.TestCase):
    def setUp(self):
        with open(FOLDER / "compose.yaml", encoding="utf-8") as file:
            self.compose = yaml.safe_load(file)
        self.services = self.compose["services"]

    def test_every_service_is_locked_in(self):
        self.assertEqual(set(self.services), {"shuffler", "collector", "analyst"})
        for service in self.services.values():
            self.assertEqual(service["user"], "10001:10001")
            self.assertTrue(service["read_only"])
            self.assertEqual(service["cap_drop"], ["ALL"])
            self.assertIn("no-new-privileges:true", service["security_opt"])
            self.assertIn("mem_limit", service)
            self.assertIn("pids_limit", service)
            self.assertTrue((SOURCE / service["build"]["dockerfile"]).is_file())
            self.assertEqual((FOLDER / service["build"]["context"]).resolve(), SOURCE)
            for volume in service["volumes"]:
                source, _, options = (volume.split(":") + [""])[:3]
                if source.startswith("."):
                    self.assertEqual(options, "ro", volume)
                else:
                    self.assertIn(source, self.compose["volumes"])

    def test_each_network_joins_only_those_who_talk(self):
        members = {network: {name for name, service in self.services.items()
                             if network in service["networks"]}
                   for network in self.compose["networks"]}
        self.assertEqual(members, {"devices": {"shuffler"}, "ingest": {"shuffler", "collector"},
                                   "query": {"collector", "analyst"}, "monitoring": {"shuffler"}})
        self.assertNotIn("ports", self.services["collector"])
        for name in ("ingest", "query", "monitoring"):
            self.assertTrue(self.compose["networks"][name]["internal"])

    def test_the_daemons_take_these_flags_and_listen_only_where_they_should(self):
        for name, ports in (("shuffler", {"listen": "devices", "listen-http": "monitoring"}),
                            ("collector", {"listen-ingest": "ingest", "listen-query": "query",
                                           "listen-http": "query"})):
            service = self.services[name]
            printed = run(BIN / f"tombola-{name}", "--config", DEPLOY / "config" / f"{name}.toml",
                          *service["command"], "--print-config")
            for flag, network in ports.items():
                address = re.search(f'^{flag} = "(.*):[0-9]+"  # flag$', printed, re.M)[1]
                self.assertEqual(service["networks"][network]["ipv4_address"], address)
                subnet = self.compose["networks"][network]["ipam"]["config"][0]["subnet"]
                self.assertIn(ipaddress.ip_address(address), ipaddress.ip_network(subnet))


if __name__ == "__main__":
    unittest.main(verbosity=2)
