#!/usr/bin/env python3
"""deploy/certificates: an authority, six certificates, their roles, and nothing overwritten.

usage: certificates_test.py BIN_DIR [unittest arguments]
"""
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from parties import DEPLOY
from support.programs import SOURCE, run

SCRIPT = DEPLOY / "certificates"


class Certificates(unittest.TestCase):
    def setUp(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="tombola-certificates-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.ca = self.home / "ca"
        run(SCRIPT, "ca", self.ca)

    def text(self, who, *fields):
        return run("openssl", "x509", "-in", self.ca / f"{who}.pem", "-noout", *fields)

    def refused(self, *words):
        done = subprocess.run([str(SCRIPT), *map(str, words)], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        return done.stderr

    def contents(self):
        return {path.name: path.read_bytes() for path in self.ca.iterdir()}

    def test_every_role_of_the_wire_format_is_in_its_certificate(self):
        wire = (SOURCE / "docs/wire-format.md").read_text(encoding="utf-8")
        documented = set(re.findall(r"`(tombola://role/[a-z]+)`", wire)) - {"tombola://role/device"}
        made = set()
        for who in ("shuffler", "operator", "analyst", "administrator", "monitor"):
            names = ("s.example", "192.0.2.7", "2001:db8::7") if who == "shuffler" else ()
            run(SCRIPT, "issue", self.ca, who, *names)
            made |= set(re.findall(r"URI:([^,\s]+)", self.text(who, "-ext", "subjectAltName")))
        self.assertEqual(made, documented)
        self.assertRegex(self.text("shuffler", "-ext", "subjectAltName"),
                         "DNS:s.example, IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7")

    def test_they_are_signed_by_the_authority_for_their_purpose_and_end(self):
        run(SCRIPT, "issue", self.ca, "collector", "collector.example")
        run(SCRIPT, "issue", self.ca, "analyst", )
        for who, purpose in (("collector", "sslserver"), ("analyst", "sslclient")):
            run("openssl", "verify", "-x509_strict", "-CAfile", self.ca / "ca.pem", "-purpose",
                purpose, self.ca / f"{who}.pem")
            self.assertIn("CA:FALSE", self.text(who, "-ext", "basicConstraints"))
            run("openssl", "x509", "-in", self.ca / f"{who}.pem", "-noout", "-checkend", "86400")
        self.assertIn("TLS Web Client Authentication",
                      self.text("analyst", "-ext", "extendedKeyUsage"))
        self.assertNotIn("Server", self.text("analyst", "-ext", "extendedKeyUsage"))
        self.assertNotIn("URI:", self.text("collector", "-ext", "subjectAltName"))

    def test_keys_are_their_owners_alone(self):
        run(SCRIPT, "issue", self.ca, "operator", )
        for name in ("ca.key", "operator.key"):
            self.assertEqual(stat.S_IMODE(os.stat(self.ca / name).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.ca / "operator.pem").st_mode), 0o644)
        self.assertEqual(sorted(self.contents()), ["ca.key", "ca.pem", "issued", "operator.key",
                                                   "operator.pem", "revoked.pem"])

    def test_several_people_of_one_role_have_a_certificate_each(self):
        run(SCRIPT, "issue", self.ca, "analyst")
        for person in ("dana", "eli.b-2"):
            run(SCRIPT, "issue", self.ca, "analyst", person)
            who = f"analyst-{person}"
            self.assertIn("URI:tombola://role/analyst\n",
                          self.text(who, "-ext", "subjectAltName") + "\n")
            self.assertIn(f"tombola {who}", self.text(who, "-subject"))
        former = self.text("analyst-dana", "-serial")
        run(SCRIPT, "renew", self.ca, "analyst-dana")
        self.assertNotEqual(self.text("analyst-dana", "-serial"), former)
        run(SCRIPT, "revoke", self.ca, "analyst-dana")
        revoked = run("openssl", "crl", "-in", self.ca / "revoked.pem", "-noout", "-text")
        self.assertIn(self.text("analyst-dana", "-serial").strip().split("=")[1], revoked)
        self.assertNotIn(self.text("analyst", "-serial").strip().split("=")[1], revoked)
        for words in (("analyst", "a b"), ("analyst", "../x"), ("analyst", "-x"), ("analyst", "a", "b"),
                      ("collector-x", "y.example"), ("analyst", "dana")):
            self.refused("issue", self.ca, *words)

    def test_nothing_is_overwritten(self):
        run(SCRIPT, "issue", self.ca, "analyst")
        before = self.contents()
        self.assertIn("is there already", self.refused("ca", self.ca))
        self.assertIn("is there already", self.refused("issue", self.ca, "analyst"))
        self.assertEqual(self.contents(), before)

    def test_renew_keeps_names_and_role_and_changes_the_key(self):
        run(SCRIPT, "issue", self.ca, "shuffler", "s.example", "192.0.2.7")
        run(SCRIPT, "issue", self.ca, "collector", "c.example")
        for who in ("shuffler", "collector"):
            before, names = self.contents(), self.text(who, "-ext", "subjectAltName")
            run(SCRIPT, "renew", self.ca, who)
            after = self.contents()
            self.assertEqual(self.text(who, "-ext", "subjectAltName"), names)
            changed = {name for name in after if after[name] != before[name]}
            self.assertEqual(changed, {f"{who}.key", f"{who}.pem", "issued"})
            self.assertEqual(before.keys(), after.keys())

    def revoked(self):
        """The serial numbers on the list, whose signature is checked."""
        text = run("openssl", "crl", "-in", self.ca / "revoked.pem", "-noout", "-text", "-CAfile",
                   self.ca / "ca.pem", "-verify")
        return re.findall(r"Serial Number: ([0-9A-F]+)", text)

    def verifies(self, who):
        done = subprocess.run(["openssl", "verify", "-crl_check", "-CRLfile",
                               str(self.ca / "revoked.pem"), "-CAfile", str(self.ca / "ca.pem"),
                               str(self.ca / f"{who}.pem")], capture_output=True, timeout=60,
                              check=False)
        return done.returncode == 0

    def test_revoke_adds_to_the_list_and_takes_nothing_off_it(self):
        self.assertEqual(self.revoked(), [])
        for who in ("analyst", "operator", "monitor"):
            run(SCRIPT, "issue", self.ca, who)
            self.assertTrue(self.verifies(who))
        self.assertIn("neither", self.refused("revoke", self.ca, ".*"))
        self.assertIn("neither", self.refused("revoke", self.ca, "analyst", "0"))
        first = self.text("analyst", "-serial").strip().removeprefix("serial=")
        run(SCRIPT, "renew", self.ca, "analyst")
        run(SCRIPT, "revoke", self.ca, "operator")
        self.assertFalse(self.verifies("operator"))
        self.assertTrue(self.verifies("analyst"))
        # The former certificate of a holder is known by the number that `issued` has.
        issued = (self.ca / "issued").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(issued), 4)
        self.assertRegex(issued[0], f"^{first} analyst, until [A-Z][a-z]+ +[0-9]+ ")
        run(SCRIPT, "revoke", self.ca, first.lower(), "monitor")
        run(SCRIPT, "revoke", self.ca, "monitor")
        for _ in range(16):  # the list's own number has letters by then
            run(SCRIPT, "revoke", self.ca, "monitor")
        self.assertEqual(len(self.revoked()), 3)
        self.assertIn(first, self.revoked())
        self.assertFalse(self.verifies("monitor"))
        self.assertFalse(self.verifies("operator"))
        self.assertTrue(self.verifies("analyst"))
        self.assertEqual(stat.S_IMODE(os.stat(self.ca / "revoked.pem").st_mode), 0o644)

    def test_revoke_begins_no_new_list_unless_it_is_asked_to(self):
        for who in ("analyst", "operator"):
            run(SCRIPT, "issue", self.ca, who)
        run(SCRIPT, "revoke", self.ca, "analyst")
        (self.ca / "revoked.pem").unlink()
        before = self.contents()
        self.assertIn("--new-list", self.refused("revoke", self.ca, "operator"))
        self.assertEqual(self.contents(), before)
        run(SCRIPT, "revoke", self.ca, "--new-list", "operator")
        self.assertEqual(len(self.revoked()), 1)
        # Where there is a list it stays: nothing is taken off it.
        run(SCRIPT, "revoke", self.ca, "--new-list", "analyst")
        self.assertEqual(len(self.revoked()), 2)

    def test_revoke_leaves_the_dates_that_are_there(self):
        for who in ("analyst", "operator"):
            run(SCRIPT, "issue", self.ca, who)
        # A clock of long ago for the first of them.
        bin_ = self.home / "bin"
        bin_.mkdir()
        (bin_ / "date").write_text("#!/bin/sh\necho 200101000000Z\n", encoding="utf-8")
        (bin_ / "date").chmod(0o755)
        subprocess.run([str(SCRIPT), "revoke", str(self.ca), "analyst"], check=True, timeout=60,
                       capture_output=True,
                       env={**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"})
        run(SCRIPT, "revoke", self.ca, "operator", "analyst")
        text = run("openssl", "crl", "-in", self.ca / "revoked.pem", "-noout", "-text")
        dates = dict(re.findall(r"Serial Number: ([0-9A-F]+)\s+Revocation Date: (.*)", text))
        serial = {who: self.text(who, "-serial").strip().removeprefix("serial=")
                  for who in ("analyst", "operator")}
        self.assertEqual(dates.keys(), set(serial.values()))
        self.assertEqual(dates[serial["analyst"]], "Jan  1 00:00:00 2020 GMT")
        self.assertNotIn("2020", dates[serial["operator"]])

    def test_bad_words_are_refused_and_leave_nothing(self):
        before = self.contents()
        for words, says in ((("issue", self.ca, "bob"), "bob must be"),
                            (("issue", self.ca, "shuffler"), "names or addresses"),
                            (("issue", self.ca, "shuffler", "a,DNS:b"), "neither"),
                            (("issue", self.ca, "shuffler", ""), "neither"),
                            (("issue", self.ca, "analyst", "x", "y"), "usage"),
                            (("issue", self.home / "other", "analyst"), "make an authority"),
                            (("renew", self.ca, "analyst"), "issue it first"),
                            (("revoke", self.ca, "analyst"), "neither a certificate"),
                            (("revoke", self.ca, "ca"), "neither a certificate"),
                            (("revoke", self.ca, "revoked"), "neither a certificate"),
                            (("revoke", self.ca, ".*"), "neither a certificate"),
                            (("revoke", self.ca), "usage"),
                            (("bake", self.ca), "usage"), ((), "usage")):
            self.assertIn(says, self.refused(*words))
        self.assertEqual(self.contents(), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
