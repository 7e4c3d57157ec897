"""A daemon's disk: a tmpfs of its own where mounting is permitted, with powercut.c in between.

`Disk` turns faults on and off through the memory it shares with the daemon, and after a power cut
puts back what was synced. Without the right to mount, the directory itself must lie on a tmpfs, and
"full" comes from the shim alone.
"""

import ctypes
import mmap
import os
import pathlib
import shutil
import struct

FAULTS = {"none": 0, "full": 1, "read_only": 2, "sync": 3, "sync_names": 4, "sync_lost": 5,
          "lies": 6}
FOREVER = 0xFFFFFFFF
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_REMOUNT, MS_REC, MS_PRIVATE = 32, 16384, 1 << 18
ROOM = "size=64m"
SECTOR = 512

libc = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind, flags, data):
    """True if it worked."""
    encode = [None if word is None else str(word).encode() for word in (source, target, kind)]
    return libc.mount(*encode, flags, None if data is None else data.encode()) == 0


def own_mounts():
    """Gives this process mounts of its own; False where that is not permitted. To be called while
    the process has one thread."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS) != 0:
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"),
                           ("gid_map", f"0 {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    return mount("none", "/", None, MS_REC | MS_PRIVATE, None)


def on_tmpfs(path):
    """Whether inode numbers below `path` are used once only, as powercut.c needs it."""
    best = ("", "")
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            _, point, kind, *_ = line.split(" ")
            if f"{path}/".startswith(point.rstrip("/") + "/") and len(point) >= len(best[0]):
                best = (point, kind)
    return best[1] == "tmpfs"


class Shared:
    """A small file that a daemon maps."""

    def __init__(self, path, size):
        self.path = str(path)
        with open(path, "wb") as file:
            file.write(bytes(size))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), size)

    def put(self, layout, offset, *numbers):
        struct.pack_into(layout, self.memory, offset, *numbers)

    def get(self, layout, offset):
        return struct.unpack_from(layout, self.memory, offset)[0]

    def close(self):
        self.memory.close()


class Disk:
    """`root` is what the daemon sees. Everything in it counts as synced at first."""

    def __init__(self, root, beside, mounted, content=None):
        self.root, self.shadow, self.mounted = root, beside / "shadow", mounted
        root.mkdir()
        beside.mkdir()
        if mounted and not mount("torture", root, "tmpfs", 0, ROOM):
            raise OSError(ctypes.get_errno(), f"cannot mount on {root}")
        if content is not None:
            shutil.copytree(content, root, dirs_exist_ok=True)
        self.control = Shared(beside / "control", 24)
        self.settle()

    def remove(self):
        self.control.close()
        if self.mounted:
            libc.umount2(str(self.root).encode(), 2)  # MNT_DETACH

    def environment(self):
        return {"TORTURE_ROOT": str(self.root), "TORTURE_SHADOW": str(self.shadow),
                "TORTURE_CONTROL": self.control.path}

    # --- Faults -----------------------------------------------------------------------------------

    def operations(self):
        return self.control.get("I", 0)

    def fail(self, fault, after=0, count=FOREVER):
        """From the operation `after` the present one on, for `count` of them."""
        if fault == "full" and self.mounted and count == FOREVER:
            self.fill(after)
            return
        first = self.operations() + 1 + after
        self.control.put("I", 8, first)
        self.control.put("I", 12, min(count, FOREVER - first))
        self.control.put("I", 4, FAULTS[fault])

    def fill(self, pages_left):
        """No room but for a few pages: the kernel's own ENOSPC."""
        facts = os.statvfs(self.root)
        used = (facts.f_blocks - facts.f_bfree) * facts.f_frsize
        size = max(used + pages_left * 4096, 4096)
        if not mount("torture", self.root, "tmpfs", MS_REMOUNT, f"size={size}"):
            raise OSError(ctypes.get_errno(), "cannot shrink the tmpfs")

    def slow(self, microseconds):
        self.control.put("I", 20, microseconds)

    def die_in(self, operations):
        """The daemon is killed in place of that operation from now, counted from 1."""
        self.control.put("I", 16, self.operations() + operations)

    def heal(self):
        """Ends faults and slowness."""
        self.control.put("I", 4, 0)
        self.slow(0)
        if self.mounted and not mount("torture", self.root, "tmpfs", MS_REMOUNT, ROOM):
            raise OSError(ctypes.get_errno(), "cannot grow the tmpfs")

    def live_on(self):
        self.control.put("I", 16, 0)

    # --- Power ------------------------------------------------------------------------------------

    def settle(self):
        """Everything that is there now counts as synced."""
        shutil.rmtree(self.shadow, ignore_errors=True)
        for name in ("files", "names", "lost"):
            (self.shadow / name).mkdir(parents=True)
        self._settle(self.root)

    def _settle(self, directory):
        lines = []
        with os.scandir(directory) as entries:
            for entry in entries:
                facts = entry.stat(follow_symlinks=False)
                kind = "d" if entry.is_dir(follow_symlinks=False) else "f"
                lines.append(f"{kind} {facts.st_ino} {facts.st_mode & 0o777:o} {entry.name}\n")
                if kind == "d":
                    self._settle(entry.path)
                else:
                    shutil.copyfile(entry.path, self.shadow / "files" / str(facts.st_ino))
        inode = os.stat(directory).st_ino
        (self.shadow / "names" / str(inode)).write_text("".join(lines), encoding="utf-8")

    def cut_power(self, draw=None):
        """Drops what was not synced; with `draw`, a random.Random, a part of it survives: any
        sector of a file, and the unsynced names of any directory. The daemon must be dead."""
        Remains(self, draw).put_back()
        self.settle()


class Remains:
    """What is left of a disk after a power cut."""

    def __init__(self, disk, draw):
        self.root, self.shadow, self.draw = disk.root, disk.shadow, draw
        self.live_files, self.live_names = {}, {}
        self.made = {}  # inode -> path, for files with two names
        if draw is not None:
            self._look(self.root)

    def _look(self, directory):
        names = []
        with os.scandir(directory) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                facts = entry.stat(follow_symlinks=False)
                inode, mode = str(facts.st_ino), f"{facts.st_mode & 0o777:o}"
                if entry.is_dir(follow_symlinks=False):
                    names.append(("d", inode, mode, entry.name))
                    self._look(entry.path)
                else:
                    names.append(("f", inode, mode, entry.name))
                    self.live_files[inode] = pathlib.Path(entry.path).read_bytes()
        self.live_names[str(os.stat(directory).st_ino)] = names

    def put_back(self):
        names = self._names(str(os.stat(self.root).st_ino))
        for name in os.listdir(self.root):
            path = self.root / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        self._restore(self.root, names)

    def _names(self, inode):
        if inode in self.live_names and self.draw.random() < 0.5:
            return self.live_names[inode]
        path = self.shadow / "names" / inode
        if not path.exists():
            return []  # the directory itself was never synced
        lines = path.read_text(encoding="utf-8").splitlines()
        return [line.split(" ", 3) for line in lines]

    def _bytes(self, inode):
        source = self.shadow / "files" / inode
        synced = source.read_bytes() if source.exists() else b""
        live = self.live_files.get(inode, synced)
        if live == synced:
            return synced
        size = self.draw.choice((len(synced), len(live)))
        sectors = []
        for begin in range(0, size, SECTOR):
            one, other = (data[begin:begin + SECTOR].ljust(SECTOR, b"\0")
                          for data in (synced, live))
            sectors.append(one if one == other or self.draw.random() < 0.5 else other)
        return b"".join(sectors)[:size]

    def _restore(self, directory, names):
        for kind, inode, mode, name in names:
            path = directory / name
            if kind == "d":
                path.mkdir()
                self._restore(path, self._names(inode))
            elif inode in self.made:
                os.link(self.made[inode], path)
            else:
                self.made[inode] = path
                path.write_bytes(self._bytes(inode))
            os.chmod(path, int(mode, 8))
