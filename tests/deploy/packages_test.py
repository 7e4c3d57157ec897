#!/usr/bin/env python3
"""The Debian packages: what is in them, and what installing, upgrading, removing and purging does.

They are installed for good by dpkg, but into overlays of /etc, /usr and /var that vanish with the
test. The packages are made by the test packages_made.

usage: packages_test.py BIN_DIR BUILD_DIR PACKAGES [unittest arguments]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from hosts import OVERLAYS
from parties import DEPLOY
from support.programs import SOURCE, run

BUILD, PACKAGES = (pathlib.Path(sys.argv.pop(1)) for _ in range(2))
PARTIES = ("shuffler", "collector")
FILES = {
    **{f"tombola-{party}": {f"/usr/bin/tombola-{party}",
                            f"/usr/share/man/man8/tombola-{party}.8.gz",
                            f"/usr/lib/systemd/system/tombola-{party}.service",
                            f"/usr/lib/sysusers.d/tombola-{party}.conf",
                            f"/usr/lib/tmpfiles.d/tombola-{party}.conf",
                            f"/usr/share/tombola/config/{party}.toml",
                            f"/usr/share/tombola/nftables/{party}.nft"} for party in PARTIES},
    "tombola": {"/usr/bin/tombola", "/usr/share/man/man1/tombola.1.gz",
                "/usr/share/bash-completion/completions/tombola", "/usr/share/zsh/vendor-completions/_tombola",
                "/usr/lib/tombola/slept_clock.so",
                "/usr/share/tombola/certificates",
                *(f"/usr/share/tombola/{path.relative_to(DEPLOY)}"
                  for folder in ("prometheus", "grafana") for path in (DEPLOY / folder).iterdir())},
}
# The dashboard, as it was built; TOMBOLA_WEB=OFF builds none.
PAGE = BUILD / "share/tombola/web"
if PAGE.is_dir():
    FILES["tombola-collector"] |= {"/usr/share/tombola/web/index.html"} | {
        f"/usr/share/tombola/web/{path.relative_to(PAGE)}" for path in PAGE.rglob("*")
        if path.is_file()}
FILES["tombola-collector"].add("/usr/share/tombola/openapi.json")
FILES["tombola-shuffler"].add("/usr/share/tombola/nginx/shuffler.conf")
for name in FILES:
    FILES[name].add(f"/usr/share/doc/{name}/copyright")
# The book.
FILES["tombola"] |= {"/usr/share/doc/tombola/README.md", "/usr/share/doc/tombola/CHANGELOG.md"} | {
    f"/usr/share/doc/tombola/{path.relative_to(SOURCE)}" for path in (SOURCE / "docs").rglob("*")
    if path.suffix in (".md", ".svg", ".png")}
# What a namespace has besides OVERLAYS: a /run of its own in which systemd seems to run, and a
# systemctl that writes down what it is told.
MACHINE = OVERLAYS + """
mount -t tmpfs run /run && mkdir -p /run/systemd/system /run/bin
printf '#!/bin/sh\\necho "$@" >> /run/told\\n' > /run/bin/systemctl
chmod +x /run/bin/systemctl && touch /run/told
export PATH=/run/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive
"""


class Packages(unittest.TestCase):
    def package(self, name):
        found = list(PACKAGES.glob(f"{name}_*.deb"))
        self.assertEqual(len(found), 1, name)
        return found[0]

    def test_each_holds_its_files_and_no_others(self):
        for name, wanted in FILES.items():
            listing = run("dpkg-deb", "--contents", self.package(name)).splitlines()
            files = {line.split()[5].lstrip(".") for line in listing if line[0] != "d"}
            self.assertEqual(files, wanted)
            for line in listing:
                self.assertEqual(line.split()[1], "root/root", line)
                self.assertRegex(line, "^[d-]rw[x-]r-[x-]r-[x-]", line)
        listing = run("dpkg-deb", "--contents", self.package("libtombola-dev"))
        for name in ("/usr/include/tombola/client.h", "/usr/lib/cmake/tombola/tombolaConfig.cmake",
                     "/libtombola_client.a", "/tombola/v1/shuffler.proto",
                     "/usr/share/doc/libtombola-dev/copyright"):
            self.assertIn(name, listing)
        self.assertNotIn("crypto_open", listing)  # the SDK cannot open reports
        self.assertNotIn("/bin/", listing)

    def test_they_depend_on_what_their_programs_link(self):
        for name, libraries in (("tombola-shuffler", {"libgrpc++1.51", "libprotobuf32", "libssl3"}),
                                ("tombola-collector", {"libgrpc++1.51", "libsqlite3-0"}),
                                ("tombola", {"libgrpc++1.51", "libprotobuf32"})):
            depends = run("dpkg-deb", "--field", self.package(name), "Depends")
            self.assertLessEqual(libraries, set(re.findall(r"[a-z][a-z0-9+.-]+", depends)))
        self.assertIn("libgrpc++-dev",
                      run("dpkg-deb", "--field", self.package("libtombola-dev"), "Depends"))

    def test_their_scripts_are_scripts(self):
        for party in PARTIES:
            with tempfile.TemporaryDirectory() as control:
                run("dpkg-deb", "--control", self.package(f"tombola-{party}"), control)
                for script in ("postinst", "prerm", "postrm"):
                    path = pathlib.Path(control) / script
                    self.assertEqual(path.stat().st_mode & 0o777, 0o755)
                    run("sh", "-n", path)
                    self.assertNotIn("@", path.read_text(encoding="utf-8"))

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root")
    def test_install_upgrade_remove_and_purge(self):
        for party in PARTIES:
            user, deb = f"tombola-{party}", self.package(f"tombola-{party}")
            with tempfile.TemporaryDirectory() as scratch:
                script = MACHINE + f"""
dpkg -i {deb} >&2
{user} --help > /dev/null
echo "$(getent passwd {user} | cut -d: -f6,7)"
stat -c '%n %U %G %a' /etc/tombola /etc/tombola/{party} /var/lib/{user} /etc/tombola/{party}.toml
cmp /etc/tombola/{party}.toml {DEPLOY}/config/{party}.toml
echo "told: $(cat /run/told)"; : > /run/told
echo '# mine' >> /etc/tombola/{party}.toml
touch /var/lib/{user}/data /etc/tombola/{party}/{party}.key
dpkg -i {deb} >&2
grep -c mine /etc/tombola/{party}.toml
echo "told: $(paste -sd, /run/told)"; : > /run/told
dpkg --remove {user} >&2
ls /usr/bin/{user} 2>&1 | wc -l; [ ! -e /usr/bin/{user} ]
ls /var/lib/{user}/data /etc/tombola/{party}.toml /etc/tombola/{party}/{party}.key | wc -l
echo "told: $(paste -sd, /run/told)"
dpkg --purge {user} >&2
ls -d /var/lib/{user} /etc/tombola /etc/tombola/{party} 2>/dev/null | wc -l
getent passwd {user} || echo gone
"""
                done = subprocess.run(["unshare", "--mount", "sh", "-euc", script, "sh",
                                       f"{scratch}/files"], capture_output=True, text=True,
                                      timeout=300, check=False)
                if "mount" in done.stderr and done.returncode == 32:
                    self.skipTest("no overlays here")
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines(), [
                f"/var/lib/{user}:/usr/sbin/nologin", "/etc/tombola root root 755",
                f"/etc/tombola/{party} root {user} 750", f"/var/lib/{user} {user} {user} 700",
                f"/etc/tombola/{party}.toml root root 644", "told: daemon-reload",
                "1", f"told: daemon-reload,daemon-reload,try-restart {user}.service", "1", "3",
                f"told: disable --now {user}.service,daemon-reload", "0", "gone"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
