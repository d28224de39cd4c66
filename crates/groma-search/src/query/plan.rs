//! Plans a query before any lookup. Pure: the plan depends on the text alone.

use super::breadth::{Breadth, breadth};
use super::glossary::{foreign, is_function_word};
use super::wording::{BODY_WEIGHT, title};
use groma_core::{TermQuery, Word, stem, words};

/// What a query is, which decides what is found first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryKind {
    /// A name: definitions first.
    Name,
    /// A path: files first.
    Path,
    /// An error message or quoted text: code that contains it first.
    Literal,
    /// Anything else: words about the code.
    Prose,
}

impl QueryKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Path => "path",
            Self::Literal => "literal",
            Self::Prose => "prose",
        }
    }
}

/// The plan of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The query text.
    pub query: String,
    /// What the query is.
    pub kind: QueryKind,
    /// Confidence in the kind, 0..1.
    pub confidence: f32,
    /// Terms to look up, with their weights.
    pub terms: Vec<TermQuery>,
    /// Names that may be defined in the project, as written.
    pub names: Vec<String>,
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

/// Maximum number of terms.
const MAX_TERMS: usize = 32;

/// Plans a query.
pub fn plan(query: &str) -> Plan {
    let query = query.trim();
    let (kind, confidence) = classify(query);
    let names = names(query, kind);
    let mut terms = terms_of_text(query);
    if let Some(foreign) = foreign(query) {
        terms.retain(|term| !is_function_word(foreign.tongue, &term.term));
        let english = foreign.english.iter().map(|word| stem(word));
        let english = english.map(|term| TermQuery { term: term.to_string(), weight: 1.0 });
        terms.extend(english);
        terms.truncate(MAX_TERMS);
    }
    let requested = requested_kinds(query);
    // A query for contents is about a file, not about chunks in it.
    let breadth =
        if requested.contents { Breadth::default() } else { breadth(query, kind, &terms) };
    Plan { query: query.to_string(), kind, confidence, breadth, terms, names, requested }
}

fn classify(query: &str) -> (QueryKind, f32) {
    const ERRORS: [&str; 8] =
        ["error:", "Error:", "panic:", "FATAL", "exception", "traceback", "at line", "thread '"];
    if ERRORS.iter().any(|sign| query.contains(sign)) || query.to_lowercase().contains("traceback")
    {
        return (QueryKind::Literal, 0.9);
    }
    let one_word = !query.contains(char::is_whitespace);
    if one_word && query.contains(['/', '\\']) {
        return (QueryKind::Path, 0.95);
    }
    if one_word && has_known_extension(query) {
        return (QueryKind::Path, 0.85);
    }
    if is_quoted(query) {
        return (QueryKind::Literal, 0.9);
    }
    if one_word && is_identifier(query) {
        return (QueryKind::Name, 0.88);
    }
    if one_word && query.len() > 2 && query.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return (QueryKind::Name, 0.6);
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
        return (QueryKind::Name, 0.8);
    }
    let confidence = if query.split_whitespace().count() >= 3 { 0.72 } else { 0.55 };
    (QueryKind::Prose, confidence)
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

/// Names the query may ask for: identifiers anywhere in it, and the last word of a query for a name.
fn names(query: &str, kind: QueryKind) -> Vec<String> {
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
        if has_known_extension(word) {
            // `helpers.py` names a file, not `py`.
            let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
            add(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
        } else if is_identifier(word) {
            // `Session.request` and `auth::verify` name their last part, in the one before.
            if let Some(last) = word.rsplit(['.', ':']).find(|part| !part.is_empty()) {
                add(last);
            }
        }
    }
    if kind == QueryKind::Name
        && let Some(last) = query.split_whitespace().last()
    {
        add(trim(last).rsplit(['.', ':']).next().unwrap_or(last));
    }
    names
}

/// The terms of a query; those that only the body of a long text contains count less.
fn terms_of_text(query: &str) -> Vec<TermQuery> {
    let mut all = terms(query);
    if let Some(title) = title(query) {
        let leading = terms(title);
        let in_body = |term: &&mut TermQuery| !leading.iter().any(|one| one.term == term.term);
        all.iter_mut().filter(in_body).for_each(|term| term.weight *= BODY_WEIGHT);
    }
    all
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
    terms.truncate(MAX_TERMS);
    terms
}

/// What is called after tests without being one: "test runner for async functions" asks for no test.
const TEST_TOOLS: &[&str] = &["runner", "runners", "harness", "framework", "frameworks"];

fn requested_kinds(query: &str) -> RequestedKinds {
    let contents = asks_for_contents(query);
    let mut requested = RequestedKinds { contents, ..RequestedKinds::default() };
    let mut parts: Vec<String> = Vec::new();
    words(query, |word| {
        if let Word::Part(part) = word {
            parts.push(part.to_string());
        }
    });
    for (index, part) in parts.iter().enumerate() {
        let is_tool = parts.get(index + 1).is_some_and(|next| TEST_TOOLS.contains(&next.as_str()));
        match stem(part) {
            "test" if is_tool => {}
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
    }
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
    fn kinds_of_queries() {
        use QueryKind::*;
        let cases = [
            ("validate_token", Name),
            ("getUserById", Name),
            ("HttpServer", Name),
            ("auth::jwt::verify", Name),
            ("Session.request", Name),
            ("fn parse_header", Name),
            ("class Router", Name),
            ("middleware", Name),
            ("src/auth/jwt.rs", Path),
            ("jwt.rs", Path),
            ("internal/server", Path),
            ("package.json", Path),
            ("error: cannot borrow", Literal),
            ("panic: runtime error", Literal),
            ("\"connection refused\"", Literal),
            ("Traceback (most recent call last)", Literal),
            ("thread 'main' panicked", Literal),
            ("where is rate limiting implemented", Prose),
            ("how does authentication work", Prose),
            ("connection pooling and TCP connector", Prose),
            ("read/write locks", Prose),
            ("JWT token validation", Prose),
        ];
        let wrong: Vec<_> =
            cases.iter().filter(|(query, kind)| plan(query).kind != *kind).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn a_test_runner_is_no_test() {
        for query in ["test runner for async functions", "where is the test harness started"] {
            assert!(!plan(query).requested.tests, "{query}");
        }
        for query in ["tests for the runner", "unit tests of the test runner's tests"] {
            assert!(plan(query).requested.tests, "{query}");
        }
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
    fn terms_of_the_title_of_a_text_count_most() {
        let body = "the worker thread is parked again and nothing wakes it up later on ".repeat(4);
        let terms = plan(&format!("Deadlock of worker queue\n\n{body}")).terms;
        let weight = |stem: &str| terms.iter().find(|term| term.term == stem).map(|t| t.weight);
        assert_eq!((weight("deadlock"), weight("work")), (Some(1.0), Some(1.0)));
        assert_eq!(weight("park"), Some(BODY_WEIGHT));
    }

    #[test]
    fn names_are_found_in_sentences() {
        assert_eq!(
            plan("who calls getUserById and auth::verify_token?").names,
            ["getUserById", "verify_token"]
        );
        assert_eq!(plan("Router").names, ["Router"]);
        assert_eq!(plan("what does src/flask/helpers.py do with urls").names, ["helpers"]);
    }

    #[test]
    fn words_of_other_languages_are_looked_up_in_english_too() {
        let plan = plan("wie wird die Sitzung in Flask gespeichert");
        let terms: Vec<&str> = plan.terms.iter().map(|term| term.term.as_str()).collect();
        assert!(["flask", "sess", "sav"].iter().all(|term| terms.contains(term)), "{terms:?}");
        assert!(!terms.contains(&"wird"), "{terms:?}");
    }
}
