"""Learn the vocabulary from the mined pairs and encode them.

  vocabulary.py WORK [SIZE]

Writes WORK/vocabulary.txt (one entry a line), WORK/encoded.npz (token ids of queries and passages, and what train.py groups by) and
WORK/counts.json (pairs by registry, language and view; a pair that several registries have counts once).
Entries: every letter and digit, the words that most text uses, letter-digit compounds (utf8, sha256), and the fragments that
rare words are made of.
"""
import collections
import hashlib
import json
import sys

import numpy as np

from fetch import REGISTRIES
from words import join

FRAGMENTS, MIN_PACKAGES = 3000, 3
VIEWS = ["doc", "name", "signature", "text", "type", "note", "test", "section", "lead", "caller", "window"]
SPOKEN = {"cpp": "c", "csharp": "c", "mixed": "", "markdown": ""}


def read(work):
    """The fields of every pair, each once; grouped by package."""
    seen = set()
    for registry in REGISTRIES:
        for line in open(f"{work}/pairs-{registry}.tsv"):
            fields = line.rstrip("\n").split("\t")
            key = hashlib.blake2b("\t".join(fields[4:]).encode(), digest_size=8).digest()
            if key not in seen:
                seen.add(key)
                yield fields


def count(work):
    """Occurrences of every word and compound, and in how many packages."""
    total, packages, last = collections.Counter(), collections.Counter(), {}
    for _, _, package, _, query, passage in read(work):
        seen = (query + " " + passage).split(" ")
        for i, w in enumerate(seen):
            if w[0] == "+":
                w = seen[i - 1] + w[1:]
            total[w] += 1
            if last.get(w) != package:
                last[w] = package
                packages[w] += 1
    return total, packages


def choose(total, packages, size):
    chosen = set("abcdefghijklmnopqrstuvwxyz0123456789")
    common = sorted((w for w in total if packages[w] >= MIN_PACKAGES and len(w) <= 24), key=lambda w: (-packages[w] * total[w] ** 0.5, w))
    chosen.update(common[:size - FRAGMENTS - len(chosen)])
    worth = collections.Counter()
    for w, n in sorted(total.items()):
        if w not in chosen and w.isalpha() and n >= 2:
            n = min(n, 50)
            for i in range(len(w)):
                for j in range(i + 2, min(len(w), i + 6) + 1):
                    worth[w[i:j]] += n * (j - i - 1)
    for f, _ in sorted(worth.items(), key=lambda kv: (-kv[1], kv[0])):
        if len(chosen) >= size:
            break
        chosen.add(f)
    return sorted(chosen)


def spoken(lang, query, coin):
    """Some queries get the words that people type into a search box."""
    lang = SPOKEN.get(lang, lang)
    if not lang or coin % 10:
        return query
    return [f"{lang} {query}", f"{lang} how to {query}", f"how to {query} in {lang}", f"how does {query} work", f"{query} {lang}"][coin // 10 % 5]


def encode(work, vocabulary):
    ids, cache = {w: i for i, w in enumerate(vocabulary)}, {}
    tally = collections.Counter()
    columns = {"view": [], "package": [], "item": [], "lang": []}
    flat = {"q": [], "p": []}
    ends = {"q": [0], "p": [0]}
    packages, langs = {}, {}
    sizes = {"q": 0, "p": 0}
    for n, (view, lang, package, item, query, passage) in enumerate(read(work)):
        coin = int.from_bytes(hashlib.blake2b(query.encode(), digest_size=4).digest(), "big")
        for side, text in (("q", spoken(lang, query, coin)), ("p", passage)):
            got = np.array([ids[t] for t in join(text.split(" "), ids, cache)], np.uint16)
            flat[side].append(got)
            sizes[side] += len(got)
            ends[side].append(sizes[side])
        tally[f"{package.partition(':')[0]} {lang} {view}"] += 1
        columns["view"].append(VIEWS.index(view))
        columns["package"].append(packages.setdefault(package, len(packages)))
        columns["lang"].append(langs.setdefault(lang, len(langs)))
        columns["item"].append(int(item, 16) if item != "-" else (1 << 40) + n)
    out = {k: np.array(v) for k, v in columns.items()}
    for side in "qp":
        out[side] = np.concatenate(flat[side])
        out[side + "_end"] = np.array(ends[side])
    out["langs"] = np.array(sorted(langs, key=langs.get))
    with open(f"{work}/counts.json", "w") as f:
        json.dump(tally, f, indent=1, sort_keys=True)
    return out


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    work, size = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40000
    total, packages = count(work)
    vocabulary = choose(total, packages, size)
    with open(f"{work}/vocabulary.txt", "w") as f:
        f.writelines(w + "\n" for w in vocabulary)
    data = encode(work, vocabulary)
    np.savez(f"{work}/encoded.npz", **data)
    known = set(vocabulary)
    whole = sum(n for w, n in total.items() if w in known)
    print(len(vocabulary), "entries,", f"{whole / sum(total.values()):.4f} of the words whole;", len(data["view"]), "pairs")


if __name__ == "__main__":
    main()
