"""Train the static table: contrastive learning over the encoded pairs, from our own distributional start.

  train.py WORK OUT.npy

A text's vector is the sum of its tokens' rows, each weighted by the square root of its count, normalised. The loss is symmetric InfoNCE with
in-batch negatives; pairs of one item, or with the same query, are no negatives of each other. In some pairs the words that query and passage share are dropped
from one side, so that rows learn meaning beyond the word itself. Two tables are trained from one start, at the same time, and averaged: in its second and last
epoch one gets its negatives from the same packages, the other from what it takes for alike itself. Same inputs, same bytes, on one thread of the linear algebra
(see build.sh).
"""
import multiprocessing
import re
import sys
import time
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.random import default_rng
from scipy.sparse.linalg import norm

DIMS, BATCH, PER_LANGUAGE, SVD_SAMPLE, RATE, TAU = 256, 1024, 200_000, 200_000, 0.003, 0.05
DROP = 0.1  # share of the pairs whose query loses what the passage has too, and of those where it is the passage
NEIGHBOURS = BATCH // 16  # pairs of one neighbourhood in a batch


class Pairs(NamedTuple):
    query: sp.csr_matrix
    passage: sp.csr_matrix
    lang: np.ndarray
    package: np.ndarray
    item: np.ndarray
    same_query: np.ndarray  # equal for equal queries
    stem: np.ndarray  # of every entry of the vocabulary


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
    number = np.where(chosen, np.cumsum(chosen) - 1, -1)
    row, other = (np.repeat(number, np.diff(m.indptr)) for m in (x, y))
    pick, seen = np.flatnonzero(row >= 0), np.flatnonzero(other >= 0)
    width = stem.max() + 1
    known = np.zeros(chosen.sum() * width, bool)
    known[other[seen] * width + stem[y.indices[seen]]] = True
    shared = known[row[pick] * width + stem[x.indices[pick]]]
    left = np.bincount(row[pick[~shared]], minlength=len(chosen))
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


def unit(x):
    n = np.linalg.norm(x, axis=1, keepdims=True) + 1e-6
    return x / n, n


def dealt(order, size, rng):
    """Whole batches of a sequence, in random order."""
    whole = [order[i:i + size] for i in range(0, len(order) - size + 1, size)]
    return [whole[i] for i in rng.permutation(len(whole))]


def mixed(pairs, rng):
    """Batches of one language but for the seams."""
    order = rng.permutation(len(pairs.lang))
    return dealt(order[np.argsort(pairs.lang[order], kind="stable")], BATCH, rng)


def packages(pairs, rng):
    """Batches of four runs of one package, of one language but for the seams."""
    order, run = rng.permutation(len(pairs.lang)), BATCH // 4
    order = order[np.argsort(pairs.package[order], kind="stable")]
    blocks = dealt(order, run, rng)
    return dealt(np.concatenate(sorted(blocks, key=lambda block: pairs.lang[block[run // 2]])), BATCH, rng)


def halves(near, chosen, rng):
    """Neighbourhoods: the pairs are halved along the direction in which they differ most, and the halves likewise."""
    if len(chosen) < 2 * NEIGHBOURS:
        return [chosen]
    sample = near[chosen[rng.integers(0, len(chosen), min(len(chosen), 512))]]
    axis = np.linalg.svd(sample - sample.mean(0), full_matrices=False)[2][0]
    chosen = chosen[np.argsort(near[chosen] @ axis, kind="stable")]
    middle = len(chosen) // 2 // NEIGHBOURS * NEIGHBOURS
    return halves(near, chosen[:middle], rng) + halves(near, chosen[middle:], rng)


def neighbours(pairs, table, rng):
    """Batches of sixteen neighbourhoods of one language, as the table sees them now: pairs that it takes for alike are each other's negatives."""
    project = rng.standard_normal((DIMS, 32)).astype(np.float32)
    parts = (slice(i, i + 100_000) for i in range(0, len(pairs.lang), 100_000))
    near = np.concatenate([(unit(pairs.query[p] @ table)[0] + unit(pairs.passage[p] @ table)[0]) @ project for p in parts])
    languages = (np.flatnonzero(pairs.lang == l) for l in range(pairs.lang.max() + 1))
    blocks = [b for l in languages if len(l) >= NEIGHBOURS for b in halves(near, l, rng)]
    runs = []
    for block in blocks:
        block = rng.permutation(block)
        runs += [block[i:i + NEIGHBOURS] for i in range(0, len(block) - NEIGHBOURS + 1, NEIGHBOURS)]
    runs = [runs[i] for i in rng.permutation(len(runs))]
    return dealt(np.concatenate(sorted(runs, key=lambda run: pairs.lang[run[0]])), BATCH, rng)


def sample_pairs(lang, most, rng):
    """At most `most` pairs of each language."""
    keep = [rng.permutation(np.flatnonzero(lang == l))[:most] for l in range(lang.max() + 1)]
    return np.sort(np.concatenate(keep))


def contrast(query, passage, alike):
    """The loss, and its gradient by the cosines; pairs that are alike are no negatives of each other."""
    s = query @ passage.T
    s -= 1
    s /= TAU
    np.exp(s, out=s)
    own, diagonal = np.diag(s).copy(), np.arange(len(s))
    s[alike] = 0
    s[diagonal, diagonal] = own
    by_query, by_passage = s.sum(1), s.sum(0)
    s *= (0.5 / by_query)[:, None] + (0.5 / by_passage)[None, :]
    s[diagonal, diagonal] -= 1
    s /= BATCH * TAU
    return -np.log(own / by_query + 1e-9).mean(), s


def gradient(x, y, part, alike):
    """The loss of a batch and its gradient by the rows that it touches."""
    (qu, qn), (pu, pn) = unit(x @ part), unit(y @ part)
    loss, g = contrast(qu, pu, alike)
    dq, dp = g @ pu, g.T @ qu
    dq = (dq - (dq * qu).sum(1, keepdims=True) * qu) / qn
    dp = (dp - (dp * pu).sum(1, keepdims=True) * pu) / pn
    grad = x.T @ dq
    grad += y.T @ dp
    return loss, grad


class Adam:
    def __init__(self, table, total):
        self.table, self.m, self.v, self.step, self.total = table, np.zeros_like(table), np.zeros_like(table), 0, total

    def move(self, touched, grad):
        self.step += 1
        rate = min(1, self.step / 100) * max(0.02, 1 - self.step / self.total)
        m, v = self.m[touched], self.v[touched]
        m *= 0.9
        m += 0.1 * grad
        self.m[touched] = m
        np.square(grad, out=grad)
        grad *= 0.001
        v *= 0.999
        v += grad
        self.v[touched] = v
        v /= 1 - 0.999 ** self.step
        np.sqrt(v, out=v)
        v += 1e-8
        m *= RATE * rate / (1 - 0.9 ** self.step)
        m /= v
        part = self.table[touched]
        part -= m
        self.table[touched] = part


def codes(values):
    return np.unique(values, return_inverse=True)[1].astype(np.int16)


def learn(pairs, adam, b, rng):
    """One step; the batch's loss."""
    x, y, coin = pairs.query[b], pairs.passage[b], rng.random(len(b))
    drop_shared(x, y, coin < DROP, pairs.stem)
    drop_shared(y, x, (coin >= DROP) & (coin < 2 * DROP), pairs.stem)
    place = np.zeros(len(pairs.stem), np.int32)
    place[x.indices] = place[y.indices] = 1
    touched = np.flatnonzero(place)
    place[touched] = np.arange(len(touched), dtype=np.int32)
    x, y = (sp.csr_matrix((t.data, place[t.indices], t.indptr), shape=(len(b), len(touched))) for t in (x, y))
    item, query = codes(pairs.item[b]), codes(pairs.same_query[b])
    loss, grad = gradient(x, y, adam.table[touched], (item[:, None] == item) | (query[:, None] == query))
    adam.move(touched, grad)
    return loss


def train(last, rng):
    """A table trained from the start that both share; `last` says how its last epoch's batches are drawn."""
    pairs, table = SHARED
    began, adam = time.time(), Adam(table.copy(), 2 * (len(pairs.lang) // BATCH))
    for epoch in range(2):
        if epoch == 0:
            todo = mixed(pairs, rng)
        else:
            todo = packages(pairs, rng) if last == "packages" else neighbours(pairs, adam.table, rng)
        losses = [learn(pairs, adam, b, rng) for b in todo]
        print(f"{last} epoch {epoch} loss {np.mean(losses):.3f} {time.time() - began:.0f}s", flush=True)
    return adam.table


def load(work, rng):
    vocabulary = open(f"{work}/vocabulary.txt").read().split()
    z = np.load(f"{work}/encoded.npz")
    q, p = (rows(z[s], z[s + "_end"], len(vocabulary)) for s in "qp")
    keep = sample_pairs(z["lang"], PER_LANGUAGE, rng)
    q, p = q[keep], p[keep]
    same_query = np.unique(np.asarray(q @ default_rng(1).standard_normal(len(vocabulary)).astype(np.float32)), return_inverse=True)[1]
    return Pairs(q, p, z["lang"][keep], z["package"][keep], z["item"][keep], same_query, stems(vocabulary))


def main():
    global SHARED
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rng = default_rng(0)
    pairs = load(sys.argv[1], rng)
    # The tables are trained in forks, which see the pairs without a copy of their own.
    SHARED = pairs, start(pairs.query, pairs.passage, DIMS, rng, SVD_SAMPLE)
    print(len(pairs.lang), "pairs", flush=True)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        first, second = pool.starmap(train, [("neighbours", default_rng(0)), ("packages", rng)], chunksize=1)
    np.save(sys.argv[2], (first + second) / 2)


if __name__ == "__main__":
    main()
