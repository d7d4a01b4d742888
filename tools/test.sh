#!/usr/bin/env bash
# Runs every test: test.sh BIN JOBS, BIN being the environment's folder of programs. All parts run, even after one has
# failed; the exit code tells whether any did.
set -euo pipefail

bin=$1
jobs=$2
failed=()

echo '── The kernel by itself'
bash tools/kernel_tests.sh "$bin" build/tests -DCMAKE_BUILD_TYPE=Release || failed+=(kernel)

echo '── The page without a browser'
"$bin/python" tools/web_bundle.py npm test || failed+=(page)

echo '── The library, the engine, the server, and the page in a browser'
browser=$("$bin/python" tools/find_browser.py --install) || true
DAMIER_BROWSER=$browser "$bin/python" -m pytest -n "$jobs" --dist worksteal || failed+=(python)

if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed: ${failed[*]}" >&2
  exit 1
fi
