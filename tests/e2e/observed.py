"""What an operator could find out about devices from what a daemon leaves behind: every file of its
directory and every file that it holds open, deleted ones included, byte by byte."""
import datetime
import os
import pathlib
import stat
import struct
from dataclasses import dataclass, field


@dataclass
class Submission:
    """What one device did, as only the device and the test know it."""
    address: str
    port: int
    submission_id: bytes
    plaintexts: list
    sealed: list
    begun: float  # Seconds, before the call and after its answer.
    ended: float


@dataclass
class Secrets:
    """Texts and bytes, by kind, that no file may hold."""
    needles: dict = field(default_factory=dict)
    masked: list = field(default_factory=list)  # Random bytes, in which a short needle may occur.
    begun: float = 0.0
    ended: float = 0.0

    def add(self, kind, *needles):
        self.needles.setdefault(kind, set()).update(needles)

    @classmethod
    def of(cls, submissions, masked=()):
        secrets = cls(begun=min(s.begun for s in submissions),
                      ended=max(s.ended for s in submissions))
        for submission in submissions:
            octets = bytes(map(int, submission.address.split(".")))
            secrets.add("address", submission.address.encode(), octets, octets[::-1],
                        octets.hex().encode())
            secrets.add("port", b":%d" % submission.port,
                        b"\x02\x00" + submission.port.to_bytes(2, "big") + octets)
            id_ = submission.submission_id
            secrets.add("submission id", id_, id_.hex().encode(), id_.hex().upper().encode())
            secrets.add("plaintext", *submission.plaintexts,
                        *(plaintext.hex().encode() for plaintext in submission.plaintexts))
            secrets.masked += submission.sealed
        secrets.masked += masked
        for second in range(int(secrets.begun), int(secrets.ended) + 1):
            if second % 60 == 0:
                continue  # The collector keeps the minute of a batch: it says nothing of a second.
            secrets.add("time", b"%d" % second, second.to_bytes(4, "big"),
                        second.to_bytes(4, "little"))
            moment = datetime.datetime.fromtimestamp(second, datetime.timezone.utc)
            secrets.add("time", moment.strftime("%H:%M:%S").encode())
        return secrets

    def found_in(self, data):
        """The kinds that occur in `data`, which is searched with what is random in it blanked."""
        kinds = {kind for kind, needles in self.needles.items()
                 if kind in ("submission id", "plaintext")
                 and any(needle in data for needle in needles)}
        for random_bytes in self.masked:
            data = data.replace(random_bytes, bytes(len(random_bytes)))
        kinds |= {kind for kind, needles in self.needles.items()
                  if any(needle in data for needle in needles)}
        if self.has_time(data):
            kinds.add("time")
        return kinds

    def has_time(self, data):
        """Whether eight bytes somewhere are a time of the span: thousandths, millionths or
        thousand-millionths of a second as whole numbers, or seconds as a double; either order."""
        for scale in (10**3, 10**6, 10**9):
            first, last = int(self.begun * scale), int(self.ended * scale)
            if holds_between(data, first.to_bytes(8, "big"), last.to_bytes(8, "big")):
                return True
        return holds_between(data, struct.pack(">d", self.begun), struct.pack(">d", self.ended))


def holds_between(data, first, last):
    """Whether a word between `first` and `last`, big-endian, is in `data` in either order."""
    same = os.path.commonprefix([first, last])
    for needle, offset, order in ((same, 0, 1), (same[::-1], len(same) - 8, -1)):
        at = data.find(needle)
        while at >= 0:
            word = data[max(0, at + offset):at + offset + 8][::order]
            if len(word) == 8 and first <= word <= last:
                return True
            at = data.find(needle, at + 1)
    return False


def files_under(directory):
    """{name: bytes} of every file; one that goes away meanwhile is left out."""
    found = {}
    for path in sorted(pathlib.Path(directory).rglob("*")):
        try:
            if path.is_file():
                found[path.relative_to(directory).as_posix()] = path.read_bytes()
        except FileNotFoundError:
            continue
    return found


def open_files(pid):
    """{name: bytes} of the regular files that a process holds open, deleted ones included."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        link = f"/proc/{pid}/fd/{number}"
        try:
            if stat.S_ISREG(os.stat(link).st_mode):
                with open(link, "rb") as file:
                    found[os.readlink(link)] = file.read()
        except FileNotFoundError:
            continue
    return found
