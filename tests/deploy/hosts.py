"""Hosts made of namespaces: each with an address and files of its own, over a minimal Debian or over what
this machine has.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from support.programs import SOURCE

ADDRESSES = {"shuffler": "192.0.2.11", "collector": "192.0.2.12", "desk": "192.0.2.13"}
STAND_INS = SOURCE / "tests/deploy/stand_ins"
TOOLS = ("ip", "nft", "nsenter", "setpriv", "systemd-sysusers", "systemd-tmpfiles", "tcpdump",
         "unshare")
OVERLAYS = """
mkdir -p "$1" && mount -t tmpfs host "$1"
for place in etc usr var/lib var/cache var/log var/tmp; do
  mkdir -p "$1/upper/$place" "$1/work/$place"
  mount -t overlay host -o "lowerdir=/$place,upperdir=$1/upper/$place,workdir=$1/work/$place" "/$place"
done
"""
# $2 is the clean root, what follows are folders that are seen in it where they are here.
CLEAN = """
mkdir -p "$1" && mount -t tmpfs host "$1" && mkdir "$1/upper" "$1/work" "$1/root"
root=$1/root
mount -t overlay host -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$root"
shift 2
for place in /proc /dev "$@"; do
  mkdir -p "$root$place" && mount --rbind "$place" "$root$place"
done
"""
# systemd seems to run, and its systemctl is the stand-in, also for the packages' scripts.
SYSTEMD = """
mount -t tmpfs run "${root:-}/run" && mkdir -p "${root:-}/run/systemd/system"
mount --bind "$STAND_INS/systemctl" "${root:-}/usr/bin/systemctl"
"""


def missing():
    """Why there can be no hosts here, or nothing."""
    if os.geteuid() != 0:
        return "needs root, to make namespaces"
    lacking = [tool for tool in TOOLS if not shutil.which(tool)]
    if lacking:
        return "not installed: " + " ".join(lacking)
    with tempfile.TemporaryDirectory() as scratch:
        tried = subprocess.run(["unshare", "--net", "--mount", "sh", "-euc",
                                OVERLAYS + "ip link add bridge0 type bridge\n"
                                "nft add table inet t", "sh", f"{scratch}/h"],
                               capture_output=True, text=True, timeout=60, check=False)
    return f"no namespaces: {tried.stderr.strip()}" if tried.returncode else None


class Hosts:
    """Three hosts on one bridge, which is in a namespace of its own: nothing is left behind. Their files are
    those of a clean root, or of this machine."""

    def __init__(self, packages, clean_root=None):
        self.clean_root = clean_root
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="tombola-hosts-"))
        self.root.chmod(0o711)  # daemons notify through a socket in it
        self.holders = {}
        self.capture = None
        self.tree = self.root / "tree"  # as the guide's reader sees it
        (self.tree / "build/packages").mkdir(parents=True)
        for package in packages:
            shutil.copy(package, self.tree / "build/packages")
        shutil.copytree(SOURCE / "deploy", self.tree / "deploy")
        (self.root / "home").mkdir()
        try:
            self.connect()
        except BaseException:
            self.close()
            raise

    def connect(self):
        """Makes the bridge and the hosts on it."""
        self.hold("switch", "root=/\n")
        self.inside("switch", "ip link add bridge0 type bridge && ip link set bridge0 up")
        for name, address in ADDRESSES.items():
            self.hold(name, (CLEAN if self.clean_root else OVERLAYS) + SYSTEMD)
            pid = self.holders[name].pid
            (self.root / name).write_text(str(pid), encoding="utf-8")
            self.inside("switch", f"ip link add v-{name} type veth peer name eth0 netns {pid}\n"
                                  f"ip link set v-{name} master bridge0 up")
            subprocess.run(["nsenter", "-t", str(pid), "-n", "sh", "-euc",
                            f"ip link set lo up\nip address add {address}/24 dev eth0\n"
                            "ip link set eth0 up"], timeout=60, check=True)
            for other, there in ADDRESSES.items():
                self.inside(name, f"echo {there} {other}.example >> /etc/hosts")

    def hold(self, name, setup):
        """A process whose namespaces are the host."""
        holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "sh", "-euc",
             setup + "\necho held\nexec chroot \"${root:-/}\" sleep 3600", "sh",
             str(self.root / f"{name}.files"), str(self.clean_root), str(self.root), str(SOURCE)],
            env={**os.environ, "STAND_INS": str(STAND_INS)}, stdout=subprocess.PIPE, text=True)
        self.holders[name] = holder
        if holder.stdout.readline() != "held\n":
            raise AssertionError(f"no host {name}")

    def enter(self, name):
        """The words before a command that run it on a host, whose root is that of this process
        even where it is not that of the machine."""
        return ["nsenter", "-t", str(self.holders[name].pid), "-m", "-n", "-r", "-w"]

    def inside(self, name, script, check=True):
        """Runs a script on a host as root, in the tree; its result."""
        environment = {"PATH": f"{STAND_INS}:/usr/sbin:/usr/bin:/sbin:/bin",
                       "HOME": str(self.root / "home"), "HOSTS": str(self.root),
                       "OUTSIDE": str(os.getpid()), "DEBIAN_FRONTEND": "noninteractive"}
        for key in ("LSAN_OPTIONS", "ASAN_OPTIONS"):
            if key in os.environ:
                environment[key] = os.environ[key]
        done = subprocess.run([*self.enter(name), "sh", "-euc", f"cd {self.tree}\n{script}"],
                              env=environment, capture_output=True, text=True, timeout=300,
                              check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"on {name}: exit code {done.returncode}\n{script}\n"
                                 f"{done.stdout}{done.stderr}")
        return done

    def listen(self, name):
        """Captures what crosses the bridge into a file until the next call or the end; its path."""
        self.hush()
        path = self.root / f"{name}.pcap"
        self.capture = subprocess.Popen(
            [*self.enter("switch"), "tcpdump", "-i", "bridge0", "-U", "-s", "0", "-Z", "root",
             "--immediate-mode", "-w", str(path)], stderr=subprocess.PIPE, text=True)
        while "listening on" not in self.capture.stderr.readline():
            if self.capture.poll() is not None:
                raise AssertionError("tcpdump has ended")
        return path

    def hush(self):
        if self.capture:
            self.capture.send_signal(signal.SIGINT)  # writes what it still has
            self.capture.wait(timeout=60)
            self.capture.stderr.close()
            self.capture = None

    def close(self):
        self.hush()
        for path in self.root.glob("*.pid"):
            pid = int(path.read_text(encoding="utf-8"))
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
            holder.stdout.close()
        shutil.rmtree(self.root, ignore_errors=True)
