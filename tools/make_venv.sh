#!/usr/bin/env bash
# Makes the virtual environment: make_venv.sh FOLDER [PYTHON]. Without PYTHON the newest suitable one is taken that
# the search path offers under the usual names.
set -euo pipefail

folder=$1
python=${2:-}

suits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if [ -n "$python" ]; then
  suits "$python" || { echo "damier: PYTHON=$python is not Python 3.11 or later." >&2; exit 1; }
else
  for each in python3 python3.14 python3.13 python3.12 python3.11 python; do
    if suits "$each"; then python=$each; break; fi
  done
  [ -n "$python" ] || {
    echo 'damier: no Python 3.11 or later was found. Install one, or name it: make PYTHON=/path/to/python3' >&2
    exit 1
  }
fi

"$python" -c 'import ensurepip, venv' 2>/dev/null || {
  echo "damier: $python lacks the venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2
  exit 1
}
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -f "$headers/Python.h" ] || {
  echo "damier: $python lacks its C headers. On Debian and Ubuntu: apt-get install python3-dev" >&2
  exit 1
}
command -v "${CXX:-c++}" >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || {
  echo 'damier: no C++ compiler was found. On Debian and Ubuntu: apt-get install g++' >&2
  exit 1
}

echo "Making $folder with $("$python" --version) …"
"$python" -m venv --clear "$folder"
# Dependency groups need pip 25.1 or later, and many a Python ships an older one.
"$folder/bin/python" -m pip install --quiet --upgrade 'pip>=25.1'
