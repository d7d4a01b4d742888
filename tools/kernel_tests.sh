#!/usr/bin/env bash
# Builds the kernel's own tests and runs them: kernel_tests.sh BIN BUILD_FOLDER [CMAKE_OPTION…], BIN being the folder
# with cmake, ctest and ninja.
set -euo pipefail

PATH="$(cd "$1" && pwd):$PATH"
build=$2
mkdir -p "$(dirname "$build")"
shift 2
cmake -S tests/kernel -B "$build" -G Ninja "$@" >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 1; }
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure
