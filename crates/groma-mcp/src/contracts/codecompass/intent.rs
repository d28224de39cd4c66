//! What a query is, by the signs of the document's table: recognised anywhere in a longer question.

use groma_engine::{LANGUAGES, QueryKind};

/// The contract's classes of queries, which decide what is found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Symbols first.
    Symbol,
    /// Files first.
    Path,
    /// Snippets first.
    Error,
    /// All of them.
    NaturalLanguage,
}

impl Intent {
    /// The intent of a query; `kind` is what the engine takes it for.
    pub fn of(query: &str, kind: QueryKind) -> Self {
        if is_error(query) {
            Self::Error
        } else if kind == QueryKind::Path || paths(query).next().is_some() {
            Self::Path
        } else if kind == QueryKind::Name && !is_version(query.trim()) {
            Self::Symbol
        } else {
            Self::NaturalLanguage
        }
    }

    /// Its name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Path => "path",
            Self::Error => "error",
            Self::NaturalLanguage => "natural_language",
        }
    }
}

/// Whether a query is the number of a version, which is no identifier.
fn is_version(query: &str) -> bool {
    let number = query.strip_prefix('v').unwrap_or(query);
    number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// The words of a query that are paths, without a line number behind them.
pub fn paths(query: &str) -> impl Iterator<Item = &str> {
    let words = query.split_whitespace().map(trimmed);
    words.map(without_line).filter(|word| is_path(word))
}

/// Words that mark an error message or a stack trace.
const SIGNS: &[&str] = &[
    "error:",
    "Error:",
    "panic:",
    "panicked at",
    "FATAL",
    "traceback",
    "Traceback",
    "at line",
    "thread '",
    "stack trace",
    "Exception in thread",
    "Exception:",
    "goroutine ",
    "exit code ",
    "exit status ",
    "errno ",
    "SQLSTATE",
    "segmentation fault",
    "core dumped",
];

/// Names of POSIX errors that clients see.
const ERRNO: &[&str] = &[
    "E2BIG",
    "EACCES",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "EAGAIN",
    "EALREADY",
    "EBADF",
    "EBUSY",
    "ECANCELED",
    "ECHILD",
    "ECONNABORTED",
    "ECONNREFUSED",
    "ECONNRESET",
    "EDEADLK",
    "EDOM",
    "EDQUOT",
    "EEXIST",
    "EFAULT",
    "EFBIG",
    "EHOSTUNREACH",
    "EINPROGRESS",
    "EINTR",
    "EINVAL",
    "EIO",
    "EISCONN",
    "EISDIR",
    "ELOOP",
    "EMFILE",
    "EMLINK",
    "EMSGSIZE",
    "ENAMETOOLONG",
    "ENETDOWN",
    "ENETUNREACH",
    "ENFILE",
    "ENOBUFS",
    "ENODEV",
    "ENOENT",
    "ENOEXEC",
    "ENOLCK",
    "ENOMEM",
    "ENOSPC",
    "ENOSYS",
    "ENOTCONN",
    "ENOTDIR",
    "ENOTEMPTY",
    "ENOTFOUND",
    "ENOTSOCK",
    "ENOTSUP",
    "ENXIO",
    "EOVERFLOW",
    "EPERM",
    "EPIPE",
    "EPROTO",
    "ERANGE",
    "EROFS",
    "ESPIPE",
    "ESRCH",
    "ESTALE",
    "ETIMEDOUT",
    "ETXTBSY",
    "EWOULDBLOCK",
    "EXDEV",
];

/// What compilers and databases put before the number of an error. A prefix of capitals alone would take in SHA256.
const CODES: &[&str] = &["E", "TS", "CS", "LNK", "MSB", "NU", "ORA-", "PLS-", "BC", "FS", "JS"];

fn is_error(query: &str) -> bool {
    has_quotes(query)
        || SIGNS.iter().any(|sign| query.contains(sign))
        || query.split_whitespace().any(|word| is_frame(word) || is_code(trimmed(word)))
}

/// Whether something is quoted. An apostrophe is no quote, and backticks are only around a whole query.
fn has_quotes(query: &str) -> bool {
    let query = query.trim();
    let is_code = query.len() > 2 && query.starts_with('`') && query.ends_with('`');
    let doubled = query.matches('"').count() >= 2 || query.contains('“') && query.contains('”');
    is_code || doubled || has_single_quotes(query)
}

/// Whether a single quote opens before a word and another closes behind one.
fn has_single_quotes(query: &str) -> bool {
    let letters: Vec<char> = query.chars().collect();
    let at = |index: usize| letters.get(index).copied().unwrap_or(' ');
    let quotes = || (0..letters.len()).filter(|index| letters[*index] == '\'');
    let opens = |index: usize| {
        (index == 0 || !at(index - 1).is_alphanumeric()) && !at(index + 1).is_whitespace()
    };
    let closes = |index: usize| {
        index > 0 && !at(index - 1).is_whitespace() && !at(index + 1).is_alphanumeric()
    };
    let Some(first) = quotes().find(|index| opens(*index)) else { return false };
    quotes().any(|index| index > first + 1 && closes(index))
}

/// Whether a word is a frame of a stack trace: `com.foo.Bar(Bar.java:10)`.
fn is_frame(word: &str) -> bool {
    let Some((call, inner)) = word.trim_end_matches([',', ';']).split_once('(') else {
        return false;
    };
    let Some((file, line)) = inner.trim_end_matches(')').split_once(':') else { return false };
    !call.is_empty() && has_extension(file) && line.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word is the code of an error: `E0382`, `error[E0382]`, `ECONNREFUSED`, `ORA-00942`, `0x80070005`.
fn is_code(word: &str) -> bool {
    let word = word.rsplit_once('[').map_or(word, |(_, code)| code).trim_end_matches(']');
    let digits = |text: &str, counts: std::ops::RangeInclusive<usize>| {
        counts.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_hex = |text: &str| text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    ERRNO.contains(&word)
        || word.strip_prefix("0x").is_some_and(is_hex)
        || CODES
            .iter()
            .any(|prefix| word.strip_prefix(prefix).is_some_and(|number| digits(number, 3..=5)))
}

/// Words with a slash between two alternatives, and names of libraries that end like a file.
const PROSE: &[&str] = &[
    "and/or",
    "either/or",
    "i/o",
    "tcp/ip",
    "udp/ip",
    "read/write",
    "client/server",
    "yes/no",
    "input/output",
    "true/false",
    "on/off",
    "start/stop",
    "request/response",
    "n/a",
    "w/o",
    "24/7",
    "async/await",
    "try/catch",
    "pub/sub",
    "key/value",
    "add/remove",
    "get/set",
    "enable/disable",
    "encode/decode",
    "open/close",
    "send/receive",
    "producer/consumer",
    "success/failure",
    "up/down",
    "left/right",
    "node.js",
    "vue.js",
    "next.js",
    "nuxt.js",
    "react.js",
    "three.js",
    "d3.js",
    "express.js",
];

/// Files whose extension is that of no language, and a member's name elsewhere (`mutex.lock`, `np.sum`).
const FILES: &[&str] = &[
    "Cargo.lock",
    "Gemfile.lock",
    "Pipfile.lock",
    "composer.lock",
    "flake.lock",
    "go.mod",
    "go.sum",
    "go.work",
    "mix.lock",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

/// Whether a word is a path: it has a slash, or a dot and the extension of a file.
fn is_path(word: &str) -> bool {
    let has_slash = word.len() > 1 && word.contains(['/', '\\']) && !word.contains("://");
    (has_slash || has_extension(word) || FILES.contains(&word))
        && !PROSE.contains(&&*word.to_ascii_lowercase())
}

fn has_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && LANGUAGES.iter().any(|language| language.extensions.contains(&extension))
    })
}

/// A word without the punctuation of its sentence.
fn trimmed(word: &str) -> &str {
    let word = word.trim_start_matches(['(', '"', '\'', '`', '<', '“', '[']);
    word.trim_end_matches([')', '"', '\'', '`', '>', '”', ',', ';', ':', '?', '!', '.'])
}

/// A path without the line and column behind it.
fn without_line(word: &str) -> &str {
    let mut path = word;
    while let Some((rest, number)) = path.rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        path = rest;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(query: &str, kind: QueryKind) -> &'static str {
        Intent::of(query, kind).as_str()
    }

    /// "| `path` | Contains `/` or `.` with file extension | files first |"
    #[test]
    fn paths_are_recognised_in_longer_questions() {
        for query in [
            "src/auth/jwt.rs",
            "where is src/auth/jwt.rs used",
            "main.go and util.go",
            "what does (internal/auth/handler.go:42) do?",
            "src/auth",
            "everything under crates/groma-mcp/",
            "config.yaml",
            "go.mod",
            "what is in Cargo.lock?",
        ] {
            assert_eq!(intent(query, QueryKind::Prose), "path", "{query}");
        }
        assert_eq!(paths("open src/main.rs:3:5, please").collect::<Vec<_>>(), ["src/main.rs"]);
    }

    /// "| `error` | Contains quotes, stack trace patterns, error codes | snippets first |"
    #[test]
    fn errors_are_recognised_by_quotes_traces_and_codes() {
        for query in [
            "error[E0382]: use of moved value",
            "panicked at 'x', src/main.rs:3:5",
            "at com.foo.Bar(Bar.java:10)",
            "find \"foo\" in config",
            "where does 'connection refused' come from",
            "E1234",
            "ECONNREFUSED",
            "why do I get ENOENT here?",
            "TS2304 in the build",
            "ORA-00942",
            "0x80070005",
            "Traceback (most recent call last)",
            "goroutine 1 [running]",
            "`no such table`",
        ] {
            assert_eq!(intent(query, QueryKind::Prose), "error", "{query}");
        }
    }

    /// "| `symbol` | Looks like an identifier (CamelCase, snake_case) | symbols first |" and
    /// "| `natural_language` | Default fallback | all three indices |"
    #[test]
    fn names_and_questions_stay_what_they_are() {
        for query in ["RateLimiter", "validate_token"] {
            assert_eq!(intent(query, QueryKind::Name), "symbol");
        }
        assert_eq!(intent("np.sum", QueryKind::Name), "symbol");
        assert_eq!(intent("v1.2.3", QueryKind::Name), "natural_language");
        for query in [
            "where is rate limiting implemented",
            "what's the server's job? it's the client's",
            "read/write locks",
            "how does node.js start the server",
            "SHA256 of a file, i.e. its hash. See below",
            "how are exceptions handled",
            "what is in UTF-8",
        ] {
            assert_eq!(intent(query, QueryKind::Prose), "natural_language", "{query}");
        }
    }
}
