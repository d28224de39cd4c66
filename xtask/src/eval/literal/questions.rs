//! Questions about a repository, made by rule.

use super::random::Random;
use super::repository::{File, Repository};
use super::strings::{fill, is_message, literals, placeholders};
use groma_core::{ReferenceKind, SymbolKind, parts};
use groma_engine::PathKind;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    FullPath,
    PathLine,
    PathInQuestion,
    BaseName,
    Folder,
    Message,
    FilledMessage,
    Key,
    Name,
    NameTypo,
    NameJoined,
    NameSeparated,
    Member,
    TestsFor,
    DocsAbout,
    WhoCalls,
    Trace,
    Nonsense,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::FullPath => "full path",
            Self::PathLine => "path:line",
            Self::PathInQuestion => "path:line in a question",
            Self::BaseName => "unique base name",
            Self::Folder => "folder",
            Self::Message => "pasted message",
            Self::FilledMessage => "filled-in message",
            Self::Key => "key, flag, variable",
            Self::Name => "name",
            Self::NameTypo => "name with a typo",
            Self::NameJoined => "name joined, lower case",
            Self::NameSeparated => "name as separate words",
            Self::Member => "Type.member",
            Self::TestsFor => "tests for NAME",
            Self::DocsAbout => "docs about NAME",
            Self::WhoCalls => "who calls NAME",
            Self::Trace => "stack trace",
            Self::Nonsense => "nonsense",
        }
    }
}

/// What a right place is.
#[derive(Clone, Debug)]
pub enum Gold {
    /// In this file.
    File(String),
    /// Below this folder.
    Folder(String),
    /// Around this line.
    Line(String, u32),
    /// Lines that contain a text.
    Text(String),
    /// A definition of a name.
    Definition(String),
    /// A test that mentions a name.
    TestOf(String),
    /// A document that mentions a name.
    ProseOf(String),
    /// A call of a name, outside of its definition.
    CallOf(String),
    /// There is none.
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Question {
    pub kind: Kind,
    pub text: String,
    pub gold: Gold,
}

/// At most `each` questions of every kind.
pub fn questions(repository: &Repository, each: usize) -> Vec<Question> {
    let mut random = Random::new(&repository.name);
    let mut asked = Vec::new();
    for make in [paths, messages, keys, names, tests_and_docs, traces, nonsense] {
        let mut made: BTreeMap<Kind, Vec<Question>> = BTreeMap::new();
        for question in make(repository, &mut random) {
            made.entry(question.kind).or_default().push(question);
        }
        for (_, questions) in made {
            asked.extend(random.sample(&questions, each));
        }
    }
    asked
}

fn question(kind: Kind, text: impl Into<String>, gold: Gold) -> Question {
    Question { kind, text: text.into(), gold }
}

/// A line with code inside of a definition, chosen at random.
fn line_of(file: &File, random: &mut Random) -> Option<u32> {
    let symbols: Vec<_> = file.facts.symbols.iter().filter(|one| one.kind.is_callable()).collect();
    let symbol = symbols.get(random.below(symbols.len()))?;
    let count = symbol.lines.count() as usize;
    Some(symbol.lines.start + random.below(count) as u32)
}

fn paths(repository: &Repository, random: &mut Random) -> Vec<Question> {
    let mut made = Vec::new();
    let mut base_names: BTreeMap<&str, usize> = BTreeMap::new();
    for file in repository.files.values() {
        *base_names.entry(file.path.file_name()).or_default() += 1;
    }
    let mut folders = BTreeSet::new();
    for file in repository.products().filter(|file| file.lines.len() > 3) {
        let path = file.path.to_string();
        let gold = Gold::File(path.clone());
        made.push(question(Kind::FullPath, path.clone(), gold.clone()));
        if base_names[file.path.file_name()] == 1 {
            made.push(question(Kind::BaseName, file.path.file_name(), gold));
        }
        if let Some((folder, _)) = path.rsplit_once('/') {
            folders.insert(folder.to_string());
        }
        let Some(line) = line_of(file, random) else { continue };
        let gold = Gold::Line(path.clone(), line);
        let text = match random.below(4) {
            0 => format!("{path}#L{line}"),
            1 => format!("{path}:{line}:5"),
            _ => format!("{path}:{line}"),
        };
        made.push(question(Kind::PathLine, text, gold.clone()));
        let text = match random.below(3) {
            0 => format!("how does {path}:{line} work"),
            1 => format!("what happens at {path} line {line}?"),
            _ => format!("why does it fail in {path}:{line}"),
        };
        made.push(question(Kind::PathInQuestion, text, gold));
    }
    let folders = folders.into_iter().filter(|folder| folder.contains('/'));
    made.extend(folders.map(|folder| {
        let gold = Gold::Folder(format!("{folder}/"));
        question(Kind::Folder, format!("{folder}/"), gold)
    }));
    made
}

fn messages(repository: &Repository, random: &mut Random) -> Vec<Question> {
    let mut made = Vec::new();
    for file in repository.products() {
        for line in &file.lines {
            for literal in literals(line).into_iter().filter(|text| is_message(text)) {
                let gold = Gold::Text(literal.to_string());
                if placeholders(literal).is_empty() {
                    made.push(question(Kind::Message, literal, gold));
                } else {
                    made.push(question(Kind::FilledMessage, fill(literal, random), gold));
                }
            }
        }
    }
    made
}

/// Whether a literal is a key with dashes, a flag, an environment variable or a header name.
fn is_key(text: &str) -> bool {
    let name = text.strip_prefix("--").unwrap_or(text);
    let dashed = |allowed: fn(char) -> bool| {
        name.contains('-')
            && name.split('-').all(|part| !part.is_empty() && part.chars().all(allowed))
    };
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let letters = name.chars().filter(char::is_ascii_alphabetic).count();
    let is_variable = name.contains('_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && !name.starts_with('_');
    let is_header = dashed(|c| c.is_ascii_alphanumeric())
        && name.split('-').all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()));
    letters >= 6 && (dashed(lower) || is_variable || is_header)
}

fn keys(repository: &Repository, _: &mut Random) -> Vec<Question> {
    let mut found = BTreeSet::new();
    for file in repository.products() {
        for line in &file.lines {
            found.extend(literals(line).into_iter().filter(|text| is_key(text)));
        }
    }
    let key = |key: &str| question(Kind::Key, key, Gold::Text(key.to_string()));
    found.into_iter().map(key).collect()
}

/// A name with a letter missing, doubled, swapped or wrong.
fn with_typo(name: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    // The first letter is rarely wrong.
    let at = 1 + random.below(letters.len() - 2);
    match random.below(4) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, letters[at]),
        2 => letters.swap(at, at + 1),
        _ => letters[at] = if letters[at] == 'e' { 'a' } else { 'e' },
    }
    letters.into_iter().collect()
}

/// Names of functions and types of the product, with the type that a method belongs to.
fn defined(repository: &Repository) -> BTreeMap<String, Option<String>> {
    let mut names = BTreeMap::new();
    for file in repository.products() {
        for symbol in &file.facts.symbols {
            let fits = symbol.kind.is_callable() || symbol.kind.is_container();
            let is_name = symbol.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if fits && is_name && symbol.name.len() >= 5 && symbol.kind != SymbolKind::Test {
                let parent = symbol.parent.and_then(|at| file.facts.symbols.get(at as usize));
                let parent = parent.filter(|parent| parent.kind.is_type());
                names.insert(symbol.name.clone(), parent.map(|parent| parent.name.clone()));
            }
        }
    }
    names
}

fn names(repository: &Repository, random: &mut Random) -> Vec<Question> {
    let mut made = Vec::new();
    for (name, parent) in defined(repository) {
        let gold = Gold::Definition(name.clone());
        let words: Vec<String> = parts(&name).iter().map(|part| part.to_lowercase()).collect();
        made.push(question(Kind::Name, name.clone(), gold.clone()));
        if let Some(parent) = parent {
            made.push(question(Kind::Member, format!("{parent}.{name}"), gold.clone()));
        }
        if name.len() >= 7 {
            let typo = with_typo(&name, random);
            if typo != name {
                made.push(question(Kind::NameTypo, typo, gold.clone()));
            }
        }
        if words.len() >= 2 && words.iter().all(|word| word.len() > 1) {
            made.push(question(Kind::NameJoined, words.concat(), gold.clone()));
            made.push(question(Kind::NameSeparated, words.join(" "), gold));
        }
    }
    made
}

fn tests_and_docs(repository: &Repository, _: &mut Random) -> Vec<Question> {
    let words = |fits: &dyn Fn(&File) -> bool| -> BTreeSet<String> {
        let lines = repository.files.values().filter(|file| fits(file)).flat_map(|f| &f.lines);
        let split = |line: &str| -> Vec<String> {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            line.split(|c| !is_word(c)).filter(|word| word.len() >= 6).map(str::to_string).collect()
        };
        lines.flat_map(|line| split(line)).collect()
    };
    let tested = words(&|file| file.kind == PathKind::Test && !file.is_prose());
    let documented = words(&|file| file.is_document());
    let mut called: BTreeSet<String> = BTreeSet::new();
    for file in repository.products() {
        let calls = file.facts.references.iter().filter(|one| one.kind == ReferenceKind::Call);
        called.extend(calls.map(|one| one.name.to_string()));
    }
    let mut made = Vec::new();
    for name in defined(repository).into_keys() {
        // A word of the language is no name: its tests and documents cannot be told from others.
        if parts(&name).len() < 2 {
            continue;
        }
        if tested.contains(&name) {
            let text = format!("tests for {name}");
            made.push(question(Kind::TestsFor, text, Gold::TestOf(name.clone())));
        }
        if documented.contains(&name) {
            let text = format!("docs about {name}");
            made.push(question(Kind::DocsAbout, text, Gold::ProseOf(name.clone())));
        }
        if called.contains(&name) {
            let text = format!("who calls {name}");
            made.push(question(Kind::WhoCalls, text, Gold::CallOf(name)));
        }
    }
    made
}

/// Traces in the manner of the file's language, with frames of libraries around that of the project.
fn traces(repository: &Repository, random: &mut Random) -> Vec<Question> {
    let mut made = Vec::new();
    for file in repository.products() {
        let Some(line) = line_of(file, random) else { continue };
        let path = file.path.as_str();
        let name = file.path.file_name();
        let trace = match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("py") => format!(
                "Traceback (most recent call last):\n  File \"/usr/lib/python3/runpy.py\", line 86, in _run_code\n  \
                 File \"/srv/ci/build/{path}\", line {line}, in handler\n    value = compute()\n  File \
                 \"/usr/lib/python3/json/decoder.py\", line 355, in raw_decode\nValueError: bad value"
            ),
            Some("java" | "kt") => {
                let package = file.facts.package.clone().unwrap_or_default();
                let class = file.path.stem();
                format!(
                    "java.lang.IllegalStateException: broken\n\tat java.base/java.util.Objects.check(Objects.java:372)\n\
                     \tat {package}.{class}.run({name}:{line})\n\tat java.base/java.lang.Thread.run(Thread.java:840)"
                )
            }
            Some("go") => format!(
                "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\n\
                 runtime.goPanicIndex(0x5, 0x3)\n\t/usr/local/go/src/runtime/panic.go:114 +0x74\n\
                 example.com/x.Run(...)\n\t/go/src/app/{path}:{line} +0x1d"
            ),
            Some("rs") => format!(
                "thread 'main' panicked at /build/{path}:{line}:17:\nindex out of bounds\nstack backtrace:\n   0: \
                 rust_begin_unwind\n             at /rustc/9fc6b4312/library/std/src/panicking.rs:652:5"
            ),
            Some("js" | "ts" | "tsx" | "jsx") => format!(
                "TypeError: Cannot read properties of undefined\n    at Object.emit (node:events:517:28)\n    at run \
                 (/app/{path}:{line}:12)\n    at processTicksAndRejections (node:internal/process/task_queues:95:5)"
            ),
            Some("cs") => format!(
                "System.NullReferenceException: Object reference not set\n   at System.Linq.Enumerable.First() in \
                 /_/src/libraries/System.Linq/First.cs:line 12\n   at Run() in C:\\build\\{}:line {line}",
                path.replace('/', "\\")
            ),
            Some("rb") => format!(
                "/usr/lib/ruby/3.2.0/json.rb:220:in `parse': unexpected token (JSON::ParserError)\n\tfrom \
                 /srv/app/{path}:{line}:in `call'"
            ),
            _ => continue,
        };
        made.push(question(Kind::Trace, trace, Gold::Line(path.to_string(), line)));
    }
    made
}

/// Words of other subjects, and letters at random. None of them occurs in the repository.
fn nonsense(repository: &Repository, random: &mut Random) -> Vec<Question> {
    const FOREIGN: [&str; 24] = [
        "chlorophyll",
        "gluon",
        "basilica",
        "sourdough",
        "trombone",
        "glacier",
        "platypus",
        "meniscus",
        "rhubarb",
        "violoncello",
        "saffron",
        "archipelago",
        "marzipan",
        "equinox",
        "obsidian",
        "tuberculosis",
        "kayak",
        "minaret",
        "sonata",
        "chrysanthemum",
        "peninsula",
        "gondola",
        "haiku",
        "plankton",
    ];
    let texts: Vec<String> =
        repository.files.values().map(|file| file.lines.join("\n").to_lowercase()).collect();
    let occurs = |word: &str| texts.iter().any(|text| text.contains(word));
    let foreign: Vec<&str> = FOREIGN.into_iter().filter(|word| !occurs(word)).collect();
    let mut made = Vec::new();
    for _ in 0..100 {
        let text = match random.below(4) {
            0 => letters(random),
            1 => format!("{} {}", letters(random), letters(random)),
            2 => random.sample(&foreign, 3).join(" "),
            _ => format!(
                "how is the {} in the {} made",
                foreign[random.below(foreign.len())],
                letters(random)
            ),
        };
        if text.split(' ').filter(|word| word.len() > 4).all(|word| !occurs(word)) {
            made.push(question(Kind::Nonsense, text, Gold::Nothing));
        }
    }
    made
}

fn letters(random: &mut Random) -> String {
    const LETTERS: &[u8] = b"qzxjkvwyghbpq";
    (0..8 + random.below(4)).map(|_| char::from(LETTERS[random.below(LETTERS.len())])).collect()
}
