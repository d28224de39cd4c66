"""Makes an occurrence list of what a compiler says about every identifier.

The input has a JSON object on each line: `{"file": path}` for each file that was compiled, and for each identifier its
path `p`, line `l`, name `n`, role `r` (`def`, `ref`, `ext` for a library's, `?` if the compiler does not know), the id `d` of
the definition that it is or means, the kind `k` of a definition and the last line `el` of a function.
"""

import argparse
import collections
import hashlib
import json
import sys

KINDS = {"struct": "type", "interface": "type", "type_alias": "type", "class": "type", "enum": "type"}
WANTED = {"function", "method", "type", "constant", "variable", "field"}


def read(lines):
    files, definitions, references, undecided, functions = [], {}, collections.defaultdict(list), collections.defaultdict(set), collections.defaultdict(list)
    for line in lines:
        one = json.loads(line)
        if "file" in one:
            files.append(one["file"])
        elif one.get("r") == "def":
            definitions[one["d"]] = one
            if one.get("el"):
                functions[one["p"]].append((one["l"], one["el"], one.get("k")))
        elif one.get("r") == "ref":
            references[one["d"]].append((one["p"], one["l"]))
        elif one.get("r") in ("?", "pkg", "pkgdecl"):
            undecided[one["n"]].add((one["p"], one["l"]))
    return files, definitions, references, undecided, functions


def enclosing(functions, path, line):
    around = [start for start, end, kind in functions[path] if start <= line <= end and kind in ("function", "method")]
    return max(around, default=0)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=40, help="definitions of each kind")
    arguments.add_argument("--seed", default="1")
    options = arguments.parse_args()
    files, definitions, references, undecided, functions = read(sys.stdin)
    known = set(files)
    namesakes = collections.Counter(one["n"] for one in definitions.values())
    order = lambda key: hashlib.sha256((options.seed + key).encode()).digest()
    taken = collections.Counter()
    print(json.dumps({"files": files}))
    for key in sorted(definitions, key=order):
        one = definitions[key]
        kind = KINDS.get(one.get("k"), one.get("k"))
        uses = sorted({place for place in references[key] if place[0] in known and place != (one["p"], one["l"])})
        if kind not in WANTED or not uses or taken[kind] >= options.count:
            continue
        taken[kind] += 1
        print(json.dumps({
            "path": one["p"], "line": one["l"], "name": one["n"], "kind": kind, "namesakes": namesakes[one["n"]],
            "declarations": [],
            "references": [{"path": path, "line": line, "kind": "use", "enclosing": enclosing(functions, path, line)} for path, line in uses],
            "undecided": sorted(undecided[one["n"]]),
        }))


main()
