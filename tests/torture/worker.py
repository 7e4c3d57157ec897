"""Runs sequences one after another: a line with a seed in, a line with its report out, as JSON."""

import dataclasses
import json
import pathlib
import sys

import disk


def main():
    setting = json.loads(sys.argv[1])
    mounted = disk.own_mounts()  # before any other thread exists
    if not mounted and not disk.on_tmpfs(setting["scratch"]):
        sys.exit("the files of a sequence must be on a tmpfs: mount one on /dev/shm")
    sys.path.insert(0, setting["stubs"])
    import sequence  # pylint: disable=import-outside-toplevel
    shared = sequence.Setting(
        template=pathlib.Path(setting["template"]), tasks=setting["tasks"],
        binaries=pathlib.Path(setting["binaries"]), shims=tuple(setting["shims"]),
        scratch=pathlib.Path(setting["scratch"]), mounted=mounted,
        stream=setting["stream"], plant=setting["plant"])
    for line in sys.stdin:
        report = sequence.run(int(line), shared)
        print(json.dumps({**dataclasses.asdict(report), "good": report.good()}), flush=True)


if __name__ == "__main__":
    main()
