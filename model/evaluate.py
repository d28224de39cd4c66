"""Score a model file: vectors alone, no keyword search, no ranker.

  evaluate.py MODEL [--pools WORK [--most N]] [--bench DIR --scorer score.py] [--chunks windows|functions]

MODEL is a model file, or the folder of MiniLM (see minilm.py).

--pools: held-back documented functions; the query is the first sentence of the documentation, the document the function without it. MRR@10 over
each language's pool, BM25's beside it, and for the queries that are left when every word that also occurs in the code is taken out (three words or more remain).
--bench: the open benchmarks as laid out by their build script (DIR/<set>/repos, DIR/<set>/queries.jsonl), scored by their scorer.
Chunks are blind 50-line windows or ones that start at definitions. FORMAT.md tells how a chunk becomes a passage.
"""
import argparse
import collections
import glob
import importlib.util
import json
import os
import re

import numpy as np
import scipy.sparse as sp

import embed
import minilm
from extract import LANGUAGES
from words import words

DEFINITION = re.compile(
    r"\s{0,8}(?:(?:pub(?:\([\w: ]+\))?|export|default|public|private|protected|internal|static|final|abstract|override|virtual|async|sealed|open|inline|suspend"
    r"|const|unsafe|local|template\s*<.*>|data|case|implicit)\s+)*(?:def|defp|defmodule|defmacro|fn|func|fun|function|class|struct|enum|trait|impl|interface|object"
    r"|module|type|record|protocol|extension|namespace|instance|newtype|let|macro_rules!)\b|[\w$]+\s*\(\)\s*\{|[A-Za-z_][\w:<>,*& ]*\([^;]*\{?\s*$|\w+'*\s*::"
    r"|\s{1,8}(?:public|private|protected|internal)\s.*\(|\s*(?:const|let|var)\s+\w+\s*=\s*(?:async\s*)?(?:function|\()")
COMMENT = re.compile(r"\s*(?://|/\*|\*|#|--|@|\{-|\"\"\"|$)")


def stem(w):
    return re.sub(r"(ing|ed|es|s|e)$", "", w) if len(w) > 4 else w


def without_shared(query, code):
    known = {stem(w) for w in words(code)}
    return " ".join(t for t in query.split() if not any(stem(w) in known for w in words(t)))


def head(body):
    """The line that says what a chunk is: the first that a definition begins in, or that is not empty."""
    lines = body.split("\n")
    return next((l for l in lines[:30] if DEFINITION.match(l)), next((l for l in lines if l.strip()), ""))


def mrr(scores, gold):
    own = scores[np.arange(len(gold)), gold][:, None]
    rank = 1 + (scores > own).sum(1) + ((scores == own).sum(1) - 1) // 2
    return float(np.where(rank <= 10, 1 / rank, 0).mean())


def bm25(docs, queries, k1=1.2, b=0.75):
    """Scores of keyword search over split identifiers, the yardstick for the pools."""
    ids, rows, cols, counts = {}, [], [], []
    for i, d in enumerate(docs):
        for w, n in sorted(collections.Counter(words(d)).items()):
            rows.append(i)
            cols.append(ids.setdefault(w, len(ids)))
            counts.append(n)
    cols, rows, counts = np.array(cols), np.array(rows), np.array(counts, float)
    length = np.bincount(rows, counts, len(docs))
    df = np.bincount(cols)
    weight = np.log(1 + (len(docs) - df + 0.5) / (df + 0.5))[cols] * counts * (k1 + 1) / (counts + k1 * (1 - b + b * (length / length.mean())[rows]))
    m = sp.csr_matrix((weight, (rows, cols)), shape=(len(docs), len(ids)))
    asked = [(i, ids[w]) for i, q in enumerate(queries) for w in sorted(set(words(q))) if w in ids]
    q = sp.csr_matrix((np.ones(len(asked)), tuple(np.array(asked).T)), shape=(len(queries), len(ids)))
    return (q @ m.T).toarray()


def pools(model, work, most):
    by = collections.defaultdict(list)
    for path in sorted(glob.glob(f"{work}/pool-*.jsonl")):
        for line in open(path):
            e = json.loads(line)
            by["javascript" if e["lang"] == "typescript" else e["lang"]].append(e)
    print(f"{'pool':<12}{'n':>6}{'BM25':>9}{'MRR@10':>9}{'no shared word':>16}{'n':>6}")
    for lang, entries in sorted(by.items()):
        entries = entries[:: max(1, len(entries) // most)][:most]
        if len(entries) < 200:
            continue
        docs = model.passages([("", head(e["code"]), e["code"]) for e in entries]).T
        bare = [without_shared(e["query"], e["code"]) for e in entries]
        left = np.array([i for i, b in enumerate(bare) if len(b.split()) >= 3])
        queries, every = [e["query"] for e in entries], np.arange(len(entries))
        keyword, whole = mrr(bm25([e["code"] for e in entries], queries), every), mrr(model.embed(queries) @ docs, every)
        print(f"{lang:<12}{len(entries):>6}{keyword:>9.4f}{whole:>9.4f}{mrr(model.embed([bare[i] for i in left]) @ docs, left):>16.4f}{len(left):>6}")


def cut(lines, how):
    """(first, last) line numbers of chunks, from 1."""
    if how == "windows":
        return [(i + 1, min(i + 50, len(lines))) for i in range(0, len(lines), 50)]
    starts = {0}
    for i, line in enumerate(lines):
        if DEFINITION.match(line):
            while i and COMMENT.match(lines[i - 1]) and lines[i - 1].strip():
                i -= 1
            starts.add(i)
    out, begin = [], 0
    for s in sorted(starts)[1:] + [len(lines)]:
        if s - begin >= 8 or s == len(lines):
            out += [(i + 1, min(i + 60, s)) for i in range(begin, s, 60)]
            begin = s
    return out


def corpus(root, how):
    places, chunks = [], []
    for folder, _, files in sorted(os.walk(root)):
        for f in sorted(files):
            path = os.path.relpath(os.path.join(folder, f), root)
            kind = f.rsplit(".", 1)[-1].lower() if "." in f else "sh"
            if LANGUAGES.get("sh" if kind == "bats" else kind, "markdown") == "markdown":
                continue
            text = open(os.path.join(folder, f), encoding="utf-8", errors="replace").read()
            if len(text) > 1_000_000 or "\0" in text:
                continue
            lines = text.split("\n")
            for a, b in cut(lines, how):
                body = "\n".join(lines[a - 1:b])
                if body.strip():
                    places.append((path, a, b))
                    chunks.append((path, head(body), body))
    return places, chunks


def bench(model, root, scorer, how):
    spec = importlib.util.spec_from_file_location("score", scorer)
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    for name in sorted(os.listdir(root)):
        if not os.path.exists(f"{root}/{name}/queries.jsonl"):
            continue
        asked = collections.defaultdict(list)
        for line in open(f"{root}/{name}/queries.jsonl"):
            q = json.loads(line)
            asked[q["repo"], q.get("root") or ""].append(q)
        results = collections.defaultdict(list)
        for (repo, sub), queries in sorted(asked.items()):
            base = os.path.join(f"{root}/{name}/repos/{repo}", sub)
            places, chunks = corpus(base, how)
            s = model.embed([q["query"] for q in queries]) @ model.passages(chunks).T
            for q, row in zip(queries, s):
                top = np.argsort(-row, kind="stable")[:40]
                found = [{"path": os.path.normpath(os.path.join(sub, places[i][0])), "start_line": places[i][1], "end_line": places[i][2]} for i in top]
                for metric, value in score.score(q, found).items():
                    results[metric].append(value)
        print(name, how, " ".join(f"{m}={np.mean(v):.4f}" for m, v in sorted(results.items()) if m in ("semble_ndcg", "file_ndcg", "span_ndcg")), flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("model")
    ap.add_argument("--pools")
    ap.add_argument("--most", type=int, default=1500, help="entries of a pool; a transformer takes its time")
    ap.add_argument("--bench")
    ap.add_argument("--scorer")
    ap.add_argument("--chunks", default="windows", choices=("windows", "functions"))
    a = ap.parse_args()
    model = (minilm if os.path.isdir(a.model) else embed).Model(a.model)
    if a.pools:
        pools(model, a.pools, a.most)
    if a.bench:
        bench(model, a.bench, a.scorer, a.chunks)


if __name__ == "__main__":
    main()
