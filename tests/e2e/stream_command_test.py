#!/usr/bin/env python3
"""`tombola stream`: totals that no crash changes, and what it refuses.

usage: stream_command_test.py BIN_DIR [unittest arguments]
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import unittest

from support.programs import TOMBOLA

PERIODS = 24
STRUCTURES = {"plain": (), "fenwick": (), "best": (), "k_ary": (), "auto": (),
              "square_root": ("--delta", "1e-6"), "blt": ("--delta", "1e-6")}
INCREMENTS = [(37 * t) % 11 for t in range(1, PERIODS + 1)]


def stream(*arguments, text="", code=0):
    """Runs the command to its end; its totals by period, and standard error."""
    done = subprocess.run([TOMBOLA, "stream", *map(str, arguments)], input=text, text=True,
                          capture_output=True, timeout=120, check=False)
    if done.returncode != code:
        raise AssertionError(f"{arguments} exited {done.returncode}: {done.stderr}")
    return lines_of(done.stdout), done.stderr


def lines_of(text):
    """Totals by period: the lines as they are, so that a changed error shows too."""
    return {int(line.split("\t")[0]): line for line in text.splitlines()}


def close(process):
    process.kill()
    process.wait()
    process.stdout.close()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass


def as_text(increments):
    return "".join(f"{increment}\n" for increment in increments)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.key = self.folder / "key"

    def keep(self, state):
        return "--state", self.folder / state, "--key-file", self.key

    def asked(self, structure):
        return ("--epsilon", 1, "--periods", PERIODS, "--most", 10, "--structure", structure,
                *STRUCTURES[structure])


class CrashTest(Scratch):
    def start(self, *arguments):
        process = subprocess.Popen([TOMBOLA, "stream", *map(str, arguments)], text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(close, process)
        return process

    def begun(self, structure):
        """A stream without increments, and what its totals will be: those of a copy of it."""
        stream(*self.keep("killed"), *self.asked(structure))
        shutil.copytree(self.folder / "killed", self.folder / "whole")
        whole, _ = stream(*self.keep("whole"), text=as_text(INCREMENTS))
        self.assertEqual(len(whole), PERIODS)
        return whole

    def check_erased(self, state):
        self.assertEqual({path.name for path in (self.folder / state).iterdir()},
                         {"ended", "lock"})

    def kill_after_each_output(self, structure):
        whole = self.begun(structure)
        seen = {}
        for increment in INCREMENTS:
            process = self.start(*self.keep("killed"), "--since", 1)
            again = lines_of("".join(process.stdout.readline() for _ in seen))
            self.assertEqual(again, seen, structure)
            process.stdin.write(f"{increment}\n")
            process.stdin.flush()
            seen.update(lines_of(process.stdout.readline()))
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertEqual(seen, whole, structure)
        # The last kill may have come before the seed was erased.
        stream(*self.keep("killed"))
        self.check_erased("killed")
        for path in ("killed", "whole"):
            shutil.rmtree(self.folder / path)

    def test_totals_stay_when_it_is_killed_after_each_output(self):
        for structure in STRUCTURES:
            with self.subTest(structure):
                self.kill_after_each_output(structure)

    def test_totals_stay_when_it_is_killed_at_any_moment(self):
        rng = random.Random(17)
        for structure in ("best", "k_ary", "blt"):
            whole = self.begun(structure)
            seen = {}
            for _ in range(1000):
                first = len(seen) + 1
                process = self.start(*self.keep("killed"), "--since", first)
                # Lines are on their way, some of them in a part, when the signal comes: before the
                # program has begun, while it writes, or after so many totals.
                some = INCREMENTS[len(seen):len(seen) + rng.randint(0, 4)]
                lines = "".join(f"{first + i} {increment}\n" for i, increment in enumerate(some))
                lines = lines[:rng.randint(0, 2 * len(lines))]
                try:
                    process.stdin.write(lines)
                    process.stdin.flush()
                except BrokenPipeError:
                    pass
                # As many as surely come, or the end where a period had been taken before.
                awaited = rng.randint(0, lines.count("\n"))
                out = "".join(process.stdout.readline() for _ in range(awaited))
                process.kill()
                out += process.stdout.read()
                process.wait()
                for period, line in lines_of(out[:out.rfind("\n") + 1]).items():
                    self.assertEqual(line, whole[period], (structure, period))
                    seen[period] = line
                self.assertEqual(sorted(seen), list(range(1, len(seen) + 1)))
                if len(seen) == PERIODS:
                    break
            self.assertEqual(seen, whole, structure)
            for path in ("killed", "whole"):
                shutil.rmtree(self.folder / path)

    def test_totals_stay_when_it_is_killed_amid_many(self):
        periods = 200_000
        rng = random.Random(18)
        lines = [f"{t} {37 * t % 11}\n" for t in range(1, periods + 1)]
        stream(*self.keep("killed"), "--epsilon", 1, "--periods", periods, "--most", 10)
        shutil.copytree(self.folder / "killed", self.folder / "whole")
        whole = subprocess.run([TOMBOLA, "stream", *map(str, self.keep("whole"))], text=True,
                               input="".join(lines), capture_output=True, check=True).stdout
        self.assertEqual(whole.count("\n"), periods)
        seen, kills = "", 0
        while seen != whole:
            done = seen.count("\n")
            self.assertTrue(whole.startswith(seen))
            self.assertLess(kills, 1000)
            kills += 1
            given = self.folder / "increments"
            given.write_text("".join(lines[done:]), encoding="ascii")
            with open(given, encoding="ascii") as remaining:
                process = subprocess.Popen(
                    [TOMBOLA, "stream", *map(str, self.keep("killed")), "--since", str(done + 1)],
                    stdin=remaining, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                self.addCleanup(process.stdout.close)
                out = process.stdout.read(rng.randint(0, 500_000))
                process.kill()
                out += process.stdout.read()
                process.wait()
            seen += out[:out.rfind("\n") + 1]
        self.assertGreater(kills, 3)

    def test_a_period_that_was_taken_is_not_taken_again(self):
        stream(*self.keep("s"), *self.asked("plain"), text="1 5\n2 6\n")
        _, error = stream(*self.keep("s"), text="2 7\n", code=2)
        self.assertIn("line 1: the period must be 3", error)
        totals, error = stream(*self.keep("s"), "--since", 2, text="3 7\n")
        self.assertEqual(sorted(totals), [2, 3])
        self.assertIn("Goes on with period 3", error)

    def test_what_cannot_be_printed_is_not_lost(self):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run([TOMBOLA, "stream", *map(str, (*self.keep("s"),
                                                            *self.asked("plain")))],
                              input=as_text(INCREMENTS), text=True, stdout=write,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        os.close(write)
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue((self.folder / "s" / "stream").exists())
        totals, _ = stream(*self.keep("s"), "--since", 1)
        self.assertEqual(len(totals), PERIODS)
        self.check_erased("s")

    def test_one_process_at_a_time(self):
        process = self.start(*self.keep("s"), *self.asked("plain"))
        process.stdin.write("1\n")
        process.stdin.flush()
        process.stdout.readline()
        _, error = stream(*self.keep("s"), code=1)
        self.assertIn("another process", error)
        process.kill()
        process.wait()


class EndTest(Scratch):
    def ended(self, state):
        return {path.name for path in (self.folder / state).iterdir()} == {"ended", "lock"}

    def test_the_last_period_erases_the_seed(self):
        _, error = stream(*self.keep("s"), *self.asked("plain"), text=as_text(INCREMENTS) + "1\n",
                          code=2)
        self.assertIn(f"line {PERIODS + 1}: there are no more than {PERIODS} periods", error)
        self.assertTrue(self.ended("s"))
        stream(*self.keep("s"))
        _, error = stream(*self.keep("s"), text="1\n", code=2)
        self.assertIn("no more than 24 periods", error)
        _, error = stream(*self.keep("s"), "--since", 5, code=2)
        self.assertIn("not kept", error)

    def test_finish_erases_the_seed(self):
        arguments = (*self.keep("s"), "--epsilon", 1, "--unbounded")
        stream(*arguments, text="1\n0\n")
        self.assertFalse(self.ended("s"))
        _, error = stream(*arguments, "--finish", text="1\n2\n", code=2)
        self.assertIn("the increment must be in [0, 1]", error)
        self.assertFalse(self.ended("s"))
        totals, _ = stream(*arguments, "--finish", "--since", 3, text="1\n")
        self.assertEqual(sorted(totals), [3, 4])
        self.assertTrue(self.ended("s"))
        _, error = stream(*arguments, text="1\n", code=2)
        self.assertIn("there are no more than 4 periods", error)


class RefusalTest(Scratch):
    def refuse(self, *arguments, says, text="", code=2):
        _, error = stream(*arguments, text=text, code=code)
        self.assertIn(says, error, arguments)
        self.assertEqual(error.count("\n"), 1 + error[:error.rfind("tombola: ")].count("\n"))

    def test_questions(self):
        ask = ("--epsilon", 1, "--periods")
        self.refuse(*ask, 0, says="--periods must be in [1, 2^20], is 0")
        self.refuse(*ask, 2**20 + 1, says="--periods must be in [1, 2^20]")
        self.refuse(*ask, 4097, "--structure", "best", says="--periods must be at most 4096")
        self.refuse(*ask, 2**14 + 1, "--structure", "square_root", "--delta", 1e-6,
                    says="--periods must be at most 16384")
        for delta in (1, -1e-9, "nan"):
            self.refuse(*ask, 3, "--delta", delta, says="--delta must be in [0, 1)")
        for epsilon in (0, -1, "nan", "inf", 701):
            self.refuse("--periods", 3, "--epsilon", epsilon, says="--epsilon must be in (0, 700]")
        self.refuse(*ask, 3, "--structure", "blt", says="--delta must be above 0")
        self.refuse(*ask, 3, "--structure", "tree", says="--structure")
        self.refuse(*ask, 3, "--user-periods", 0, says="--user-periods must be in [1, 2^20]")
        self.refuse(*ask, 3, "--sensitivity", 0, says="--sensitivity must be in [1, 2^31]")
        self.refuse(*ask, 3, "--most", 5, "--sensitivity", 6, says="--most must be in [6, 2^32]")
        self.refuse(*ask, 3, "--most", 2**32 + 1, "--sensitivity", 1, says="--most must be in")
        self.refuse(*ask, 3, "--unbounded", says="one of --periods and --unbounded")
        self.refuse("--epsilon", 1, says="one of --periods and --unbounded")
        self.refuse("--periods", 3, says="--epsilon is required")
        self.refuse(*ask, 3, "--confidence", 1, says="--confidence must be in (0, 1)")
        for flag in (("--since", 1), ("--key-file", self.key), ("--finish",)):
            self.refuse(*ask, 3, *flag, says=f"{flag[0]} needs --state")

    def test_lines(self):
        ask = (*self.keep("s"), "--epsilon", 1, "--periods", 4)
        for text, says in (("1\n-1\n", "line 2: the increment must be in [0, 1]"),
                           ("2\n", "line 1: the increment must be in [0, 1]"),
                           ("1.5\n", "line 1: must be an increment, a whole number in [0, 1]"),
                           ("7 1\n", "line 1: the period must be 2, the next one"),
                           ("2 1\n2 1\n", "line 2: the period must be 3, the next one"),
                           ("1\n1\n1\n", "line 3: there are no more than 4 periods")):
            self.refuse(*ask, says=says, text=text)
        self.assertTrue((self.folder / "s" / "ended").exists())

    def test_keys(self):
        ask = ("--epsilon", 1, "--periods", 4)
        self.refuse("--state", self.folder / "s", *ask, says="--state needs --key-file")
        self.refuse("--state", self.folder / "s", "--key-file", self.folder / "s" / "key", *ask,
                    says="--key-file must lie elsewhere")
        self.refuse("--state", f"{self.folder}/s/", "--key-file", self.folder / "s" / "key", *ask,
                    says="--key-file must lie elsewhere")
        self.assertFalse((self.folder / "s").exists())
        stream(*self.keep("s"), *ask, text="1\n")
        self.assertEqual(self.key.stat().st_mode & 0o777, 0o600)
        other = self.folder / "other"
        self.refuse("--state", self.folder / "s", "--key-file", other, says=str(other))
        self.assertFalse(other.exists())
        other.write_bytes(os.urandom(32))
        self.refuse("--state", self.folder / "s", "--key-file", other, code=1,
                    says="holds a secret but is open to group or others")
        other.chmod(0o600)
        self.refuse("--state", self.folder / "s", "--key-file", other, code=1,
                    says="does not open with this key")
        other.write_bytes(b"short")
        self.refuse("--state", self.folder / "s", "--key-file", other, says="--key-file")
        self.refuse(*self.keep("s"), "--since", 3, says="--since must be in [1, 2]")
        self.refuse(*self.keep("s"), "--epsilon", 2, says="--epsilon must be 1")
        totals, _ = stream(*self.keep("s"), "--since", 1)
        self.assertEqual(sorted(totals), [1])


class OutputTest(Scratch):
    def test_json(self):
        done = subprocess.run([TOMBOLA, "stream", "--epsilon", "1", "--periods", "3", "--json"],
                              input="1\n1\n1\n", text=True, capture_output=True, check=True)
        totals = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([total["period"] for total in totals], [1, 2, 3])
        for total in totals:
            self.assertEqual(set(total), {"period", "total", "stderr", "low", "high"})
            self.assertLess(total["low"], total["total"])
            self.assertGreater(total["high"], total["total"])

    def test_describe(self):
        done = subprocess.run([TOMBOLA, "stream", "--epsilon", "1", "--periods", "365",
                               "--describe", "--json", *map(str, self.keep("s"))],
                              text=True, capture_output=True, check=True)
        said = json.loads(done.stdout)
        self.assertAlmostEqual(said["variance_mean"], 133.12926851112354, delta=1e-4)
        self.assertEqual(said["structure"], "best")
        self.assertFalse((self.folder / "s").exists())

    def test_memory_does_not_grow_with_the_stream(self):
        def peak(periods):
            """In KiB."""
            with open(self.folder / "in", "w", encoding="ascii") as lines:
                lines.write("1\n" * periods)
            with open(self.folder / "in", encoding="ascii") as given:
                process = subprocess.Popen(
                    [TOMBOLA, "stream", "--epsilon", "1", "--periods", str(periods),
                     *map(str, self.keep(f"s{periods}"))],
                    stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return usage.ru_maxrss
        # Ten times as many increments as are read together, and as 8 bytes each 8 MB more.
        if "TOMBOLA_SANITIZED" not in os.environ:
            self.assertLess(peak(2**20), peak(2**17) + 4096)


if __name__ == "__main__":
    unittest.main()
