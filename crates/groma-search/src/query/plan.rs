//! Plans a query before any lookup. Pure: the plan depends on the text alone.

use super::breadth::{Breadth, breadth};
use groma_core::{TermQuery, Word, parts, stem, words};

/// What a query asks for. Names and order of the tests are those of the CodeCompass contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// A name: definitions first.
    Symbol,
    /// A path: files first.
    Path,
    /// An error message or quoted text: code that contains it first.
    Error,
    /// Anything else.
    NaturalLanguage,
}

impl Intent {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Path => "path",
            Self::Error => "error",
            Self::NaturalLanguage => "natural_language",
        }
    }
}

/// The plan of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The query text.
    pub query: String,
    /// What the query asks for.
    pub intent: Intent,
    /// Confidence in the intent, 0..1.
    pub confidence: f32,
    /// Terms to look up, with their weights.
    pub terms: Vec<TermQuery>,
    /// Names that may be defined in the project, as written.
    pub names: Vec<String>,
    /// Whether a word of the query is spelled as in code: camelCase, PascalCase, snake_case or an acronym.
    pub has_identifier: bool,
    /// The words of the query; a compound name is followed by its parts.
    pub keywords: String,
    /// Whether it asks for one location or about a topic.
    pub breadth: Breadth,
    /// Kinds of results that the query asks for explicitly.
    pub requested: RequestedKinds,
}

/// Kinds of results that are ranked down unless the query asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestedKinds {
    /// Tests.
    pub tests: bool,
    /// Documents.
    pub docs: bool,
    /// Examples and benchmarks.
    pub examples: bool,
    /// Configuration and build files.
    pub config: bool,
    /// The contents of a module, file or folder, rather than one location in it.
    pub contents: bool,
}

/// Words without meaning in a query.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "between", "but", "by",
    "can", "could", "did", "do", "does", "during", "each", "for", "from", "given", "has", "have",
    "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "not", "of", "on", "one", "or",
    "our", "out", "please", "should", "so", "some", "such", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "through", "to", "up", "used", "uses",
    "using", "via", "want", "was", "we", "what", "when", "where", "whether", "which", "while",
    "who", "why", "will", "with", "within", "would", "you", "your",
];

/// Words for the kind of code rather than its subject, with a reduced weight.
const KIND_WORDS: &[&str] = &[
    "class",
    "code",
    "define",
    "defined",
    "definition",
    "file",
    "find",
    "function",
    "handle",
    "handled",
    "handling",
    "implement",
    "implementation",
    "implemented",
    "implements",
    "internals",
    "logic",
    "method",
    "module",
    "show",
    "struct",
    "support",
    "work",
    "works",
];

const KIND_WORD_WEIGHT: f32 = 0.35;

/// Names of languages, which restrict the answer rather than describe its subject.
const LANGUAGE_WORDS: &[&str] = &[
    "python",
    "java",
    "javascript",
    "golang",
    "rust",
    "php",
    "ruby",
    "typescript",
    "kotlin",
    "swift",
];

const LANGUAGE_WORD_WEIGHT: f32 = 0.1;

/// A whole identifier is rarer than its parts and more significant.
const WHOLE_WEIGHT: f32 = 1.5;

/// Plans a query.
pub fn plan(query: &str) -> Plan {
    let query = query.trim();
    let (intent, confidence) = classify(query);
    let names = names(query, intent);
    let terms = terms(query);
    let requested = requested_kinds(query);
    // A query for contents is about a file, not about chunks in it.
    let breadth =
        if requested.contents { Breadth::default() } else { breadth(query, intent, &terms) };
    Plan {
        query: query.to_string(),
        intent,
        confidence,
        breadth,
        terms,
        has_identifier: identifiers(query).any(is_code_name),
        keywords: keywords(query),
        names,
        requested,
    }
}

fn classify(query: &str) -> (Intent, f32) {
    const ERRORS: [&str; 8] =
        ["error:", "Error:", "panic:", "FATAL", "exception", "traceback", "at line", "thread '"];
    if ERRORS.iter().any(|sign| query.contains(sign)) || query.to_lowercase().contains("traceback")
    {
        return (Intent::Error, 0.9);
    }
    let one_word = !query.contains(char::is_whitespace);
    if one_word && query.contains(['/', '\\']) {
        return (Intent::Path, 0.95);
    }
    if one_word && has_known_extension(query) {
        return (Intent::Path, 0.85);
    }
    if is_quoted(query) {
        return (Intent::Error, 0.9);
    }
    if one_word && is_identifier(query) {
        return (Intent::Symbol, 0.88);
    }
    if one_word && query.len() > 2 && query.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return (Intent::Symbol, 0.6);
    }
    let mut pair = query.split_whitespace();
    if let (Some(keyword), Some(_), None) = (pair.next(), pair.next(), pair.next())
        && [
            "fn",
            "func",
            "def",
            "class",
            "struct",
            "interface",
            "trait",
            "enum",
            "type",
            "function",
            "method",
        ]
        .contains(&keyword)
    {
        return (Intent::Symbol, 0.8);
    }
    let confidence = if query.split_whitespace().count() >= 3 { 0.72 } else { 0.55 };
    (Intent::NaturalLanguage, confidence)
}

fn is_quoted(query: &str) -> bool {
    query.len() > 2
        && ['"', '\'', '`'].iter().any(|quote| query.starts_with(*quote) && query.ends_with(*quote))
}

fn has_known_extension(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && groma_syntax::LANGUAGES
                .iter()
                .any(|language| language.extensions.contains(&extension))
    })
}

fn trim(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Whether a word is spelled as only identifiers are: inner capitals, underscores, `::` or a dotted name.
fn is_identifier(word: &str) -> bool {
    let inner_capital = word
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let snake = word.trim_matches('_').contains('_');
    let path = word.contains("::") || word.split('.').filter(|part| !part.is_empty()).count() > 1;
    let letters = word.chars().filter(|c| c.is_alphanumeric()).count();
    letters >= 3
        && (inner_capital || snake || path)
        && word.chars().all(|c| c.is_alphanumeric() || "_:.$#-".contains(c))
}

/// The runs of letters, digits and underscores in a query.
fn identifiers(query: &str) -> impl Iterator<Item = &str> {
    query.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a word is spelled as in code. Short words with inner capitals (`GitHub`, `macOS`) are names of
/// products more often; the CocoSearch contract has the lengths, and counts acronyms (`JWT`) as well.
fn is_code_name(word: &str) -> bool {
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let is_acronym = capitals >= 2 && word.chars().all(|c| c.is_uppercase() || c.is_ascii_digit());
    let is_snake = word.trim_matches('_').contains('_');
    let is_capital = word.starts_with(|c: char| c.is_uppercase());
    let has_humps = capitals > usize::from(is_capital) && parts(word).len() > 1;
    let is_camel = has_humps && word.chars().count() >= if is_capital { 8 } else { 6 };
    is_acronym || is_snake || is_camel
}

fn keywords(query: &str) -> String {
    let mut words = Vec::new();
    for word in identifiers(query) {
        words.push(word);
        words.extend(Some(parts(word)).filter(|parts| parts.len() > 1).into_iter().flatten());
    }
    words.join(" ")
}

/// Names the query may ask for: identifiers anywhere in it, and the last word of a symbol query.
fn names(query: &str, intent: Intent) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if name.len() > 1 && !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    };
    for (index, word) in query.split_whitespace().map(trim).enumerate() {
        // In a sentence, a capital that does not begin it begins a name.
        if index > 0 && word.len() > 3 && word.starts_with(|c: char| c.is_ascii_uppercase()) {
            add(word);
        }
        if is_identifier(word) {
            // `Session.request` and `auth::verify` name their last part, in the one before.
            if let Some(last) = word.rsplit(['.', ':']).find(|part| !part.is_empty()) {
                add(last);
            }
        }
    }
    if intent == Intent::Symbol
        && let Some(last) = query.split_whitespace().last()
    {
        add(trim(last).rsplit(['.', ':']).next().unwrap_or(last));
    }
    names
}

fn terms(query: &str) -> Vec<TermQuery> {
    let mut terms: Vec<TermQuery> = Vec::new();
    let mut add = |term: &str, weight: f32| match terms.iter_mut().find(|known| known.term == term)
    {
        Some(known) => known.weight = known.weight.max(weight),
        None => terms.push(TermQuery { term: term.to_string(), weight }),
    };
    words(query, |word| match word {
        Word::Part(part) if STOP_WORDS.contains(&part) => {}
        Word::Part(part) if LANGUAGE_WORDS.contains(&part) => add(stem(part), LANGUAGE_WORD_WEIGHT),
        Word::Part(part) if KIND_WORDS.contains(&part) => add(stem(part), KIND_WORD_WEIGHT),
        Word::Part(part) => add(stem(part), 1.0),
        Word::Whole(whole) => add(whole, WHOLE_WEIGHT),
    });
    if terms.is_empty() {
        // A query of stop words alone is still answered.
        words(query, |word| match word {
            Word::Part(part) => terms.push(TermQuery { term: stem(part).to_string(), weight: 1.0 }),
            Word::Whole(_) => {}
        });
    }
    terms.truncate(32);
    terms
}

fn requested_kinds(query: &str) -> RequestedKinds {
    let contents = asks_for_contents(query);
    let mut requested = RequestedKinds { contents, ..RequestedKinds::default() };
    words(query, |word| {
        let Word::Part(part) = word else { return };
        match stem(part) {
            "test" | "spec" | "mock" | "fixtur" => requested.tests = true,
            "doc" | "document" | "readm" | "guid" | "tutorial" | "changelog" => {
                requested.docs = true
            }
            "exampl" | "sampl" | "demo" | "benchmark" | "bench" => requested.examples = true,
            "config" | "configur" | "set" | "build" | "workflow" | "dependenc" | "packag" => {
                requested.config = true;
            }
            _ => {}
        }
    });
    requested
}

/// Beginnings of queries for the contents of something.
const CONTENTS: &[&str] = &[
    "what is in ",
    "what's in ",
    "what is inside ",
    "what does ",
    "overview of ",
    "an overview of ",
    "outline of ",
    "contents of ",
    "summary of ",
];

/// Things that contain code; with others the same words ask for one location ("what is in a packet header").
const CONTAINERS: &[&str] =
    &["module", "file", "package", "folder", "directory", "crate", "namespace", "library"];

/// Whether a query asks for the contents of a module: "what is in the parser module", "overview of src/auth".
fn asks_for_contents(query: &str) -> bool {
    let lower = query.to_lowercase();
    let text = lower.trim_end_matches(['?', '.', ' ']);
    let Some(beginning) = CONTENTS.iter().find(|beginning| text.starts_with(**beginning)) else {
        return false;
    };
    if *beginning == "what does "
        && !["contain", "hold", "define", "export"].iter().any(|verb| text.ends_with(verb))
    {
        return false;
    }
    text.split_whitespace()
        .any(|word| CONTAINERS.contains(&word) || word.contains('/') || has_known_extension(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intents_of_queries() {
        use Intent::*;
        let cases = [
            ("validate_token", Symbol),
            ("getUserById", Symbol),
            ("HttpServer", Symbol),
            ("auth::jwt::verify", Symbol),
            ("Session.request", Symbol),
            ("fn parse_header", Symbol),
            ("class Router", Symbol),
            ("middleware", Symbol),
            ("src/auth/jwt.rs", Path),
            ("jwt.rs", Path),
            ("internal/server", Path),
            ("package.json", Path),
            ("error: cannot borrow", Error),
            ("panic: runtime error", Error),
            ("\"connection refused\"", Error),
            ("Traceback (most recent call last)", Error),
            ("thread 'main' panicked", Error),
            ("where is rate limiting implemented", NaturalLanguage),
            ("how does authentication work", NaturalLanguage),
            ("connection pooling and TCP connector", NaturalLanguage),
            ("read/write locks", NaturalLanguage),
            ("JWT token validation", NaturalLanguage),
        ];
        let wrong: Vec<_> =
            cases.iter().filter(|(query, intent)| plan(query).intent != *intent).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn contents_are_requested_of_modules_files_and_folders() {
        for query in [
            "what is in the parser module",
            "What is in src/auth?",
            "overview of bucket.rs",
            "what does the limiter package contain?",
        ] {
            assert!(plan(query).requested.contents, "{query}");
            assert!(!plan(query).breadth.is_topic(), "{query}");
        }
        for query in [
            "what is in a packet header",
            "what does the parser module do with comments",
            "which function reads the module file",
            "module overview",
        ] {
            assert!(!plan(query).requested.contents, "{query}");
        }
    }

    #[test]
    fn terms_are_stems_without_stop_words() {
        let terms: Vec<_> = plan("how are connections pooled in getPool").terms;
        let text: Vec<_> = terms.iter().map(|t| format!("{}:{}", t.term, t.weight)).collect();
        assert_eq!(text, ["connect:1", "pool:1", "get:1", "getpool:1.5"]);
        assert_eq!(plan("what is it").terms.len(), 3, "stop words alone are looked up");
    }

    #[test]
    fn identifiers_are_distinguished_from_prose() {
        for query in [
            "getUserById",
            "find UserRepository",
            "a_b",
            "JWT token",
            "use SHA256",
            "MAX_RETRIES",
            "ÄnderUngen",
        ] {
            assert!(plan(query).has_identifier, "{query}");
        }
        for query in [
            "user",
            "How do I use GitHub on macOS?",
            "I am a test",
            "FastAPI",
            "Änderung",
            "sha256sum",
        ] {
            assert!(!plan(query).has_identifier, "{query}");
        }
    }

    #[test]
    fn keywords_include_the_parts_of_names() {
        assert_eq!(plan("getUserById").keywords, "getUserById get User By Id");
        assert_eq!(plan("who calls get_user, JWT?").keywords, "who calls get_user get user JWT");
    }

    #[test]
    fn names_are_found_in_sentences() {
        assert_eq!(
            plan("who calls getUserById and auth::verify_token?").names,
            ["getUserById", "verify_token"]
        );
        assert_eq!(plan("Router").names, ["Router"]);
    }
}
