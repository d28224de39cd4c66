//! Language detection: by the name a user gives, and by the name and content of a file.

use crate::language::Language;
use crate::languages::LANGUAGES;
use groma_core::RelPath;

/// How much of a file is searched for the marks of a dialect.
const DIALECT_WINDOW: usize = 64 * 1024;

impl Language {
    /// The row with this canonical name.
    pub fn named(name: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|row| row.name == name)
    }
}

/// The language called `name`, by its canonical name, an alias or an extension; case does not matter.
pub fn find_language(name: &str) -> Option<&'static Language> {
    let name = name.trim().trim_start_matches('.').to_ascii_lowercase();
    let named = |list: &[&str]| list.contains(&name.as_str());
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .or_else(|| LANGUAGES.iter().find(|language| named(language.aliases)))
        .or_else(|| LANGUAGES.iter().find(|language| named(language.extensions)))
}

/// The language of a file, by its file name, its extension or the interpreter in its first line; `text` if none is known.
pub fn detect(path: &RelPath, bytes: &[u8]) -> &'static Language {
    let by_interpreter = || {
        let program = interpreter(bytes)?;
        LANGUAGES.iter().find(|l| l.interpreters.iter().any(|i| program.starts_with(i)))
    };
    detect_by_name(path)
        .map(|language| dialect(language, bytes))
        .or_else(by_interpreter)
        .unwrap_or_else(|| Language::named("text").expect("the table has a row for plain text"))
}

/// The language of a file by its file name or extension. The content may show that it is one of its dialects.
pub fn detect_by_name(path: &RelPath) -> Option<&'static Language> {
    let name = path.file_name();
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(pattern),
    };
    LANGUAGES.iter().find(|l| l.file_names.iter().any(|n| fits(n))).or_else(|| {
        let extension = path.extension()?.to_ascii_lowercase();
        LANGUAGES.iter().find(|l| l.extensions.contains(&extension.as_str()))
    })
}

/// The dialect that a file is written in: a `.h` file is C unless it has words of C++.
fn dialect(language: &'static Language, bytes: &[u8]) -> &'static Language {
    let head = &bytes[..bytes.len().min(DIALECT_WINDOW)];
    let shows = |mark: &&[u8]| memchr::memmem::find(head, mark).is_some();
    let shown = language.dialects.iter().find(|dialect| dialect.marks.iter().any(shows));
    shown.and_then(|dialect| Language::named(dialect.language)).unwrap_or(language)
}

fn interpreter(bytes: &[u8]) -> Option<&str> {
    let line = bytes.strip_prefix(b"#!")?;
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len()).min(200)];
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program == "env" { words.find(|word| !word.starts_with('-')) } else { Some(program) }
}
