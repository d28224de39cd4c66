"""Definitions, comments, tests and prose of one source file, by language.

Python is parsed; the other languages are read by line patterns: a definition is a line that matches, its documentation the comment
block right above it, its body the lines up to the first one that closes it at the same indentation.
"""
import ast
import re
import warnings
from collections import namedtuple

# kind: function, type, test, note (an inside comment and the lines below it), section (heading and text), lead (sentence and code block);
# at: the definition's first line, from 0; hide: the lines of its documentation
Item = namedtuple("Item", "kind name doc head body at hide", defaults=(0, ()))

LANGUAGES = {
    "py": "python", "rs": "rust", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "javascript", "ts": "typescript",
    "tsx": "typescript", "go": "go", "java": "java", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp",
    "cs": "csharp", "rb": "ruby", "php": "php", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "swift": "swift", "hs": "haskell",
    "ml": "ocaml", "mli": "ocaml", "lua": "lua", "sh": "shell", "bash": "shell", "zsh": "shell", "ex": "elixir", "exs": "elixir", "m": "objc",
    "zig": "zig", "md": "markdown", "markdown": "markdown", "rst": "markdown",
}
MODIFIERS = r"(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|sealed|open|inline|suspend|operator|default|synchronized" \
            r"|native|partial|unsafe|extern|readonly|export|declare|const|constexpr|explicit|implicit|lazy|mutating|fileprivate|data|inner|companion|case|strictfp)\s+){0,6}"
C_LIKE = r"(?!(?:return|else|new|throw|await|case|typedef|using|goto|delete)\b)(?:[\w:<>,\[\]?~.]+[\s*&]+){1,6}"
FUNCTION = {
    "rust": r"\s*(?:pub(?:\([\w: ]+\))?\s+)?(?:(?:const|async|unsafe|extern\s+\"C\")\s+)*(?:fn|macro_rules!)\s+(\w+)",
    "go": r"func\s+(?:\([^)]*\)\s*)?(\w+)",
    "javascript": r"\s*(?:export\s+)?(?:default\s+)?(?:(?:static|async|get|set|public|private|protected|readonly|override)\s+)*"
                  r"(?:function\s*\*?\s*([\w$]+)\s*[(<]|(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function|\([^)]*\)\s*(?::[^=]+)?=>)"
                  r"|[\w$.]+\.([\w$]+)\s*=\s*(?:async\s+)?function|(?!if|for|while|switch|catch|return|function)#?([\w$]+)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^{;=]+)?\{\s*$|([\w$]+)\s*:\s*(?:async\s+)?function)",
    "java": r"\s+" + MODIFIERS + r"(?:<[^>]+>\s*)?" + C_LIKE + r"(\w+)\s*\([^;]*$",
    "csharp": r"\s+" + MODIFIERS + C_LIKE + r"(\w+)\s*(?:<[^>]+>)?\([^;]*$",
    "c": r"(?:static\s+|inline\s+|extern\s+)*" + C_LIKE + r"(\w+)\s*\([^;]*$|(\w+)\s*\([^;{]*\)?\s*$",
    "cpp": r"\s*(?:template\s*<.*>\s*)?(?:static\s+|inline\s+|virtual\s+|constexpr\s+|explicit\s+)*(?:" + C_LIKE + r")?((?:\w+::)*~?\w+)\s*\([^;]*$",
    "ruby": r"\s*def\s+(?:self\.)?([\w?!=]+)",
    "php": r"\s*" + MODIFIERS + r"function\s+&?(\w+)",
    "kotlin": r"\s*" + MODIFIERS + r"fun\s+(?:<[^>]+>\s*)?(?:[\w<>?, ]+\.)?(\w+)",
    "scala": r"\s*" + MODIFIERS + r"def\s+(\w+)",
    "swift": r"\s*(?:@\w+\s+)*" + MODIFIERS + r"func\s+(\w+)",
    "lua": r"\s*(?:local\s+)?function\s+([\w.:]+)|\s*(?:local\s+)?([\w.:]+)\s*=\s*function\b",
    "shell": r"(?:function\s+)?([\w-]+)\s*\(\)\s*\{?|function\s+([\w-]+)",
    "elixir": r"\s*defp?\s+(\w+[?!]?)",
    "haskell": r"(\w+'*)\s*::",
    "ocaml": r"\s*(?:let(?:\s+rec)?|and|val)\s+(\w+'*)",
    "objc": r"[-+]\s*\([^)]*\)\s*(\w+)",
    "zig": r"\s*(?:pub\s+)?(?:inline\s+)?fn\s+(\w+)",
}
FUNCTION["typescript"] = FUNCTION["javascript"]
TYPE = {
    "rust": r"\s*(?:pub(?:\([\w: ]+\))?\s+)?(?:struct|enum|trait|union|mod)\s+(\w+)",
    "go": r"type\s+(\w+)\s+(?:struct|interface)",
    "javascript": r"\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum|namespace)\s+([\w$]+)|\s*export\s+type\s+(\w+)",
    "ruby": r"\s*(?:class|module)\s+([\w:]+)",
    "lua": None, "shell": None, "haskell": r"(?:data|newtype|class|type)\s+(\w+)", "ocaml": r"\s*(?:module|type)\s+(\w+)",
    "elixir": r"\s*defmodule\s+([\w.]+)", "c": r"(?:typedef\s+)?(?:struct|enum|union)\s+(\w+)\s*\{?\s*$", "objc": r"@(?:interface|implementation|protocol)\s+(\w+)",
    "zig": r"\s*(?:pub\s+)?const\s+(\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union)",
}
ANY_TYPE = r"\s*(?:template\s*<.*>\s*)?" + MODIFIERS + r"(?:class|interface|enum|struct|trait|object|record|namespace|protocol|extension)\s+(?:class\s+)?(\w+)"
TEST_CALL = re.compile(r"""\s*(?:it|test|specify|scenario|describe|context|should|Scenario|t\.Run|b\.Run|feature|testcase|TEST_CASE|SECTION)\s*[(\s]\s*["'`]([^"'`]{8,160})["'`]""")
NOTE = re.compile(r"\s*(?://+|#+|--+)\s+([A-Za-z].{12,200})$")
CODEY = re.compile(r"[;{}=]\s*$|^\s*(?:return|if|for|import|let|var|const|eslint|pylint|noqa|type:|TODO|FIXME|XXX|HACK|NOLINT|clang-format|Copyright|SPDX|License)", re.I)
REJECT = re.compile(r"copyright|licen[sc]e|all rights reserved|auto-?generated|do not edit|@generated|deprecated|^see |^todo|^fixme|^inherit|^internal|https?://", re.I)


def clean(text):
    text = re.sub(r"\{@\w+\s+([^}]*)\}|<[^>\n]{1,60}>|:[a-z:]+:(?=`)", r" \1 ", text)
    text = re.sub(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    return re.sub(r"\s+", " ", text.replace("`", " ").replace("*", " ").replace("\\", " ")).strip()


def paragraphs(doc):
    """(first sentence, the rest) of a documentation comment; ('', '') if it says nothing worth learning."""
    doc = re.split(r"\n\s*(?:@(?!desc|brief|summary)|[:\\](?:param|return|arg|type|raises)|#+ |Args:|Arguments:|Returns?:|Raises:|Parameters?\b|Examples?:|>>>|```|-- \|)", doc, maxsplit=1)
    rest = doc[1] if len(doc) > 1 else ""
    lead = re.split(r"\n\s*\n", re.sub(r"[@\\](?:desc\w*|brief|summary)\b", "", doc[0]).strip(), maxsplit=1)
    rest = (lead[1] if len(lead) > 1 else "") + "\n" + rest
    text = clean(lead[0])
    m = re.match(r"(.{12,}?[.!?])(?:\s+(?=[A-Z(])|$)", text)
    first = m.group(1) if m else text
    rest = text[len(first):] + "\n" + rest
    if not 3 <= len(first.split()) <= 45 or REJECT.search(first) or sum(c.isalpha() or c == " " for c in first) < 0.7 * len(first) or not first.isascii():
        return "", ""
    return first, rest[:1500]


def indent(line):
    return len(line) - len(line.lstrip())


def comment_above(lines, i):
    """(text, first line) of the comment block that ends right above line i; attributes and annotations in between are passed over."""
    k = i - 1
    while k >= 0 and re.match(r"\s*(?:@\w|#\[|\[[A-Z]\w+.*\]\s*$|template\s*<|@spec|@impl)", lines[k]):
        k -= 1
    end = k
    if k >= 0 and re.search(r"\*/\s*$|\*\)\s*$|-\}\s*$|^\s*\"\"\"\s*$", lines[k]):
        while k >= 0 and end - k < 60 and not re.match(r"\s*/\*|\s*\(\*|\s*\{-|\s*@(?:module)?doc\s", lines[k]):
            k -= 1
        if k < 0 or end - k >= 60:
            return "", i
        block = lines[k:end + 1]
        return "\n".join(re.sub(r"^\s*(?:/\*+!?|\*+/|\*(?!/)|\(\*+|\{-\s*\|?|@(?:module)?doc\s+~?S?\"*)|\*+/\s*$|\*+\)\s*$|-\}\s*$|\"\"\"", "", b).strip() for b in block), k
    while k >= 0 and end - k < 60 and re.match(r"\s*(?://|#(?![!\[]|include|define|if|endif|pragma|undef|else)|--)", lines[k]):
        k -= 1
    block = lines[k + 1:end + 1]
    return "\n".join(re.sub(r"^\s*(?://+!?|#+|--+\s*\|?)", "", b).strip() for b in block), k + 1


def block_end(lines, i, lang, limit=160):
    """Last line of the definition that starts at line i, or None."""
    depth = indent(lines[i])
    if lang in ("haskell", "ocaml"):
        for j in range(i + 1, min(len(lines), i + 60)):
            if not lines[j].strip() and (j + 1 >= len(lines) or indent(lines[j + 1]) <= depth):
                return j - 1
        return None
    if lang in ("ruby", "lua", "elixir"):
        closing = r"end\b"
    else:
        closing = r"[}\]]"
        if "{" not in lines[i] and not any("{" in l for l in lines[i + 1:i + 8]):
            return None
        if lines[i].count("{") and lines[i].count("{") == lines[i].count("}"):
            return i
        for l in lines[i:i + 8]:
            if "{" in l:
                break
            if l.rstrip().endswith(";"):
                return None
    for j in range(i + 1, min(len(lines), i + limit)):
        s = lines[j].strip()
        if s and indent(lines[j]) <= depth:
            if re.match(closing, s):
                return j
            if not re.match(r"[{)#]|where|rescue|ensure|else|elsif|public:|private:|protected:|:|throws|->", s):
                return None
    return None


def without_comments(lines):
    return [l for l in lines if not re.match(r"\s*(?://|/\*|\*[\s/]|\*$|#\s|--\s|\(\*)", l)]


def notes(lines):
    """Comments inside code, each with the lines below it."""
    i = 0
    while i < len(lines):
        m = NOTE.match(lines[i])
        if not m or CODEY.search(m.group(1)):
            i += 1
            continue
        text, depth, j = [m.group(1)], indent(lines[i]), i + 1
        while j < len(lines) and (n := NOTE.match(lines[j])) and indent(lines[j]) == depth:
            text.append(n.group(1))
            j += 1
        below = []
        for l in lines[j:j + 14]:
            if (below and not l.strip() and len(below) >= 3) or (l.strip() and indent(l) < depth) or NOTE.match(l):
                break
            below.append(l)
        if len(below) >= 3 and depth > 0:
            first, _ = paragraphs("\n".join(text))
            if first and len(first.split()) >= 4:
                yield Item("note", "", first, "", "\n".join(below))
        i = j


def header(lines):
    """The comment that opens a file, with the code below it."""
    k = 1 if lines[0].startswith(("#!", "<?")) else 0
    top = k
    while k < len(lines) and k < 80 and re.match(r"\s*(?://|/\*|\*|#(?!include|define|if|pragma|\[)|--|\(\*|\{-)", lines[k]):
        k += 1
    if k > top:
        text = "\n".join(re.sub(r"^\s*(?://+!?|/\*+!?|\*+/?|#+|--+\s*\|?|\(\*+|\{-)|\*+/\s*$", "", l).strip() for l in lines[top:k])
        yield Item("type", "", text, "", "\n".join(lines[k:k + 60]), k, range(top, k))


def by_lines(lang, lines):
    yield from header(lines)
    function = re.compile(FUNCTION[lang])
    kind = TYPE.get(lang, ANY_TYPE) if lang != "typescript" else TYPE["javascript"]
    types = re.compile(kind) if kind else None
    for i, line in enumerate(lines):
        if not line.strip() or len(line) > 200:
            continue
        t = TEST_CALL.match(line)
        if t:
            j = block_end(lines, i, lang, 80)
            if j and j - i >= 2:
                yield Item("test", "", t.group(1), "", "\n".join(lines[i + 1:j]))
            continue
        m = types.match(line) if types else None
        which = "type" if m else "function"
        m = m or function.match(line)
        if not m:
            continue
        name = next((g for g in m.groups() if g), "")
        if len(name) < 2 or name in ("if", "for", "while", "switch", "catch", "return", "function", "constructor", "main", "sizeof", "defined", "else"):
            continue
        j = block_end(lines, i, lang, 160 if which == "function" else 600)
        if j is None:
            continue
        doc, above = comment_above(lines, i)
        body = lines[i:j + 1]
        if which == "type":
            body = body[:60]
        k = next((k for k, l in enumerate(body[:8]) if "{" in l), 0)
        yield Item(which, name, doc, " ".join(l.strip() for l in body[:k + 1]), "\n".join(without_comments(body)), i, range(above, i))
        if which == "function" and len(body) > 8:
            yield from notes(body)


def python(text, lines):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
    doc = ast.get_docstring(tree)
    if doc:
        heads = [l.strip() for l in lines if re.match(r"\s{0,4}(?:def|class|async def) ", l)][:40]
        if len(heads) >= 2:
            yield Item("type", "", doc, "", "\n".join(heads))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or node.name.startswith("__"):
            continue
        start, end = node.lineno - 1, node.end_lineno
        doc = ast.get_docstring(node) or ""
        skip = range(node.body[0].lineno - 1, node.body[0].end_lineno) if doc else ()
        body = [l for k, l in enumerate(lines[start:end], start) if k not in skip]
        head = " ".join(l.strip() for l in lines[start:max(start + 1, node.body[0].lineno - 1)])[:300]
        if isinstance(node, ast.ClassDef):
            yield Item("type", node.name, doc, head, "\n".join(without_comments(body))[:3000], start, skip)
            continue
        yield Item("function", node.name, doc, head, "\n".join(without_comments(body[:160])), start, skip)
        if len(body) > 8:
            yield from notes(body[:200])


def prose(text):
    """Sections of Markdown or reStructuredText: (heading, text), and (sentence, code block below it)."""
    text = re.sub(r"(?m)^(.{3,80})\n[=\-~^\"]{3,}$", r"# \1", text)
    for part in re.split(r"(?m)^#{1,5}\s+", text)[1:]:
        heading, _, body = part.partition("\n")
        heading, body = clean(heading), body.strip()
        if 2 <= len(heading.split()) <= 14 and len(body) > 120 and not REJECT.search(heading):
            yield Item("section", "", heading, "", body[:1600])
        for m in re.finditer(r"(?s)([^\n]{20,300}[:.])\n+(?:```\w*\n(.{40,1500}?)```|((?:(?: {4}|\t)[^\n]*\n+){3,30}))", body):
            lead, _ = paragraphs(m.group(1))
            if lead and len(lead.split()) >= 4:
                yield Item("lead", "", lead, "", m.group(2) or m.group(3))


def extract(path, text):
    """(language, items) of one file."""
    lang = LANGUAGES.get(path.rsplit(".", 1)[-1].lower() if "." in path else "")
    if not lang or len(text) > 600_000:
        return None, []
    lines = text.split("\n")
    if lang != "markdown" and (max(map(len, lines)) > 3000 or re.search(r"generated by|do not edit|@generated", text[:600], re.I)):
        return None, []
    if lang == "markdown":
        return lang, prose(text)
    if lang == "python":
        return lang, python(text, lines)
    if lang == "c" and re.search(r"\bclass \w+|namespace \w+|template\s*<", text):
        lang = "cpp"
    return lang, by_lines(lang, lines)
