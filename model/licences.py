"""Which licence statements count as permissive: SPDX expressions, Debian's short names, PyPI's classifiers and free text."""
import re

PERMISSIVE = re.compile(
    r"mit(-0|-cmu|-modern-variant|-like|-style)?|expat|x11|isc|zlib(-acknowledgement)?|libpng(-2\.0)?|unlicense|cc0(-1\.0(-universal)?)?|0bsd"
    r"|bsl(-1(\.0)?)?|boost(-1\.0)?|bsd|bsd-?[0-4](-?clauses?)?(-(clear|patent|views|lbnl|modification|new|like|revised|simplified))?|new-bsd|modified-bsd"
    r"|bsd-style|[234]-?clause-bsd|apache(-?v?2(\.0)?)?(-with-llvm-exceptions?)?|asl-?2(\.0)?|psf(-2(\.0)?)?|psfl|python(-2\.0(\.1)?)?"
    r"|python-software-foundation|public-domain|pd|wtfpl|hpnd|ncsa|unicode-(dfs-2016|3\.0)|blueoak-1\.0\.0|postgresql|zpl(-2\.[01])?|zope-public")


def split(text, separator):
    """Split where no parenthesis is open."""
    parts, depth, begin, i = [], 0, 0, 0
    while i < len(text):
        depth += (text[i] == "(") - (text[i] == ")")
        m = separator.match(text, i) if depth == 0 else None
        if m:
            parts.append(text[begin:i])
            begin = i = m.end()
        else:
            i += 1
    return [p for p in parts + [text[begin:]] if p.strip()]


OR, AND = re.compile(r"\s+or\s+|\s*/\s*|\s*\|\s*", re.I), re.compile(r"\s+and\s+|\s*[,;]\s*", re.I)


def atom(text):
    text = re.sub(r"\([^)]*\)", " ", text.lower())
    text = re.sub(r"\b(the|licen[sc]e[ds]?|version|software(?= foundation| licen[sc]e)|approved|osi|terms|original)\b|\"", " ", text)
    text = re.sub(r"[\s_]+", "-", text.strip(" .-")).replace("apache-foundation", "apache").replace("python-foundation", "psf")
    return bool(PERMISSIVE.fullmatch(re.sub(r"-+", "-", text).strip("-")))


def permissive(expression):
    """True if the expression can be satisfied with permissive licences alone."""
    text = re.sub(r",\s*(?=version)", " ", expression.strip(), flags=re.I)
    if text.startswith("(") and text.endswith(")") and len(split(text[1:-1] + " ", re.compile(r"\)"))) == 1:
        return permissive(text[1:-1])
    options, needed = split(text, OR), split(text, AND)
    if len(options) > 1:
        return any(map(permissive, options))
    if len(needed) > 1:
        return all(map(permissive, needed))
    return bool(needed) and atom(text)


def classifiers(lines):
    """The licence that PyPI classifiers state, or ''."""
    names = [c.split("::")[-1].strip() for c in lines if c.startswith("License ::") and c.strip() != "License :: OSI Approved"]
    return " and ".join(names)
