//! Paths that a question mentions: `src/app.py:120`, `app.py#L20-L40`, a URL of a forge, a frame of a stack trace.
//!
//! A mention is text; the manifest decides whether it is a file. Traces and URLs have prefixes that the project does not
//! know (`/srv/ci/build/src/app.py`), so a file is found by the end of its path.

use groma_core::{Lines, Manifest, RelPath};

/// Maximum number of mentions in one question; a long stack trace has more.
const MAX_MENTIONS: usize = 60;

/// Maximum number of files that one mention can mean.
const MAX_FILES: usize = 5;

/// Maximum number of files that are shown of a folder.
const MAX_CHILDREN: usize = 12;

/// A part of a question that may be a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// The path as written, with `/` between folders.
    pub path: String,
    /// The lines after it.
    pub lines: Option<Lines>,
    /// The word before it: `at org.shop.Cart.add(Cart.java:12)` says in which package the file is.
    pub before: String,
    /// Its byte offset in the question.
    pub at: usize,
}

/// What a mention means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    pub files: Vec<RelPath>,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// How many names at the end of the path agree.
    pub agreeing: usize,
    /// Whether the whole text agrees, not only the end of it.
    pub is_whole: bool,
}

/// The words of a question, with their offsets. Quotes, brackets and commas separate words, too.
fn tokens(query: &str) -> Vec<(usize, &str)> {
    let separates = |c: char| c.is_whitespace() || "\"'`<>()[]{},;|*".contains(c);
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in query.char_indices().chain([(query.len(), ' ')]) {
        match (separates(c), start) {
            (true, Some(from)) => {
                found.push((from, &query[from..at]));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    found
}

/// The parts of a question that may be paths.
pub(super) fn mentions(query: &str) -> Vec<Mention> {
    let tokens = tokens(query);
    let mut found = Vec::new();
    for (index, (at, token)) in tokens.iter().enumerate() {
        let (path, mut lines) = split_location(token);
        let Some(path) = as_path(path) else { continue };
        let next = |offset: usize| tokens.get(index + offset).map_or("", |(_, token)| *token);
        if lines.is_none() {
            let says_line = token.ends_with(":line");
            if says_line {
                lines = number(next(1));
            } else if matches!(next(1), "line" | "Line" | "lines" | "on" | "at") {
                let skipped = if matches!(next(2), "line" | "lines") { 3 } else { 2 };
                lines = number(next(skipped))
                    .filter(|_| skipped == 3 || next(1) != "on" && next(1) != "at");
            }
        }
        let before = index.checked_sub(1).map_or("", |index| tokens[index].1);
        found.push(Mention { path, lines, before: before.to_string(), at: *at });
        if found.len() == MAX_MENTIONS {
            break;
        }
    }
    found
}

fn number(text: &str) -> Option<Lines> {
    let digits = text.trim_matches(|c: char| !c.is_ascii_digit());
    parse_lines(digits)
}

/// `20`, `20-40`, `L20`, `L20-L40`, `L20C3-L40C1`.
fn parse_lines(text: &str) -> Option<Lines> {
    let line = |text: &str| -> Option<u32> {
        let text = text.trim_start_matches(['L', 'l']);
        let text = text.split_once(['C', 'c']).map_or(text, |(line, _)| line);
        text.parse().ok().filter(|line| *line >= 1)
    };
    match text.split_once('-') {
        Some((start, end)) => {
            let (start, end) = (line(start)?, line(end)?);
            (start <= end).then(|| Lines::new(start, end))
        }
        None => line(text).map(|line| Lines::new(line, line)),
    }
}

/// Splits `path:12:5`, `path:12-40`, `path#L12-L40`, `path:12:in` into the path and its lines.
fn split_location(token: &str) -> (&str, Option<Lines>) {
    let token = token.trim_end_matches(['.', ',', ':', ';', '?', '!']);
    if let Some((path, fragment)) = token.split_once('#') {
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        return (path, parse_lines(fragment));
    }
    let (mut path, mut lines) = (token, None);
    // At most a line, a column and `in`.
    for _ in 0..3 {
        let Some((rest, last)) = path.rsplit_once(':') else { break };
        let parsed = parse_lines(last);
        if parsed.is_none() && !matches!(last, "in" | "line") || rest.is_empty() {
            break;
        }
        lines = parsed.or(lines);
        path = rest;
    }
    (path, lines)
}

/// The path that a word may be, with `/` between folders: it has a folder or an extension.
fn as_path(word: &str) -> Option<String> {
    // `--config=src/app.toml`, `https://forge.example/src/app.py`.
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let word = word.split_once("://").map_or(word, |(_, rest)| rest);
    let path = word.replace('\\', "/");
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let has_letters = path.chars().any(char::is_alphanumeric);
    let may_be_path = path.contains('/') || path.contains('.') && !path.ends_with('.');
    (has_letters && may_be_path && path.len() < 500).then(|| path.to_string())
}

/// What each mention means; `None` for one that is no file or folder. `alone` is true if the question is nothing but
/// the path: then less has to agree.
pub(super) fn resolve(
    manifest: &Manifest,
    mentions: &[Mention],
    alone: bool,
) -> Vec<Option<Resolved>> {
    let wanted: Vec<Wanted<'_>> = mentions.iter().map(Wanted::new).collect();
    let mut candidates: Vec<Vec<&RelPath>> = vec![Vec::new(); mentions.len()];
    for path in manifest.files.keys() {
        for (wanted, candidates) in wanted.iter().zip(&mut candidates) {
            if wanted.has_name_of(path) {
                candidates.push(path);
            }
        }
    }
    let pairs = wanted.iter().zip(&candidates);
    let resolved = pairs.map(|(wanted, candidates)| {
        // A folder is more than a file in whose name only the end agrees.
        let file = wanted.best(candidates, alone);
        let is_file = file.as_ref().is_some_and(|file| file.is_whole) && !wanted.ends_as_folder();
        if is_file { file } else { wanted.folder(manifest, alone).or(file) }
    });
    resolved.collect()
}

/// A mention, split for comparison.
struct Wanted<'m> {
    mention: &'m Mention,
    /// The names of the path, last first.
    names: Vec<&'m str>,
    /// The parts of a dotted name such as `org.shop.Cart.add`, last first.
    dotted: Vec<&'m str>,
}

impl<'m> Wanted<'m> {
    fn new(mention: &'m Mention) -> Self {
        let names = mention.path.trim_end_matches('/').rsplit('/').collect();
        let is_dotted = !mention.path.contains('/') && mention.path.matches('.').count() >= 2;
        let dotted = if is_dotted { mention.path.rsplit('.').collect() } else { Vec::new() };
        Self { mention, names, dotted }
    }

    fn ends_as_folder(&self) -> bool {
        self.mention.path.ends_with('/')
    }

    /// Whether a file has the name that is wanted, with or without its extension.
    fn has_name_of(&self, path: &RelPath) -> bool {
        let is = |name: &str, other: &str| name.eq_ignore_ascii_case(other);
        let (name, stem) = (path.file_name(), path.stem());
        is(name, self.names[0])
            || self.names.len() > 1 && is(stem, self.names[0])
            || self.dotted.iter().take(2).any(|part| is(stem, part))
    }

    /// The files that agree best.
    fn best(&self, candidates: &[&RelPath], alone: bool) -> Option<Resolved> {
        let scored = candidates.iter().map(|path| (self.agreement(path), *path));
        let mut scored: Vec<(Agreement, &RelPath)> =
            scored.filter(|(agreement, _)| agreement.is_enough(alone)).collect();
        scored.sort_by(|(a, left), (b, right)| b.cmp(a).then(left.cmp(right)));
        let (best, _) = *scored.first()?;
        let same = scored.iter().take_while(|(agreement, _)| *agreement == best);
        Some(Resolved {
            files: same.take(MAX_FILES).map(|(_, path)| (*path).clone()).collect(),
            is_folder: false,
            agreeing: best.names,
            is_whole: best.is_whole,
        })
    }

    fn agreement(&self, path: &RelPath) -> Agreement {
        let own: Vec<&str> = path.as_str().rsplit('/').collect();
        let by_name = self.names[0].eq_ignore_ascii_case(own[0]);
        let wanted = if by_name || self.names.len() > 1 { &self.names } else { &self.dotted };
        // `Cart.add` in `org.shop.Cart.add` is a method of `Cart`.
        let skipped = usize::from(
            !by_name && self.names.len() == 1 && !wanted[0].eq_ignore_ascii_case(path.stem()),
        );
        let wanted = &wanted[skipped.min(wanted.len() - 1)..];
        let own_names = std::iter::once(if by_name { own[0] } else { path.stem() })
            .chain(own[1..].iter().copied());
        let pairs = wanted.iter().zip(own_names);
        let names = pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        let exact = wanted.iter().zip(&own).filter(|(a, b)| a == b).count();
        let hinted = path.folders().filter(|folder| self.hints(folder)).count();
        Agreement {
            is_whole: names == wanted.len(),
            names,
            is_root: names == own.len(),
            by_name,
            hinted,
            exact,
        }
    }

    /// Whether the word before the path has a part with this name: its package.
    fn hints(&self, folder: &str) -> bool {
        self.mention.before.contains('.')
            && self.mention.before.split('.').any(|part| part == folder)
    }

    /// The files of the folder that is wanted, those directly in it first.
    fn folder(&self, manifest: &Manifest, alone: bool) -> Option<Resolved> {
        let wanted = self.mention.path.trim_end_matches('/');
        let says_folder = alone || self.ends_as_folder() || wanted.matches('/').count() > 1;
        if wanted.is_empty() || self.mention.lines.is_some() || !says_folder {
            return None;
        }
        let depth_in = |path: &RelPath| -> Option<(usize, usize)> {
            let folder = path.folder();
            let start = if folder == wanted || folder.starts_with(&format!("{wanted}/")) {
                0
            } else {
                folder.find(&format!("/{wanted}")).map(|at| at + 1)?
            };
            let rest = &folder[start + wanted.len()..];
            (rest.is_empty() || rest.starts_with('/')).then(|| (rest.matches('/').count(), start))
        };
        let files = manifest.files.keys().filter_map(|path| Some((depth_in(path)?, path)));
        let mut files: Vec<_> = files.collect();
        files.sort_unstable();
        let files: Vec<RelPath> =
            files.into_iter().take(MAX_CHILDREN).map(|(_, path)| path.clone()).collect();
        let agreeing = wanted.matches('/').count() + 1;
        (!files.is_empty()).then_some(Resolved { files, is_folder: true, agreeing, is_whole: true })
    }
}

/// How much of a path agrees; larger is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Agreement {
    /// Whether the whole text agrees.
    is_whole: bool,
    /// How many names at the end agree.
    names: usize,
    /// Whether the whole path of the file agrees.
    is_root: bool,
    /// Whether the name agrees with its extension.
    by_name: bool,
    /// How many folders the word before the path names.
    hinted: usize,
    /// How many names agree in case, too.
    exact: usize,
}

impl Agreement {
    /// A file of another project often has the same name, so of a longer path two names must agree.
    fn is_enough(&self, alone: bool) -> bool {
        let is_file = self.by_name && (self.is_whole || alone || self.is_root || self.names >= 2);
        is_file || self.names >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::{ManifestEntry, VersionKey};

    fn mention(query: &str) -> Vec<(String, Option<(u32, u32)>)> {
        let lines = |mention: &Mention| mention.lines.map(|lines| (lines.start, lines.end));
        mentions(query).iter().map(|one| (one.path.clone(), lines(one))).collect()
    }

    fn one(path: &str, lines: Option<(u32, u32)>) -> Vec<(String, Option<(u32, u32)>)> {
        vec![(path.to_string(), lines)]
    }

    #[test]
    fn locations_in_many_notations() {
        let cases = [
            ("src/app.py", one("src/app.py", None)),
            ("src/app.py:12", one("src/app.py", Some((12, 12)))),
            ("src/app.py:12:5", one("src/app.py", Some((12, 12)))),
            ("src/app.py:12-40", one("src/app.py", Some((12, 40)))),
            ("src/app.py#L12", one("src/app.py", Some((12, 12)))),
            ("src/app.py#L12-L40", one("src/app.py", Some((12, 40)))),
            ("how does src/app.py:12 work?", one("src/app.py", Some((12, 12)))),
            ("what is at src/app.py line 12?", one("src/app.py", Some((12, 12)))),
            ("File \"/srv/app.py\", line 12, in run", one("srv/app.py", Some((12, 12)))),
            ("at Run() in C:\\build\\App.cs:line 12", one("C:/build/App.cs", Some((12, 12)))),
            ("from /srv/app/a.rb:12:in `call'", one("srv/app/a.rb", Some((12, 12)))),
            (
                "https://forge.example/o/r/blob/main/src/app.py?plain=1#L12",
                one("forge.example/o/r/blob/main/src/app.py", Some((12, 12))),
            ),
            ("where is the session opened", Vec::new()),
        ];
        for (query, expected) in cases {
            assert_eq!(mention(query), expected, "{query}");
        }
    }

    fn found(paths: &[&str], query: &str) -> Vec<String> {
        let mut manifest = Manifest::default();
        for path in paths {
            let path = RelPath::new(path).unwrap();
            let entry =
                ManifestEntry { key: VersionKey::new(&path, b"", 0), stamp: Default::default() };
            manifest.files.insert(path, entry);
        }
        let alone = !query.contains(' ');
        let resolved = resolve(&manifest, &mentions(query), alone);
        let files = resolved.into_iter().flatten().flat_map(|one| one.files);
        files.map(|path| path.to_string()).collect()
    }

    #[test]
    fn files_are_found_by_the_end_of_their_path() {
        let paths = [
            "src/shop/app.py",
            "tests/app.py",
            "src/shop/Cart.java",
            "src/json/decoder.py",
            "src/json.py",
        ];
        let cases: [(&str, &[&str]); 12] = [
            ("src/shop/app.py", &["src/shop/app.py"]),
            ("shop/app.py", &["src/shop/app.py"]),
            ("shop/app", &["src/shop/app.py"]),
            ("SRC/shop/App.py", &["src/shop/app.py"]),
            ("app.py", &["src/shop/app.py", "tests/app.py"]),
            ("/builds/17/src/shop/app.py:3", &["src/shop/app.py"]),
            ("org.example.shop.Cart.add", &["src/shop/Cart.java"]),
            (
                "at org.example.shop.Cart.add(Cart.java:5)",
                &["src/shop/Cart.java", "src/shop/Cart.java"],
            ),
            ("failed in /usr/lib/python3/decoder.py", &[]),
            ("src/shop/", &["src/shop/Cart.java", "src/shop/app.py"]),
            ("src/json/", &["src/json/decoder.py"]),
            ("read/write locks", &[]),
        ];
        for (query, expected) in cases {
            assert_eq!(found(&paths, query), expected, "{query}");
        }
    }
}
