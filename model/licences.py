"""Which licence statements count as permissive: SPDX expressions, Debian's short names, PyPI's classifiers and free text."""
import re

PERMISSIVE = re.compile(
    r"mit(-0)?|mit-(cmu|modern-variant|like|style)|expat|x11|isc|zlib(-acknowledgement)?|libpng(-2\.0)?|unlicense|cc0(-1\.0(-universal)?)?|0bsd"
    r"|bsl(-1(\.0)?)?|boost(-1\.0)?|bsd|bsd-?[0-4](-?clauses?)?(-(clear|patent|views|lbnl|modification|new|like|revised|simplified))?|new-bsd|modified-bsd"
    r"|bsd-style|[234]-?clause-bsd|apache(-software)?(-?v?2(\.0)?)?(-with-llvm-exceptions?)?|asl-?2(\.0)?|llvm-exception|psf(-2(\.0)?)?|psfl|python(-2\.0(\.1)?)?"
    r"|python-software-foundation|public-domain|pd|wtfpl|hpnd|ncsa|unicode-(dfs-2016|3\.0)|blueoak-1\.0\.0|postgresql|zpl(-2\.[01])?|zope-public")


def _atom(text):
    text = re.sub(r"\((mit|bsd|psf|isc|wtfpl|unlicense|zpl|apache)[^)]*\)", " ", text.lower())
    text = re.sub(r"\b(the|license[ds]?|licence|version|software(?= license)|approved|osi|terms|original)\b|[\",]", " ", text)
    text = re.sub(r"apache software|apache software foundation", "apache", text)
    text = re.sub(r"[\s_]+", "-", text.strip(" .-()"))
    text = re.sub(r"-+", "-", text).replace("-v2", "-2").strip("-")
    return bool(PERMISSIVE.fullmatch(text))


def permissive(expression):
    """True if the expression can be satisfied with permissive licences alone."""
    text = re.sub(r"[()]", " ", expression) if "(" in expression and re.search(r"\b(OR|AND)\b", expression) else expression
    text = re.sub(r"\s+WITH\s+LLVM-exception", "", text, flags=re.I)
    options = re.split(r"\s+or\s+|\s*/\s*|\s*\|\s*", text.strip(), flags=re.I)
    if "(" in expression and re.search(r"\bAND\b", expression) and re.search(r"\bOR\b", expression):
        return all(permissive(part) for part in re.split(r"\s+AND\s+", re.sub(r"^\(|\)$", "", expression)))
    return any(all(_atom(p) for p in re.split(r"\s+and\s+|\s*,\s+|\s*;\s*", o, flags=re.I) if p.strip()) and o.strip() for o in options)


def classifiers(lines):
    """The licence that PyPI classifiers state, or ''."""
    names = [c.split("::")[-1].strip() for c in lines if c.startswith("License ::") and c.strip() != "License :: OSI Approved"]
    return " and ".join(names)
