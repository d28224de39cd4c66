#!/usr/bin/env python3
"""An occurrence list for `cargo xtask graph` from pyright's language server; README.md has the format.

    npm install pyright
    python3 python.py PROJECT --server node_modules/pyright/langserver.index.js [--python venv/bin/python] > list.jsonl

Install what the project imports into the environment of `--python`, or pyright decides less.
"""
import argparse
import ast
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tokenize

QUOTAS = {"function": 20, "method": 25, "type": 15, "constant": 12, "field": 12}
# One definition with more would decide the figures alone.
MOST_REFERENCES = 200
TEST = re.compile(r"(^|/)(tests?|testing|docs?|examples?|tools|requirements|vendor)(/|$)|(^|/)(test_\w+|\w+_test|conftest|setup)\.py$")
SKIPPED = {"node_modules", "venv", "build", "dist"}


class Server:
    """One language server over standard input and output."""

    def __init__(self, command, root, python):
        self.process = subprocess.Popen(["node", command, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.settings = {"python": {"pythonPath": python}, "python.analysis": {"diagnosticMode": "openFilesOnly"}}
        self.number = 0
        uri = root.as_uri()
        self.ask("initialize", {"processId": None, "rootUri": uri, "workspaceFolders": [{"uri": uri, "name": "project"}],
                                "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}}})
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:
                items = message.get("params", {}).get("items", []) if message["method"] == "workspace/configuration" else None
                answer = None if items is None else [self.settings.get(item.get("section")) for item in items]
                self.send({"id": message["id"], "result": answer})


class File:
    """A source file: its definitions, the kinds of use by position, and its tokens."""

    def __init__(self, root, path):
        self.path, self.uri = path, (root / path).as_uri()
        self.text = (root / path).read_text(encoding="utf-8")
        self.definitions = {}  # (scope, name) -> (kind, [(line, column)])
        self.kinds = {}  # (line, column) -> kind of use
        self.functions = []  # (first, last, line of the name)
        self.classes = {}  # the position of a base -> the line of the class
        tree = ast.parse(self.text)
        self.lines = self.text.split("\n")
        self.scope(tree, (), "module", None)
        self.uses(tree)
        self.names = {}
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.NAME:
                self.names.setdefault(token.string, []).append((token.start[0], token.start[1]))

    def define(self, scope, name, kind, line, column):
        self.definitions.setdefault((scope, name), (kind, []))[1].append((line, column))

    def scope(self, node, scope, where, me):
        for child in ast.iter_child_nodes(node):
            self.definition(child, scope, where, me)

    def definition(self, node, scope, where, me):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            line, column = self.name_of(node)
            is_class = isinstance(node, ast.ClassDef)
            self.define(scope, node.name, "type" if is_class else "method" if where == "class" else "function", line, column)
            inner = scope + (node.name,)
            if is_class:
                self.scope(node, inner, "class", None)
            else:
                self.functions.append((node.lineno, node.end_lineno, line))
                first = (node.args.posonlyargs + node.args.args)[:1]
                self.scope(node, inner, "function", (scope, first[0].arg) if where == "class" and first else None)
            return
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(one, ast.Name) and where in ("module", "class"):
                    self.define(scope, one.id, "constant" if where == "module" else "field", one.lineno, self.column(one.lineno, one.col_offset))
                elif isinstance(one, ast.Attribute) and me and isinstance(one.value, ast.Name) and one.value.id == me[1]:
                    line, column = self.end(one)
                    self.define(me[0], one.attr, "field", line, column - len(one.attr))
        self.scope(node, scope, where, me)

    def name_of(self, node):
        line = node.lineno
        match = re.search(r"\b(?:def|class)\s+", self.lines[line - 1])
        return line, match.end() if match else node.col_offset

    def column(self, line, offset):
        return len(self.lines[line - 1].encode()[:offset].decode("utf-8", "replace"))

    def end(self, node):
        return node.end_lineno, self.column(node.end_lineno, node.end_col_offset)

    def uses(self, tree):
        def mark(node, kind):
            if isinstance(node, ast.Name):
                self.kinds.setdefault((node.lineno, self.column(node.lineno, node.col_offset)), kind)
            elif isinstance(node, ast.Attribute):
                line, column = self.end(node)
                self.kinds.setdefault((line, column - len(node.attr)), kind)
            elif isinstance(node, ast.Subscript):
                mark(node.value, kind)

        def within(node, kind):
            for one in ast.walk(node):
                mark(one, kind)

        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                mark(node.func, "call")
            elif isinstance(node, ast.ClassDef):
                for base in node.bases:
                    before = len(self.kinds)
                    mark(base, "base")
                    if len(self.kinds) > before:
                        self.classes[list(self.kinds)[-1]] = node.lineno
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for decorator in node.decorator_list:
                    mark(decorator, "decorator")
            for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                if isinstance(annotation, ast.AST):
                    within(annotation, "type")
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for line in range(node.lineno, node.end_lineno + 1):
                    self.kinds[line] = "import"
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                mark(node, "member")

    def kind(self, line, column):
        return self.kinds.get(line) or self.kinds.get((line, column)) or "value"

    def enclosing(self, line, column):
        if (line, column) in self.classes:
            return self.classes[(line, column)]
        inner = [one for one in self.functions if one[0] <= line <= one[1]]
        return max(inner)[2] if inner else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("project", type=pathlib.Path)
    arguments.add_argument("--server", required=True)
    arguments.add_argument("--python", default=sys.executable)
    arguments.add_argument("--seed", default="1")
    options = arguments.parse_args()
    root = options.project.resolve()
    files = {}
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        if SKIPPED.isdisjoint(name.split("/")):
            try:
                files[name] = File(root, name)
            except (SyntaxError, UnicodeDecodeError, tokenize.TokenError):
                continue
    server = Server(options.server, root, options.python)
    for file in files.values():
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": file.uri, "languageId": "python", "version": 1, "text": file.text}}})
    print(json.dumps({"files": sorted(files)}))
    by_uri = {file.uri: file for file in files.values()}
    decided, namesakes = {}, {}
    for file in files.values():
        for _, name in file.definitions:
            namesakes[name] = namesakes.get(name, 0) + 1
    for file, name, kind, places in sample(files, options.seed):
        found = record(server, files, by_uri, decided, file, name, kind, places)
        if len(found["references"]) <= MOST_REFERENCES:
            print(json.dumps({**found, "namesakes": namesakes[name]}), flush=True)
    server.send({"method": "exit", "params": {}})


def sample(files, seed):
    by_kind = {}
    for file in files.values():
        if TEST.search(file.path):
            continue
        for (_, name), (kind, places) in file.definitions.items():
            if len(name) > 1 and not name.startswith("__"):
                rank = hashlib.sha1(f"{seed}|{file.path}:{places[0][0]}:{name}".encode()).hexdigest()
                by_kind.setdefault(kind, []).append((rank, file, name, kind, places))
    for kind, quota in QUOTAS.items():
        for _, *rest in sorted(by_kind.get(kind, []), key=lambda one: one[0])[:quota]:
            yield rest


def record(server, files, by_uri, decided, file, name, kind, places):
    def at(where, line, column):
        return {"textDocument": {"uri": where.uri}, "position": {"line": line - 1, "character": column}}

    own = {(file.path, line) for line, _ in places}
    references, seen = [], set()
    question = {**at(file, *places[0]), "context": {"includeDeclaration": False}}
    for found in server.ask("textDocument/references", question) or []:
        where = by_uri.get(found["uri"])
        line, column = found["range"]["start"]["line"] + 1, found["range"]["start"]["character"]
        if where and (where.path, line) not in own:
            seen.add((where.path, line))
            references.append({"path": where.path, "line": line, "kind": where.kind(line, column), "enclosing": where.enclosing(line, column)})
    undecided = set()
    for where in files.values():
        for line, column in where.names.get(name, []):
            if (where.path, line) in seen or (where.path, line) in own:
                continue
            key = (where.path, line, column)
            if key not in decided:
                decided[key] = bool(server.ask("textDocument/definition", at(where, line, column)))
            if not decided[key]:
                undecided.add((where.path, line))
    return {"path": file.path, "line": places[0][0], "name": name, "kind": kind,
            "declarations": [[file.path, line] for line, _ in places[1:]],
            "references": references, "undecided": sorted(undecided)}


if __name__ == "__main__":
    main()
