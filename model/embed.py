"""Read the shipped file and embed texts with it: the reference implementation of FORMAT.md."""
import numpy as np
import scipy.sparse as sp

from words import join, passage, words

LIMIT = 512


class Model:
    def __init__(self, path):
        data = open(path, "rb").read()
        if data[:8] != b"GROMAEMB" or int.from_bytes(data[8:12], "little") != 1:
            raise ValueError("not a Groma embedding table of format 1")
        dims, count = np.frombuffer(data, "<u4", 2, 12)
        _, ends, strings, scale, rows = (int(x) for x in np.frombuffer(data, "<u8", 5, 32))
        ends = np.frombuffer(data, "<u4", count + 1, ends)
        self.ids = {data[strings + a:strings + b].decode(): i for i, (a, b) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist()))}
        table = np.frombuffer(data, np.int8, int(count) * int(dims), rows).reshape(count, dims)
        self.table = table.astype(np.float32) * np.frombuffer(data, "<f4", count, scale)[:, None]
        self.cache = {}

    def tokens(self, text):
        return join(words(text), self.ids, self.cache)[:LIMIT]

    def passages(self, chunks):
        """Vectors of chunks: a path or nothing, a head and a body each."""
        return self.embed([passage(*c) for c in chunks])

    def embed(self, texts):
        """One unit vector a row; a text without a single token gives zeros."""
        flat, end = [], [0]
        for t in texts:
            flat += [self.ids[w] for w in self.tokens(t)]
            end.append(len(flat))
        m = sp.csr_matrix((np.ones(len(flat), np.float32), np.array(flat, np.int32), end), shape=(len(texts), len(self.table)))
        m.sum_duplicates()
        np.sqrt(m.data, out=m.data)
        x = m @ self.table
        return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
