"""Fetch registry packages with the registries' ordinary clients, and check their licences.

  fetch.py fetch PACKAGES WORK           download every pinned package into WORK/archives
  fetch.py pin REGISTRY WORK < NAMES     download the newest version of each name, print the lines to pin (permissive ones only)

A line of PACKAGES is "registry name version licence". Registries: pypi (wheels), crates, npm, debian (the files of a binary package), debian-source
(the upstream tarball of a binary package).
"""
import email
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile

from licences import classifiers, permissive

# The open benchmarks' corpora stay out of the training data.
EXCLUDED = re.compile(
    r"(lib|node-|python3?-|ruby-|php-|scala-|haskell-|libghc-|golang-github-(go-chi|hashicorp|gohugoio)-|lua-|elixir-)?"
    r"(bats(-core)?|curl.*|abseil(-cpp)?|absl-dev|dapper|ecto|chi|aeson|commons-lang3?|express|exposed(-.*)?|lazy\.nvim|laravel.*|illuminate.*|aiohttp"
    r"|click|fastapi|rack|axum(-.*)?|cats(-.*)?|alamofire|@?trpc.*|zig-clap|hugo|vault)(-java|-dev)?")
MAX_ARCHIVE = 40 << 20


def run(*args, **kw):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **kw)


def bisect(fetch, items):
    """Fetch items in one go; when the client refuses, halve until the culprits are alone."""
    if items and fetch(items).returncode and len(items) > 1:
        half = len(items) // 2
        bisect(fetch, items[:half])
        bisect(fetch, items[half:])


def batches(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]


# --- one fetcher for each registry: items are "name" or (name, version) ------------------------------------------------------------

def fetch_pypi(items, out):
    def get(part):
        return run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", out,
                   *[f"{n}=={v}" if v else n for n, v in part])
    for part in batches(items, 16):
        bisect(get, part)


def fetch_npm(items, out):
    def get(part):
        return run("npm", "pack", "--silent", "--pack-destination", out, *[f"{n}@{v}" if v else n for n, v in part])
    for part in batches(items, 24):
        bisect(get, part)


def fetch_crates(items, out):
    home = os.path.abspath(out + "/../cargo")
    os.makedirs(home + "/p/src", exist_ok=True)
    open(home + "/p/src/lib.rs", "w").close()

    def get(part):
        with open(home + "/p/Cargo.toml", "w") as f:
            f.write('[package]\nname = "p"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n')
            f.writelines(f'{n} = "{"=" + v if v else "*"}"\n' for n, v in part)
        if os.path.exists(home + "/p/Cargo.lock"):
            os.remove(home + "/p/Cargo.lock")
        return run("cargo", "fetch", "-q", cwd=home + "/p", env={**os.environ, "CARGO_HOME": home})
    for part in batches(items, 16):
        bisect(get, part)
    wanted = {f"{n}-{v}.crate" for n, v in items if v}
    for root, _, files in os.walk(home + "/registry/cache"):
        for f in files:
            if not wanted or f in wanted:
                shutil.copy(os.path.join(root, f), out)


def apt(work):
    """apt options for a private list of the source packages that go with the machine's binary ones."""
    state = os.path.abspath(work + "/apt")
    os.makedirs(state + "/lists/partial", exist_ok=True)
    os.makedirs(state + "/parts", exist_ok=True)
    for root, _, files in os.walk("/etc/apt"):
        for f in files:
            if f.endswith(".sources") or f == "sources.list":
                text = open(os.path.join(root, f)).read()
                text = re.sub(r"(?m)^(Types:\s*)deb\s*$", r"\1deb-src", re.sub(r"(?m)^deb ", "deb-src ", text))
                if "debian" in text:
                    open(f"{state}/parts/{f if f.endswith('.sources') else 'x.list'}", "w").write(text)
    return ["-o", "Acquire::GzipIndexes=false", "-o", f"Dir::State::Lists={state}/lists", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={state}/parts"]


def fetch_debian(items, out):
    def get(part):
        return run("apt-get", "download", "-qq", *[f"{n}={v}" if v else n for n, v in part], cwd=out)
    for part in batches(items, 40):
        bisect(get, part)


def fetch_source(items, out):
    """The binary package, for its copyright file and version, and, if that is permissive, the upstream tarball that it was built from."""
    fetch_debian(items, out)
    opts = apt(out + "/../..")
    run("apt-get", *opts, "update")
    names = {n for n, _ in items}
    for f in sorted(os.listdir(out)):
        if f.endswith(".deb") and f.partition("_")[0] in names and not tarballs(os.path.join(out, f)):
            try:
                name, _, stated = about_debian(os.path.join(out, f))
            except (KeyError, StopIteration, tarfile.TarError):
                continue
            if licensed("debian-source", name, stated):
                run("apt-get", *opts, "source", "-qq", "--tar-only", name, cwd=out)


# --- what an archive says about itself --------------------------------------------------------------------------------------------

def members(path):
    """(name, bytes) of every regular file in a wheel, crate, npm tarball or source tarball, sorted by name."""
    if path.endswith((".whl", ".zip")):
        with zipfile.ZipFile(path) as z:
            for n in sorted(z.namelist()):
                if not n.endswith("/") and z.getinfo(n).file_size < 2 << 20:
                    yield n, z.read(n)
        return
    with deb_tar(path, "data.tar") if path.endswith(".deb") else tarfile.open(path) as t:
        for m in sorted((m for m in t.getmembers() if m.isfile() and m.size < 2 << 20), key=lambda m: (m.offset_data, m.name)):
            yield m.name, t.extractfile(m).read()


def about_pypi(path):
    with zipfile.ZipFile(path) as z:
        meta = email.message_from_bytes(z.read(next(n for n in z.namelist() if n.endswith(".dist-info/METADATA"))))
    stated = meta.get("License-Expression") or classifiers(meta.get_all("Classifier") or []) or str(meta.get("License") or "").strip()
    return re.sub(r"[-_.]+", "-", meta["Name"]).lower(), meta["Version"], str(stated).split("\n")[0]


def about_npm(path):
    with tarfile.open(path) as t:
        m = min((m for m in t.getmembers() if m.name.endswith("/package.json")), key=lambda m: m.name.count("/"))
        meta = json.load(t.extractfile(m))
    stated = meta.get("license") or " OR ".join(x.get("type", "") for x in meta.get("licenses", []) if isinstance(x, dict))
    return meta["name"], meta["version"], stated.get("type", "") if isinstance(stated, dict) else stated


def about_crates(path):
    with tarfile.open(path) as t:
        meta = tomllib.load(t.extractfile(min((m for m in t.getmembers() if m.name.endswith("/Cargo.toml")), key=lambda m: m.name.count("/"))))
    return meta["package"]["name"], meta["package"]["version"], meta["package"].get("license", "")


def deb(path):
    """{member: bytes} of a .deb, which is an ar archive."""
    data, at, found = open(path, "rb").read(), 8, {}
    while at < len(data):
        name, size = data[at:at + 16].decode().strip(" /"), int(data[at + 48:at + 58])
        found[name] = data[at + 60:at + 60 + size]
        at += 60 + size + size % 2
    return found


def deb_tar(path, member):
    return tarfile.open(fileobj=io.BytesIO(next(v for k, v in deb(path).items() if k.startswith(member))))


def about_debian(path):
    """The licences of every License field in the copyright file (DEP-5); a copyright file in another form states nothing."""
    with deb_tar(path, "control.tar") as t:
        meta = email.message_from_bytes(t.extractfile("./control").read())
    with deb_tar(path, "data.tar") as t:
        m = next(m for m in t.getmembers() if m.name.endswith(f"/doc/{meta['Package']}/copyright"))
        text = t.extractfile(m).read().decode("utf-8", "replace")
    stated = sorted({s.strip() for s in re.findall(r"(?m)^License:[ \t]*(\S.*)$", text)})
    dep5 = re.match(r"\s*Format", text, re.I) and all(map(permissive, stated))
    return meta["Package"], meta["Version"], ", ".join(stated) if dep5 else ""


def about_source(path):
    """As about_debian, if the upstream tarball is there too."""
    return about_debian(path) if tarballs(path) else (None, None, "")


def tarballs(path):
    with deb_tar(path, "control.tar") as t:
        meta = email.message_from_bytes(t.extractfile("./control").read())
    source, _, version = (meta.get("Source") or meta["Package"]).partition(" ")
    version = (version.strip("()") or meta["Version"]).split(":")[-1]
    stem = f"{source}_{version.rsplit('-', 1)[0]}.orig"
    folder = os.path.dirname(path)
    return sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.startswith(stem) and ".tar." in f and not f.endswith(".asc"))


REGISTRIES = {
    "pypi": (fetch_pypi, about_pypi, ".whl"),
    "npm": (fetch_npm, about_npm, ".tgz"),
    "crates": (fetch_crates, about_crates, ".crate"),
    "debian": (fetch_debian, about_debian, ".deb"),
    "debian-source": (fetch_source, about_source, ".deb"),
}


def licensed(registry, name, stated):
    return bool(stated) and not EXCLUDED.fullmatch(name) and (registry.startswith("debian") or permissive(stated))


def survey(registry, out):
    """{(name, version): (licence, path)} of every archive of a registry that may be used; what archives say is remembered in about.json."""
    _, about, suffix = REGISTRIES[registry]
    memory, found = os.path.join(out, "about.json"), {}
    known = json.load(open(memory)) if os.path.exists(memory) else {}
    for f in sorted(os.listdir(out)):
        path = os.path.join(out, f)
        if not f.endswith(suffix) or os.path.getsize(path) > MAX_ARCHIVE:
            continue
        if f not in known:
            try:
                known[f] = about(path)
            except (KeyError, StopIteration, ValueError, OSError, tarfile.TarError):
                continue
        name, version, stated = known[f]
        if name and licensed(registry, name, stated):
            found[name, version] = (" ".join(stated.split()), path)
    with open(memory, "w") as f:
        json.dump(known, f)
    return found


def read_packages(path):
    rows = [line.split(None, 3) for line in open(path) if line.strip() and not line.startswith("#")]
    return [(r, n, v, l.strip()) for r, n, v, l in rows]


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("fetch", "pin"):
        sys.exit(__doc__)
    if sys.argv[1] == "pin":
        registry, work = sys.argv[2:]
        out = f"{work}/archives/{registry}"
        os.makedirs(out, exist_ok=True)
        names = sorted({n for n in sys.stdin.read().split() if not EXCLUDED.fullmatch(n)})
        REGISTRIES[registry][0]([(n, None) for n in names], out)
        for (name, version), (stated, _) in sorted(survey(registry, out).items()):
            print(registry, name, version, stated)
        return
    pinned, work = read_packages(sys.argv[2]), sys.argv[3]
    for registry, (fetch, _, _) in REGISTRIES.items():
        out = f"{work}/archives/{registry}"
        os.makedirs(out, exist_ok=True)
        wanted = {(n, v) for r, n, v, _ in pinned if r == registry}
        missing = sorted(wanted - set(survey(registry, out)))
        if missing:
            fetch(missing, out)
        have = set(survey(registry, out))
        for name, version in sorted(wanted - have):
            print("absent or not permissive:", registry, name, version)
        print(registry, len(wanted & have), "of", len(wanted))


if __name__ == "__main__":
    main()
