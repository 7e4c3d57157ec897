#!/usr/bin/env bash
# `cmake --install` into an empty prefix, then a project that finds the package, builds against it
# and reports a value to daemons run from that prefix.
# usage: install_test.sh BUILD_DIR SOURCE_DIR [COMPILER_FLAGS...]
set -euo pipefail
build=$1
source=$2
shift 2
work=$(mktemp -d)
up=
trap '[ -z "$up" ] || kill "$up" 2>/dev/null || true; rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
for file in bin/tombola bin/tombola-shuffler bin/tombola-collector include/tombola/client.h \
  include/tombola/policy.h share/tombola/proto/tombola/v1/shuffler.proto; do
  [ -f "$work/prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done

cmake -G Ninja -S "$source/tests/install/consumer" -B "$work/consumer" \
  -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS="$*" >/dev/null
cmake --build "$work/consumer" >/dev/null

tombola="$work/prefix/bin/tombola"
mkfifo "$work/ready"
"$tombola" up --dir "$work/deployment" --json >"$work/ready" 2>/dev/null &
up=$!
read -r line <"$work/ready"
member() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
config=$(printf '%s' "$line" | member config)
task=$("$tombola" task create --config "$config" --name installed --domain 4 --epsilon 8 \
  --delta 1e-6 --users 100 --max-local-epsilon 8 --json | member task)
"$work/consumer/consumer" "$(printf '%s' "$line" | member shuffler)" \
  "$(printf '%s' "$line" | member roots)" "$task" 3
"$tombola" status --config "$config" --task "$task" --json | grep -q '"waiting":1'
kill "$up"
wait "$up"
up=
echo "installed, found, built, reported"
