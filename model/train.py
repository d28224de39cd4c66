"""Train the static table: contrastive learning over the encoded pairs, from our own distributional start.

  train.py WORK OUT.npy [--epochs N] [--per_language N] ...

A text's vector is the sum of its tokens' rows, each weighted by the square root of its count, normalised. The loss is symmetric InfoNCE with
in-batch negatives; pairs of one item, or with the same query, are no negatives of each other. Batches hold one language, and in
odd epochs runs of one package, so that negatives are hard. In some pairs the words that query and passage share are dropped from one side, so that rows learn meaning
beyond the word itself. Same inputs, same bytes, on one machine with one number of threads.
"""
import argparse
import re
import time

import numpy as np
import scipy.sparse as sp
from numpy.random import default_rng
from scipy.sparse.linalg import norm


def rows(flat, end, size):
    """CSR matrix of square-rooted token counts."""
    m = sp.csr_matrix((np.ones(len(flat), np.float32), flat.astype(np.int32), end), shape=(len(end) - 1, size))
    m.sum_duplicates()
    np.sqrt(m.data, out=m.data)
    return m


def stems(vocabulary):
    """A number for each entry; inflected forms share it."""
    table = {}
    return np.array([table.setdefault(re.sub(r"(ing|ed|es|s|e)$", "", w) if len(w) > 4 else w, len(table)) for w in vocabulary], np.int64)


def drop_shared(x, y, chosen, stem):
    """In the chosen rows of `x`, zero the tokens whose stem also occurs in the same row of `y`, where at least two others stay."""
    row, other = (np.repeat(np.arange(m.shape[0], dtype=np.int64), np.diff(m.indptr)) for m in (x, y))
    pick, seen = np.flatnonzero(chosen[row]), np.flatnonzero(chosen[other])
    width = len(stem)
    shared = np.isin(row[pick] * width + stem[x.indices[pick]], other[seen] * width + stem[y.indices[seen]])
    left = np.bincount(row[pick[~shared]], minlength=x.shape[0])
    pick = pick[shared]
    x.data[pick[left[row[pick]] >= 2]] = 0


def start(q, p, dims, rng, sample):
    """Truncated SVD of the log-weighted token-by-pair matrix (query and passage together): words used alike start alike."""
    pick = np.sort(rng.choice(q.shape[0], min(sample, q.shape[0]), replace=False))
    m = (q[pick] + p[pick]).tocsr()
    df = np.bincount(m.indices, minlength=m.shape[1]).astype(np.float32)
    idf = np.log(1 + len(pick) / (1 + df))
    m = m @ sp.diags(idf.astype(np.float32))
    m = sp.diags((1 / np.maximum(norm(m, axis=1), 1e-6)).astype(np.float32)) @ m
    t = m.T.tocsr()
    y = rng.standard_normal((m.shape[1], dims + 16)).astype(np.float32)
    for _ in range(4):
        y, _ = np.linalg.qr(t @ (m @ y))
    b = m @ y
    value, vector = np.linalg.eigh((b.T @ b).astype(np.float64))
    best = np.argsort(-value)[:dims]
    e = (y @ vector[:, best]) * np.sqrt(np.sqrt(np.maximum(value[best], 0)))
    scale = np.linalg.norm(e, axis=1, keepdims=True)
    e = e / np.maximum(scale, 1e-9) + 0.3 * rng.standard_normal((len(e), dims)) / np.sqrt(dims)
    return (e * (idf / idf.mean())[:, None]).astype(np.float32)


def batches(lang, package, epoch, size, rng):
    """Index batches, each of one language but for the seams; in odd epochs each is made of four runs of one package."""
    order = rng.permutation(len(package))
    run = size // 4 if epoch % 2 else size
    if epoch % 2:
        order = order[np.argsort(package[order], kind="stable")]
        blocks = [order[i:i + run] for i in range(0, len(order) - run + 1, run)]
        blocks = [blocks[i] for i in rng.permutation(len(blocks))]
        order = np.concatenate(sorted(blocks, key=lambda block: lang[block[run // 2]]))
    else:
        order = order[np.argsort(lang[order], kind="stable")]
    whole = [order[i:i + size] for i in range(0, len(order) - size + 1, size)]
    return [whole[i] for i in rng.permutation(len(whole))]


def unit(x):
    n = np.linalg.norm(x, axis=1, keepdims=True) + 1e-6
    return x / n, n


def sample_pairs(lang, most, rng):
    """At most `most` pairs of each language."""
    keep = [rng.permutation(np.flatnonzero(lang == l))[:most] for l in range(lang.max() + 1)]
    return np.sort(np.concatenate(keep))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("work")
    ap.add_argument("out")
    for name, value in (("dims", 256), ("epochs", 2), ("batch", 1024), ("per_language", 200_000), ("svd_sample", 200_000)):
        ap.add_argument(f"--{name}", type=int, default=value)
    for name, value in (("rate", 0.003), ("tau", 0.05), ("drop", 0.2)):
        ap.add_argument(f"--{name}", type=float, default=value)
    a = ap.parse_args()
    began = time.time()
    vocabulary = open(f"{a.work}/vocabulary.txt").read().split()
    z, rng = np.load(f"{a.work}/encoded.npz"), default_rng(0)
    q, p = (rows(z[s], z[s + "_end"], len(vocabulary)) for s in "qp")
    keep = sample_pairs(z["lang"], a.per_language, rng)
    q, p, lang, package, item = q[keep], p[keep], z["lang"][keep], z["package"][keep], z["item"][keep]
    stem = stems(vocabulary)
    same_query = np.unique(np.asarray(q @ default_rng(1).standard_normal(len(vocabulary)).astype(np.float32)), return_inverse=True)[1]
    e = start(q, p, a.dims, rng, a.svd_sample) if a.svd_sample else (rng.standard_normal((len(vocabulary), a.dims)) / np.sqrt(a.dims)).astype(np.float32)
    print(f"{len(keep)} pairs, start after {time.time() - began:.0f}s", flush=True)
    m, v, step = np.zeros_like(e), np.zeros_like(e), 0
    total = a.epochs * (len(keep) // a.batch)
    eye = np.eye(a.batch, dtype=np.float32)
    for epoch in range(a.epochs):
        loss, done = 0.0, 0
        for b in batches(lang, package, epoch, a.batch, rng):
            x, y = q[b], p[b]
            coin = rng.random(len(b))
            drop_shared(x, y, coin < a.drop / 2, stem)
            drop_shared(y, x, (coin >= a.drop / 2) & (coin < a.drop), stem)
            touched = np.union1d(x.indices, y.indices)
            place = np.zeros(len(vocabulary), np.int32)
            place[touched] = np.arange(len(touched), dtype=np.int32)
            x, y = (sp.csr_matrix((t.data, place[t.indices], t.indptr), shape=(len(b), len(touched))) for t in (x, y))
            part = e[touched]
            (qu, qn), (pu, pn) = unit(x @ part), unit(y @ part)
            s = qu @ pu.T / a.tau
            s[((item[b][:, None] == item[b]) | (same_query[b][:, None] == same_query[b])) & (eye == 0)] = -1e4
            rowwise = np.exp(s - s.max(1, keepdims=True))
            rowwise /= rowwise.sum(1, keepdims=True)
            colwise = np.exp(s - s.max(0, keepdims=True))
            colwise /= colwise.sum(0, keepdims=True)
            loss, done = loss - np.log(np.diag(rowwise) + 1e-9).mean(), done + 1
            g = ((rowwise + colwise) / 2 - eye) / (a.batch * a.tau)
            dq, dp = g @ pu, g.T @ qu
            dq = (dq - (dq * qu).sum(1, keepdims=True) * qu) / qn
            dp = (dp - (dp * pu).sum(1, keepdims=True) * pu) / pn
            grad = x.T @ dq + y.T @ dp
            step += 1
            rate = a.rate * min(1, step / 100) * max(0.02, 1 - step / total)
            mt, vt = 0.9 * m[touched] + 0.1 * grad, 0.999 * v[touched] + 0.001 * np.square(grad)
            m[touched], v[touched] = mt, vt
            e[touched] = part - rate * (mt / (1 - 0.9 ** step)) / (np.sqrt(vt / (1 - 0.999 ** step)) + 1e-8)
        print(f"epoch {epoch} loss {loss / done:.3f} {time.time() - began:.0f}s", flush=True)
    np.save(a.out, e)


if __name__ == "__main__":
    main()
