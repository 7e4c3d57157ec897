#!/usr/bin/env python3
"""The rules of the house: who may include whom, and what a binary may link.

usage: check_rules.py SOURCE_DIR BUILD_DIR

The privacy boundary is a link fact: the shuffler cannot open reports, and the SDK can neither open
reports nor sign. Prints one line a violation and exits 1, or exits 0.
"""
import pathlib
import re
import subprocess
import sys

PARTIES = ("client", "shuffler", "collector")
# Who may see gRPC: `rooms` are folders of a party.
GRPC_ROOMS = ("client/submit", "shuffler/accept", "shuffler/forward", "shuffler/catalog",
              "collector/ingest", "collector/query", "collector/catalog", "common/rpc", "cli",
              "tests", "bench")
OPENSSL_ROOMS = ("common/crypto", "common/random", "common/http", "bench")
BEAST_ROOMS = ("common/http",)
# Where channels and servers are made, with the arguments that all of them need.
MAKERS = {"grpcpp/create_channel.h": ("common/rpc/channel.cc",),
          "grpcpp/server_builder.h": ("common/rpc",), "grpcpp/grpcpp.h": ()}
# No input or output, no clock, no proto: randomness comes in as an argument.
PURE_ROOMS = ("shuffler/permute", "collector/aggregate", "collector/answer", "collector/decode",
              "collector/estimate", "collector/postprocess", "collector/quality", "common/accounting",
              "common/stream", "common/strings")
# Of these the ones whose values are messages of the wire.
MESSAGE_ROOMS = ("collector/answer",)
MESSAGES = re.compile(r'"tombola/v1/[a-z_]+\.pb\.h"')
IMPURE = re.compile(r'fstream|iostream|cstdio|<chrono>|absl/time/|\.pb\.h|grpcpp|common/base/'
                    r'(clock|worker)\.h|common/(disk|log|rpc)/|common/random/secure_random|'
                    r'sqlite3|unistd|fcntl')
# A store sees sealed reports in their final order: neither keys nor the randomness that hides the
# order of arrival. The collector's sees sums.
STORE_ROOMS = ("shuffler/store", "shuffler/disk", "shuffler/digests", "shuffler/log",
               "shuffler/outbox", "shuffler/embedded", "collector/store")
SECRET = re.compile(r'common/random/|common/crypto/(ed25519_sign|hpke_|x25519|key_file|secret)|'
                    r'shuffler/(permute|release)/|collector/open/')
# Who sees what a task guarantees and never what a report says: common/scheme is enough for them.
SCHEME_ONLY = ("shuffler", "client/policy", "client/seal", "client/submit", "client/ledger",
               "collector/query/guarantee.h", "collector/query/guarantee.cc", "common/task/task.h",
               "common/task/needed.cc", "common/task/whole_life.cc")
REPORTS = ("common/kind", "common/mechanism", "common/plan", "common/table")
# The command line: what its commands share knows no command, and of other commands a command knows only
# these. So that no two rooms know each other.
CLI_SHARED = ("cli/command", "cli/connect", "cli/terminal")
CLI_SEES = {"cli/simulation": ("cli/terminal",), "cli/audit": CLI_SHARED + ("cli/simulation",),
            "cli/simulate": CLI_SHARED + ("cli/report", "cli/simulation"),
            "cli/query": CLI_SHARED + ("cli/report", "cli/task"),
            "cli/demo": CLI_SHARED + ("cli/query", "cli/report", "cli/task")}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"][^>"]+[>"])', re.M)


def within(path, rooms):
    return any(path == room or path.startswith(room + "/") for room in rooms)


def include_violations(name, include):
    """What is wrong with one include of one file, if anything."""
    target = include.strip('<>"')
    top, target_top = name.split("/")[0], target.split("/")[0]
    file = name.split("/")[-1]
    test = top == "tests" or file.startswith("test_") or \
        file.endswith(("_test.cc", "_harness.cc", "_harness.h"))
    if target.startswith("tombola/v1/"):
        grpc = target.endswith(".grpc.pb.h")
    else:
        grpc = target.startswith(("grpcpp/", "grpc/"))
    if grpc and not within(name, GRPC_ROOMS):
        yield "gRPC is only for " + ", ".join(GRPC_ROOMS)
    if target.startswith("openssl/") and not within(name, OPENSSL_ROOMS):
        yield "OpenSSL is only for " + ", ".join(OPENSSL_ROOMS)
    if target.startswith("boost/") and not within(name, BEAST_ROOMS):
        yield "Beast and Asio are only for " + ", ".join(BEAST_ROOMS)
    if target in MAKERS and not test and not within(name, MAKERS[target]):
        yield "channels and servers are made in common/rpc (channel.h, server.h)"
    if top in PARTIES and not test:
        if target_top in PARTIES and target_top != top:
            yield "the parties never include each other"
        if target_top == "cli":
            yield "a party never includes the command line"
    if top == "common" and not test and (target_top in PARTIES or target_top == "cli"):
        yield "common includes no party"
    if target_top == "lab" and top != "lab":
        yield "the lab is for itself alone"
    if target_top == "tests" and not test and top != "bench":
        yield "only tests include tests/"
    message = within(name, MESSAGE_ROOMS) and MESSAGES.fullmatch(include)
    if within(name, PURE_ROOMS) and not test and not message and IMPURE.search(include):
        yield "this room is pure"
    if within(name, STORE_ROOMS) and not test and SECRET.search(include):
        yield "a store sees neither keys nor randomness"
    if top in ("client", "shuffler") and within(target, ("common/plan",)) and not test:
        yield "only the collector and the command line plan"
    if within(name, SCHEME_ONLY) and within(target, REPORTS) and not test:
        yield "this file sees common/scheme only"
    if top == "client" and target in ("common/crypto/hpke_open.h", "common/crypto/ed25519_sign.h") \
            and not test:
        yield "the client neither opens nor signs"
    if top == "shuffler" and target == "common/crypto/hpke_open.h" and not test:
        yield "the shuffler does not open reports"
    if top == "cli" and target_top == "cli" and name.count("/") > 1 and not test:
        room = name.rpartition("/")[0]
        sees = CLI_SEES.get(room, () if room in CLI_SHARED else CLI_SHARED)
        if not within(target, (room, *sees)):
            yield f"{room} sees only {', '.join(sees) or 'itself'}"


def check_includes(source):
    folders = [top for top in source.iterdir() if not top.name.startswith(("build", "."))]
    for path in sorted(path for top in folders for path in top.rglob("*.*")):
        if path.suffix not in (".cc", ".h"):
            continue
        name = path.relative_to(source).as_posix()
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            for reason in include_violations(name, include):
                yield f"{name}: includes {include}: {reason}"


def link_lines(build):
    """The libraries on each executable's link line, from the build files."""
    text = (build / "build.ninja").read_text(encoding="utf-8")
    pattern = re.compile(r'^build (\S+)[^:\n]*: CXX_EXECUTABLE_LINKER\S* [^\n]*\n((?:  [^\n]*\n)+)', re.M)
    for name, body in pattern.findall(text):
        libraries = re.search(r'^  LINK_LIBRARIES = (.*)$', body, re.M)
        yield name, libraries.group(1) if libraries else ""


def check_links(build):
    forbidden = {"bin/tombola-shuffler": ("libtombola_crypto_open.a", "libtombola_plan.a"),
                 "tests/sdk_link_probe": ("libtombola_crypto_open.a", "libtombola_crypto_sign.a",
                                          "libtombola_plan.a")}
    seen = set()
    for name, libraries in link_lines(build):
        for library in forbidden.get(name, ()):
            seen.add(name)
            if library in libraries:
                yield f"{name}: links {library}"
    for name in sorted(set(forbidden) - seen):
        yield f"{name}: not found among the link lines"


def check_symbols(build):
    forbidden = {"bin/tombola-shuffler": ("tombola::crypto::Opener", "tombola::crypto::HpkePrivate"),
                 "tests/sdk_link_probe": ("tombola::crypto::Opener", "tombola::crypto::HpkePrivate",
                                          "tombola::crypto::SigningKey")}
    required = {"bin/tombola-collector": ("tombola::crypto::Opener",)}  # the check can see them
    for name in sorted(set(forbidden) | set(required)):
        symbols = subprocess.run(["nm", "-C", str(build / name)], check=True,
                                 capture_output=True, text=True).stdout
        for symbol in forbidden.get(name, ()):
            if symbol in symbols:
                yield f"{name}: contains {symbol}"
        for symbol in required.get(name, ()):
            if symbol not in symbols:
                yield f"{name}: {symbol} is not visible, so the check of the others says nothing"


def main():
    source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    violations = [*check_includes(source), *check_links(build), *check_symbols(build)]
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
