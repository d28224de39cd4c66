"""Mine training pairs from the fetched packages.

  mine.py PACKAGES WORK

Writes, for each registry that has none yet, WORK/pairs-REGISTRY.tsv (view, language, package, item, query words, passage words; words as words.py splits
them) and WORK/pool-REGISTRY.jsonl (held-back documented functions, as text, of packages that give no training pair).
"""
import collections
import hashlib
import json
import multiprocessing
import os
import re
import sys

from extract import extract, paragraphs
from fetch import EXCLUDED, REGISTRIES, members, read_packages, survey, tarballs
from words import place, words

SKIP = re.compile(r"(^|/)(node_modules|vendor|vendored|_vendor|third[_-]?party|externals?|deps|locales?|fixtures|testdata|migrations|umd|\.git|debian)(/|$)|\.min\.|\.d\.ts$|_pb2?\.|\.pb\.go$|-min\.js$|zz_generated", re.I)
TESTS = re.compile(r"(^|/)(tests?|spec|specs|__tests__|testing)(/|$)|(^|/)test_|_test\.|\.test\.|\.spec\.|Test\.", re.I)
# Wheels and crates often carry other people's C; their licence speaks for their own language.
ONLY, ANY = {"pypi": re.compile(r"\.(py|md|rst)$"), "crates": re.compile(r"\.(rs|md)$")}, re.compile("")
PER_PACKAGE, QUERY_WORDS, PASSAGE_WORDS, POOL_CAP = 800, 48, 300, 100
STEMS = 2  # half of what passages get in use: trained with as many, the table would learn to discount them
CALL = re.compile(r"\b([A-Za-z_]\w{7,})\s*\(")


def digest(*parts):
    return int.from_bytes(hashlib.blake2b("\0".join(parts).encode(), digest_size=8).digest(), "big")


def family(name):
    """Packages of one family (burn-core, burn-tensor) are held back together."""
    name = re.sub(r"^(golang-(github|gopkg|golang|google|gitlab|go\.uber|k8s)?-?|ruby-|libghc-|lib|node-|php-|python3?-|lua-|@)", "", name.lower())
    return re.split(r"[-_./@]", name)[0]


def held_back(name):
    return digest("pool", family(name)) % 16 == 0


def sources(registry, path):
    """(path in the package, text) of every file worth reading, in an order that mixes the package's folders."""
    for archive in (tarballs(path) if registry == "debian-source" else [path]):
        for name, data in members(archive):
            if registry != "pypi":
                name = re.sub(r"^\./(usr/(share|lib)/)?((gocode/src|ruby/vendor_ruby|php|lua/[\d.]+)/)?", "", name) if registry == "debian" else name.partition("/")[2]
            if registry == "pypi" and name.endswith(".dist-info/METADATA"):
                name, data = "README.md", data.partition(b"\n\n")[2]
            if not ONLY.get(registry, ANY).search(name) or SKIP.search(name) or any(EXCLUDED.fullmatch(part.lower()) for part in name.split("/")[:-1]):
                continue
            try:
                yield name, data.decode("utf-8")
            except UnicodeDecodeError:
                continue


def window(lines, it, coin):
    """Fifty lines around a definition, without its documentation."""
    top = max(0, it.at - coin // 7 % 20)
    return "\n".join(l for k, l in enumerate(lines[top:top + 50 + len(it.hide)], top) if k not in it.hide)


def views(lang, path, lines, items):
    """(view, item, query, passage) of one file's items; pairs of one item are no negatives of each other."""
    for it in items:
        first, rest = paragraphs(it.doc) if it.doc and it.kind in ("function", "type") else (it.doc, "")
        if first and it.name and first.startswith(it.name + " "):
            first = first[len(it.name) + 1:]
        coin = digest(path, it.name, it.doc, it.body[:200])
        item = f"{digest(path, it.name, it.body[:200]) & 0xffffffff:x}"
        where = place(path, STEMS) if coin % 4 else ""
        size = it.body.count("\n") + 1
        bare = it.body.replace(it.name, " ") if it.name else it.body
        if it.kind in ("function", "type"):
            test = it.kind == "function" and re.match(r"[Tt]est[_A-Z]|.*_test$|it_|should_", it.name)
            if first and size >= 3:
                yield "doc", item, first, where + (rest + "\n" if coin % 3 == 0 else "") + it.body
                if coin // 5 % 3 == 0:
                    yield "window", item, first, place(path, STEMS) + window(lines, it, coin)
                if it.head and coin % 2:
                    yield "signature", item, first, f"{place(path, STEMS)}{it.name} {it.head}"
                if len(rest.split()) >= 8 and coin % 2:
                    yield "text", item, first, f"{it.name} {rest}"
            if len(words(it.name)) >= 2 and size >= 4 and (first or coin % 2):
                yield "test" if test else "name", item, it.name, where + bare
        elif it.kind == "note":
            yield "note", item, it.doc, where + it.body
        elif it.kind == "test":
            yield "test", item, it.doc, where + it.body
        else:
            yield it.kind, item, it.doc, where + it.body


def callers(functions):
    """(query, passage): the lines around a call, without the called name, and the called function's documentation and signature."""
    known = {}
    for path, it in functions:
        known[it.name] = None if it.name in known else (path, it)
    for path, it in functions:
        lines = it.body.split("\n")
        for i, line in enumerate(lines[1:], 1):
            for name in CALL.findall(line):
                called = known.get(name)
                if called and name != it.name and len(words(name)) >= 2 and called[1].doc:
                    first, _ = paragraphs(called[1].doc)
                    if first:
                        yield f"{name} {first}", place(path, STEMS) + "\n".join(lines[max(0, i - 4):i + 4]).replace(name, " ")
                        known[name] = None


def mine_package(registry, name, path):
    """(training pairs, pool entries) of one package."""
    pairs, pool, functions, held = [], [], [], held_back(name)
    files = sorted(sources(registry, path), key=lambda f: digest(f[0]))
    for where, text in files:
        lang, items = extract(where, text)
        items = list(items)
        if not items:
            continue
        if held:
            for it in items:
                first, _ = paragraphs(it.doc) if it.kind == "function" and it.doc and not TESTS.search(where) else ("", "")
                if first.startswith(it.name + " "):
                    first = first[len(it.name) + 1:]
                if 5 <= len(first.split()) <= 35 and 5 <= it.body.count("\n") + 1 <= 90:
                    pool.append({"lang": lang, "package": name, "path": where, "name": it.name, "query": first, "code": it.body})
            continue
        pairs += [(view, lang, item, q, p) for view, item, q, p in views(lang, where, text.split("\n"), items)]
        functions += [(where, it) for it in items if it.kind == "function"]
        if len(pairs) >= PER_PACKAGE:
            break
    pairs += [("caller", "mixed", "-", q, p) for q, p in list(callers(functions))[:150]]
    pool.sort(key=lambda e: digest(e["path"], e["name"]))
    return pairs, pool[:POOL_CAP]


def mine_registry(registry, pinned, work):
    seen, queries, passages, counts = set(), collections.Counter(), collections.Counter(), collections.Counter()
    found = survey(registry, f"{work}/archives/{registry}")
    with open(f"{work}/pairs-{registry}.part", "w") as out, open(f"{work}/pool-{registry}.jsonl", "w") as pools:
        for _, name, version, _ in sorted(p for p in pinned if p[0] == registry):
            if (name, version) not in found:
                continue
            pairs, pool = mine_package(registry, name, found[name, version][1])
            for e in pool:
                key = digest(e["lang"], " ".join(words(e["query"])))
                if key not in seen:
                    seen.add(key)
                    pools.write(json.dumps(e) + "\n")
            for view, lang, item, query, passage in pairs:
                q, p = " ".join(words(query[:600])[:QUERY_WORDS]), " ".join(words(passage[:3600])[:PASSAGE_WORDS])
                whole, kind, code = digest(q, p), digest(view, p), digest(p)
                if not q or p.count(" ") < 5 or whole in seen or kind in seen or queries[q] >= 12 or passages[code] >= 3:
                    continue
                seen.update((whole, kind))
                queries[q] += 1
                passages[code] += 1
                counts[f"{lang} {view}"] += 1
                out.write(f"{view}\t{lang}\t{registry}:{name}\t{item}\t{q}\t{p}\n")
    os.replace(f"{work}/pairs-{registry}.part", f"{work}/pairs-{registry}.tsv")
    print(registry, sum(counts.values()), "pairs", flush=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    packages, work = read_packages(sys.argv[1]), sys.argv[2]
    left = [r for r in REGISTRIES if not os.path.exists(f"{work}/pairs-{r}.tsv")]
    # Registries know nothing of each other, so that the same lines come out however many are mined at once.
    with multiprocessing.Pool(2) as pool:
        pool.starmap(mine_registry, [(r, packages, work) for r in left], chunksize=1)


if __name__ == "__main__":
    main()
