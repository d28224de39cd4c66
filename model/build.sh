#!/bin/sh
# Rebuild groma-embed.bin from the pinned packages: fetch, mine, learn the vocabulary, train, pack, score.
# Needs python3 (3.11 or newer), cargo, npm, apt (Debian bookworm). WORK holds everything in between.
set -eu
cd "$(dirname "$0")"
WORK=${WORK:-build}
export PYTHONHASHSEED=0 LC_ALL=C.UTF-8
# The same sums in the same order on every processor that has AVX2.
export OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR"
mkdir -p "$WORK"
[ -d "$WORK/venv" ] || python3 -m venv "$WORK/venv"
PY="$WORK/venv/bin/python"
"$PY" -m pip install -q -r requirements.txt
"$PY" fetch.py fetch packages.txt "$WORK"
"$PY" mine.py packages.txt "$WORK"
"$PY" vocabulary.py "$WORK"
"$PY" train.py "$WORK" "$WORK/table.npy"
"$PY" pack.py "$WORK" "$WORK/table.npy" groma-embed.bin reference.json
"$PY" evaluate.py groma-embed.bin --pools "$WORK"
