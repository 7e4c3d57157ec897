#!/usr/bin/env bash
# `cmake --install` into an empty prefix, then the commands of docs/embed.md with the programs of that
# prefix: they build an application that finds the package, and report with it.
# usage: install_test.sh BUILD_DIR SOURCE_DIR [COMPILER_FLAGS...]
set -euo pipefail
build=$1
source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
for file in bin/tombola bin/tombola-shuffler bin/tombola-collector include/tombola/client.h \
  include/tombola/policy.h share/tombola/proto/tombola/v1/shuffler.proto; do
  [ -f "$work/prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
CXXFLAGS="$*" PYTHONPATH="$source/tests" /usr/bin/python3 -B "$source/tests/docs/docs_test.py" "$work/prefix/bin" "$source" \
  "$build" docs/embed.md
