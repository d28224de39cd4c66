"""Makes a model2vec folder of random vectors, with the size of semble's own model. For timing only.

The vocabulary is made of the corpus's words, so that texts split into about as many tokens as they would.
"""

import collections
import pathlib
import re
import sys

import numpy
from model2vec import StaticModel
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

SIZE, DIMENSIONS, FILES = 62_500, 256, 2_000

tree, folder = map(pathlib.Path, sys.argv[1:])
files = sorted(path for path in tree.rglob("*") if path.is_file())
words, ends = collections.Counter(), collections.Counter()
for path in files[:: len(files) // FILES + 1]:
    for word in re.findall(r"[a-z]+|[^a-z\s]", path.read_text("utf-8", "replace").lower()):
        words[word] += 1
        ends[word[-3:]] += 1
letters = [chr(code) for code in range(33, 127)]
tokens = ["[PAD]", "[UNK]", *letters, *("##" + letter for letter in letters)]
tokens += [word for word, _ in words.most_common(SIZE // 2)]
tokens += ["##" + end for end, _ in ends.most_common(SIZE // 2)]
vocabulary = {token: place for place, token in enumerate(dict.fromkeys(tokens))}
tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
vectors = numpy.random.default_rng(0).standard_normal((len(vocabulary), DIMENSIONS), dtype=numpy.float32)
StaticModel(vectors, tokenizer, normalize=True).save_pretrained(folder)
