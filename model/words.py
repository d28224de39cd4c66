"""Text to tokens, exactly as FORMAT.md describes: identifier words first, then sub-words of a fixed vocabulary."""
import re

PART = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
MAX_WORD, MAX_NUMBER = 32, 4


def place(path, stems):
    """How a passage names its file: the last folder and the file's name, then the name without its extension, several times."""
    name = path.rsplit("/", 1)[-1]
    return "/".join(path.split("/")[-2:]) + "\n" + (name.rsplit(".", 1)[0] + "\n") * stems


def passage(path, head, body, stems=5, heads=2):
    """A chunk as it is embedded: what its file is called, if it comes from one, and its head are heard beside a long text only if they are repeated."""
    return (place(path, stems) if path else "") + (head + "\n") * heads + body


def words(text):
    """Lowercase words of a text. A number that directly follows letters comes as '+8' (utf8 -> utf, +8) so that join() may put them together."""
    out, end = [], -1
    for m in PART.finditer(text):
        w = m.group()
        if w[0] <= "9":
            if len(w) <= MAX_NUMBER:
                out.append("+" + w if m.start() == end else w)
            continue
        end = m.end()
        out.append(w[:MAX_WORD].lower())
    return out


def pieces(word, vocabulary):
    """Greedy longest match from the left; a character that no entry starts with is skipped."""
    out, i = [], 0
    while i < len(word):
        for j in range(len(word), i, -1):
            if word[i:j] in vocabulary:
                out.append(word[i:j])
                i = j
                break
        else:
            i += 1
    return out


def tokens(text, vocabulary, limit=512):
    """The tokens of a text, at most `limit`."""
    return join(words(text), vocabulary, {})[:limit]


def join(parts, vocabulary, cache):
    """Words to tokens; `cache` remembers the pieces of rare words."""
    out, i = [], 0
    while i < len(parts):
        w = parts[i]
        if w[0] == "+":
            w = w[1:]
        elif i + 1 < len(parts) and parts[i + 1][0] == "+" and w + parts[i + 1][1:] in vocabulary:
            out.append(w + parts[i + 1][1:])
            i += 2
            continue
        if w in vocabulary:
            out.append(w)
        else:
            if w not in cache:
                cache[w] = pieces(w, vocabulary)
            out += cache[w]
        i += 1
    return out
