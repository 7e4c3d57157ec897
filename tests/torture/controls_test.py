#!/usr/bin/env python3
"""Positive controls: the model notices what it is there for, and the shims do what they say.

usage: controls_test.py SHIMS BINARIES
"""

import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

import disk
from books import Books, whole_counts
from plan import make_plan

SHIMS = pathlib.Path(sys.argv.pop(1)).resolve()
BINARIES = pathlib.Path(sys.argv.pop(1)).resolve()
TORTURE = pathlib.Path(__file__).resolve().parent / "torture.py"
MOUNTED = disk.own_mounts()
PYTHON = "/usr/bin/python3"


def books_of(acknowledged, in_doubt=0):
    books = Books(16)
    books.acknowledge(books.fresh(acknowledged))
    books.fresh(in_doubt)
    return books


def counts_of(*values):
    counts = [0] * 16
    for value in values:
        counts[value] += 1
    return counts


class TheModel(unittest.TestCase):
    def test_accepts_what_is_right(self):
        self.assertTrue(books_of(3).compare(counts_of(0, 1, 2), 0).good())
        self.assertTrue(books_of(3, in_doubt=1).compare(counts_of(0, 1, 2, 3), 0).good())
        self.assertTrue(books_of(3, in_doubt=1).compare(counts_of(0, 1), 1).good())

    def test_notices_a_planted_loss(self):
        self.assertEqual(books_of(3).compare(counts_of(0, 2), 0).lost, [1])

    def test_notices_a_loss_beyond_what_expired(self):
        self.assertEqual(len(books_of(3).compare(counts_of(0), 1).lost), 1)

    def test_notices_a_loss_that_passes_for_expired(self):
        self.assertTrue(books_of(3).compare(counts_of(0, 2), 1, owed={0, 2}).good())
        self.assertEqual(books_of(3).compare(counts_of(0, 2), 1, owed={0, 1}).lost, [1])

    def test_notices_a_planted_double(self):
        self.assertEqual(books_of(3).compare(counts_of(0, 1, 2, 2), 0).doubled, [2])
        self.assertEqual(books_of(2, in_doubt=1).compare(counts_of(0, 1, 2, 2), 0).doubled, [2])

    def test_notices_what_was_never_sent(self):
        self.assertEqual(books_of(3).compare(counts_of(0, 1, 2, 9), 0).doubled, [9])

    def test_notices_more_expired_than_can_be(self):
        self.assertTrue(books_of(3).compare(counts_of(0, 1, 2), 1).wrong)

    def test_notices_an_answer_that_shrinks(self):
        books = books_of(0, in_doubt=3)
        self.assertFalse(books.observe(counts_of(0, 1)))
        self.assertTrue(books.observe(counts_of(0)))

    def test_refuses_counts_that_are_not_whole(self):
        self.assertEqual(whole_counts([0.25, 0.5], 4), [1, 2])
        with self.assertRaises(ValueError):
            whole_counts([0.3], 4)

    def test_plans_the_same_from_the_same_seed(self):
        self.assertEqual(make_plan(7, 3), make_plan(7, 3))
        self.assertNotEqual(make_plan(7, 3), make_plan(8, 3))


@unittest.skipUnless(MOUNTED or os.path.ismount("/dev/shm"), "no tmpfs")
class TheDisk(unittest.TestCase):
    """Small writers under powercut.c, then a power cut."""

    def setUp(self):
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        directory = tempfile.TemporaryDirectory(dir=memory)
        self.addCleanup(directory.cleanup)
        base = pathlib.Path(directory.name)
        self.disk = disk.Disk(base / "root", base / "beside", MOUNTED)
        self.addCleanup(self.disk.remove)

    def write(self, script):
        """Runs Python lines with `os` and ROOT; their exit code."""
        text = (f"import os, errno\nROOT = {str(self.disk.root)!r} + '/'\n"
                "def put(name, data, flags=os.O_CREAT | os.O_RDWR):\n"
                "    fd = os.open(ROOT + name, flags, 0o600)\n"
                "    os.write(fd, data)\n"
                "    return fd\n"
                "def sync_names(name=''):\n"
                "    fd = os.open(ROOT + name, os.O_RDONLY)\n"
                "    os.fsync(fd)\n"
                "    os.close(fd)\n" + script)
        environment = {**os.environ, **self.disk.environment(),
                       "LD_PRELOAD": str(SHIMS / "powercut.so")}
        return subprocess.run([PYTHON, "-B", "-c", text], env=environment, check=False,
                              timeout=60).returncode

    def after_cut(self):
        self.disk.cut_power()
        return {path.relative_to(self.disk.root).as_posix(): path.read_bytes()
                for path in self.disk.root.rglob("*") if path.is_file()}

    def test_keeps_what_was_synced(self):
        self.assertEqual(self.write("fd = put('a', b'one'); os.fsync(fd); sync_names()"), 0)
        self.assertEqual(self.after_cut(), {"a": b"one"})
        self.assertEqual(self.after_cut(), {"a": b"one"})

    def test_drops_bytes_that_were_not(self):
        self.write("fd = put('a', b'one'); os.fdatasync(fd); os.write(fd, b'two'); sync_names()")
        self.assertEqual((self.disk.root / "a").read_bytes(), b"onetwo")
        self.assertEqual(self.after_cut(), {"a": b"one"})

    def test_drops_names_whose_directory_was_not_synced(self):
        self.write("fd = put('a', b'one'); os.fsync(fd)")
        self.assertEqual(self.after_cut(), {})

    def test_a_name_alone_has_no_bytes(self):
        self.write("put('a', b'one'); sync_names()")
        self.assertEqual(self.after_cut(), {"a": b""})

    def test_undoes_renames_and_removals(self):
        self.write("for n in 'abc':\n    os.fsync(put(n, n.encode()))\nsync_names()\n"
                   "os.rename(ROOT + 'a', ROOT + 'b'); os.unlink(ROOT + 'c')")
        self.assertEqual(self.after_cut(), {"a": b"a", "b": b"b", "c": b"c"})
        self.write("os.rename(ROOT + 'a', ROOT + 'b'); os.unlink(ROOT + 'c'); sync_names()")
        self.assertEqual(self.after_cut(), {"b": b"a"})

    def test_undoes_truncations_and_allocations(self):
        self.write("fd = put('a', b'onetwo'); os.fsync(fd); sync_names()\n"
                   "os.ftruncate(fd, 3); os.posix_fallocate(fd, 0, 100)")
        self.assertEqual((self.disk.root / "a").stat().st_size, 100)
        self.assertEqual(self.after_cut(), {"a": b"onetwo"})

    def test_drops_directories_that_their_parent_does_not_name(self):
        self.write("os.mkdir(ROOT + 'd'); os.fsync(put('d/a', b'one')); sync_names('d')")
        self.assertEqual(self.after_cut(), {})
        self.write("os.mkdir(ROOT + 'd'); os.fsync(put('d/a', b'one')); sync_names('d')\n"
                   "sync_names()")
        self.assertEqual(self.after_cut(), {"d/a": b"one"})

    def test_remembers_what_another_process_left_unsynced(self):
        self.write("fd = put('a', b'one'); os.fsync(fd); sync_names(); os.write(fd, b'two')")
        self.write("fd = os.open(ROOT + 'a', os.O_RDWR); os.fsync(fd)")
        self.assertEqual(self.after_cut(), {"a": b"onetwo"})

    EXPECT = ("def fails(code, call):\n"
              "    try:\n        call()\n"
              "    except OSError as error:\n        assert error.errno == code, error\n"
              "    else:\n        raise SystemExit(3)\n")

    def test_a_failed_sync_keeps_nothing_and_a_later_one_makes_up(self):
        self.disk.fail("sync", count=disk.FOREVER)
        self.assertEqual(self.write(self.EXPECT + "fd = put('a', b'one')\n"
                                    "fails(errno.EIO, lambda: os.fsync(fd))\n"
                                    "fails(errno.EIO, sync_names)"), 0)
        self.assertEqual(self.after_cut(), {})
        self.disk.heal()
        self.disk.fail("sync", after=2, count=1)
        self.assertEqual(self.write(self.EXPECT + "fd = put('a', b'one')\n"
                                    "fails(errno.EIO, lambda: os.fsync(fd))\n"
                                    "os.fsync(fd); sync_names()"), 0)
        self.assertEqual(self.after_cut(), {"a": b"one"})

    def test_a_sync_can_lose_for_good(self):
        self.disk.fail("sync_lost", after=5, count=1)
        self.assertEqual(self.write(self.EXPECT + "fd = put('a', b'one'); os.fsync(fd)\n"
                                    "sync_names(); os.write(fd, b'two')\n"
                                    "fails(errno.EIO, lambda: os.fsync(fd)); os.fsync(fd)"), 0)
        self.write("fd = os.open(ROOT + 'a', os.O_RDWR); os.fsync(fd)")
        self.assertEqual(self.after_cut(), {"a": b"one" + bytes(3)})

    def test_only_directories_fail_to_sync(self):
        self.disk.fail("sync_names")
        self.assertEqual(self.write(self.EXPECT + "os.fsync(put('a', b'one'))\n"
                                    "fails(errno.EIO, sync_names)"), 0)
        self.assertEqual(self.after_cut(), {})

    def test_fills_up(self):
        self.write("os.fsync(put('a', b'one')); sync_names()")
        self.disk.fail("full")
        self.assertEqual(self.write(self.EXPECT + "fails(errno.ENOSPC, lambda: put('b', b'x' * 9))"
                                    "\nos.unlink(ROOT + 'a')"), 0)
        self.disk.heal()
        self.assertEqual(self.write("put('c', b'one')"), 0)

    def test_turns_read_only(self):
        self.write("os.fsync(put('a', b'one')); sync_names()")
        self.disk.fail("read_only")
        self.assertEqual(self.write(self.EXPECT + "fails(errno.EROFS, lambda: put('b', b'x'))\n"
                                    "fails(errno.EROFS, lambda: os.unlink(ROOT + 'a'))\n"
                                    "open(ROOT + 'a').read()"), 0)

    def test_a_brownout_keeps_what_was_synced_and_any_part_of_the_rest(self):
        seen = set()
        for seed in range(40):
            self.write("fd = put('a', b'1' * 2048); os.fsync(fd); sync_names()\n"
                       "os.pwrite(fd, b'2' * 1024, 1024); " + f"put('b{seed}', b'')")
            self.disk.cut_power(random.Random(seed))
            data = (self.disk.root / "a").read_bytes()
            self.assertEqual(data[:1024], b"1" * 1024)
            seen.add((data[1024:1025], data[1536:1537], (self.disk.root / f"b{seed}").exists()))
        # Each of 8 outcomes has probability 1/8, so one is missing with probability
        # 8 (7/8)^40 = 4 %; the seeds are fixed and none is.
        self.assertEqual(len(seen), 8)

    def test_kills_at_the_operation_it_is_told(self):
        self.disk.die_in(3)  # create, write, and no sync
        self.assertEqual(self.write("os.fsync(put('a', b'one')); sync_names()"), -9)
        self.assertEqual(self.after_cut(), {})


class TheClock(unittest.TestCase):
    def test_jumps_by_the_wall_and_waits_by_true_time(self):
        with tempfile.TemporaryDirectory() as directory:
            clock = disk.Shared(pathlib.Path(directory) / "clock", 8)
            clock.put("q", 0, 86400)
            script = ("import time, threading\n"
                      "print(time.time(), time.monotonic())\n"
                      "lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=0.01)\n")
            environment = {**os.environ, "TORTURE_CLOCK": clock.path,
                           "LD_PRELOAD": str(SHIMS / "clockjump.so")}
            before = time.time(), time.monotonic()
            done = subprocess.run([PYTHON, "-c", script], env=environment, check=True, timeout=30,
                                  stdout=subprocess.PIPE, text=True)
            wall, steady = map(float, done.stdout.split())
            clock.close()
        self.assertAlmostEqual(wall - before[0], 86400, delta=30)
        self.assertAlmostEqual(steady - before[1], 0, delta=30)


class AWholeRun(unittest.TestCase):
    """The real daemons with something planted: the last line says so, and so does the exit code."""

    def last_line(self, plant):
        done = subprocess.run(
            [PYTHON, "-B", str(TORTURE), "--binaries", str(BINARIES), "--shims", str(SHIMS),
             "--sequences", "2", "--seed", "1", "--jobs", "1", "--plant", plant],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 1)
        return done.stdout.splitlines()[-1]

    def test_notices_a_disk_that_lies_about_syncs(self):
        self.assertRegex(self.last_line("loss"), r"^lost [1-9]\d*, doubled 0, sequences 2$")

    def test_notices_a_value_that_is_sent_under_two_ids(self):
        self.assertRegex(self.last_line("double"), r"^lost 0, doubled [1-9]\d*, sequences 2$")


if __name__ == "__main__":
    unittest.main()
