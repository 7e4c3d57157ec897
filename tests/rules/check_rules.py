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
# No input or output, no clock, no proto: randomness comes in as an argument.
PURE_ROOMS = ("shuffler/permute", "collector/aggregate", "collector/estimate",
              "collector/postprocess", "collector/quality", "common/accounting")
IMPURE = re.compile(r'fstream|iostream|cstdio|<chrono>|absl/time/|\.pb\.h|grpcpp|common/base/(file|'
                    r'clock|worker)\.h|common/log|common/rpc|common/random/secure_random|sqlite3|'
                    r'unistd|fcntl')
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
    if top in PARTIES and not test:
        if target_top in PARTIES and target_top != top:
            yield "the parties never include each other"
        if target_top == "cli":
            yield "a party never includes the command line"
    if top == "common" and not test and (target_top in PARTIES or target_top == "cli"):
        yield "common includes no party"
    if target_top == "tests" and not test and top != "bench":
        yield "only tests include tests/"
    if within(name, PURE_ROOMS) and not test and IMPURE.search(include):
        yield "this room is pure"
    if top == "client" and target in ("common/crypto/hpke_open.h", "common/crypto/ed25519_sign.h") \
            and not test:
        yield "the client neither opens nor signs"
    if top == "shuffler" and target == "common/crypto/hpke_open.h" and not test:
        yield "the shuffler does not open reports"


def check_includes(source):
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.suffix not in (".cc", ".h") or name.split("/")[0].startswith(("build", ".")):
            continue
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            for reason in include_violations(name, include):
                yield f"{name}: includes {include}: {reason}"


def link_lines(build):
    """The libraries on each executable's link line, from the build files."""
    text = (build / "build.ninja").read_text(encoding="utf-8")
    pattern = re.compile(r'^build (\S+): CXX_EXECUTABLE_LINKER\S* [^\n]*\n((?:  [^\n]*\n)+)', re.M)
    for name, body in pattern.findall(text):
        libraries = re.search(r'^  LINK_LIBRARIES = (.*)$', body, re.M)
        yield name, libraries.group(1) if libraries else ""


def check_links(build):
    forbidden = {"bin/tombola-shuffler": ("libtombola_crypto_open.a",),
                 "tests/sdk_link_probe": ("libtombola_crypto_open.a", "libtombola_crypto_sign.a")}
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
