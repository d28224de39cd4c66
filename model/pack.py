"""Quantise a trained table and write the shipped file; FORMAT.md describes it.

  pack.py WORK TABLE.npy OUT.bin [REFERENCE.json]
"""
import json
import sys

import numpy as np

from embed import Model

MAGIC, FORMAT, VERSION, EMPTY, ALIGN, HEADER = b"GROMAEMB", 1, 2, 0xFFFFFFFF, 64, 128
TEXTS = [
    "", "the quick brown fox", "parseHTTPResponse", "how to read a file line by line in python", "SHA256 digest of UTF8 bytes",
    "def load_config(path):\n    with open(path) as f:\n        return json.load(f)\n", "getURLs IDs XMLHttpRequest2 i18n", "x86_64 0xDEADBEEF 1234567 3.14",
    "src/net/http_client.rs\nfn connect(&self, addr: SocketAddr) -> io::Result<TcpStream> {", "naïve café Größe 東京", "floccinaucinihilipilification zqxjkv",
    "retry retry retry with exponential backoff backoff",
]


def fnv1a(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def quantise(table):
    scale = np.abs(table).max(1) / 127
    safe = np.maximum(scale, 1e-12)
    return np.rint(table / safe[:, None]).astype(np.int8), scale.astype("<f4")


def build(vocabulary, table):
    count, dims = table.shape
    slots = 1 << (2 * count - 1).bit_length()
    index = np.full(slots, EMPTY, "<u4")
    for i, w in enumerate(vocabulary):
        h = fnv1a(w.encode())
        at = (h ^ h >> 32) & (slots - 1)
        while index[at] != EMPTY:
            at = (at + 1) & (slots - 1)
        index[at] = i
    strings = [w.encode() for w in vocabulary]
    ends = np.concatenate([[0], np.cumsum([len(s) for s in strings])]).astype("<u4")
    rows, scale = quantise(table)
    body, offsets, at = [], [], HEADER
    for section in (index.tobytes(), ends.tobytes(), b"".join(strings), scale.tobytes(), rows.tobytes()):
        offsets.append(at)
        body.append(section + bytes(-len(section) % ALIGN))
        at += len(body[-1])
    head = MAGIC + np.array([FORMAT, dims, count, slots, VERSION, 0], "<u4").tobytes() + np.array(offsets, "<u8").tobytes()
    return head + bytes(HEADER - len(head)) + b"".join(body)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    work, table, out = sys.argv[1:4]
    vocabulary = open(f"{work}/vocabulary.txt").read().split()
    data = build(vocabulary, np.load(table))
    with open(out, "wb") as f:
        f.write(data)
    print(out, len(data), "bytes")
    if len(sys.argv) > 4:
        model = Model(out)
        vectors = model.embed(TEXTS)
        rows = [{"text": t, "tokens": model.tokens(t), "vector": [round(float(x), 6) for x in v[:8]]} for t, v in zip(TEXTS, vectors)]
        with open(sys.argv[4], "w") as f:
            json.dump(rows, f, indent=1, ensure_ascii=False)
            f.write("\n")


if __name__ == "__main__":
    main()
