//! How wide an answer a question wants: the one place that does something, or the file that is about a topic.
//!
//! "Convert a string to a number" is answered by a function, wherever it stands; "how connections are pooled" by
//! the file that most of it happens in. Weighing files helps the second kind of question and harms the first, so
//! the two are told apart by how the question begins.

use super::plan::Intent;
use groma_core::TermQuery;

/// How wide an answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scope {
    /// The question says what is done: the function that does it answers.
    pub action: bool,
    /// It says so in words: "which function", "the method that".
    pub callable: bool,
    /// How far it asks about a topic rather than a place, 0..1.
    pub breadth: f32,
    /// How much it says, 0..1: a few words fit many places, a sentence fits one.
    pub detail: f32,
}

impl Scope {
    /// Whether a topic is asked about, and nothing narrower.
    pub fn is_topic(self) -> bool {
        self.breadth >= 1.0
    }
}

/// What people and doc comments begin with when they say what a function does.
const ACTIONS: &str = "\
    add append apply assert assign authenticate bind build calculate call cast check clean clear close \
    collect combine compare compile compress compute concatenate configure connect construct convert \
    copy count create decode decompress define delete deserialize detect determine disable display \
    download draw encode encrypt enable ensure escape evaluate execute expand export extract fetch fill \
    filter find flatten flush format generate get give handle hash hide identify ignore import increment \
    initialize insert inspect install instantiate invoke is join kill launch limit list load lock log \
    lookup make map mark match merge modify mount move normalize obtain open order output parse perform \
    pick plot pop prepare prepend print process produce push put query raise read receive record \
    redirect refresh register release remove rename render replace report request reset resize resolve \
    restore retrieve return reverse rotate round run save scan schedule search select send serialize set \
    shift show shuffle shut sign sleep sort split start stop store strip subscribe swap switch sync test \
    toggle transform traverse trigger trim try turn unescape unlock unregister unset unzip update upload \
    use validate verify wait walk wrap write yield zip";

/// Languages that a question begins with to say where it wants an answer.
const LANGUAGES: &[&str] = &[
    "python",
    "java",
    "javascript",
    "golang",
    "go",
    "rust",
    "php",
    "ruby",
    "typescript",
    "node",
    "in",
];

/// Words for what does something, and those that tell what it does after them: "which function reads the file", "a
/// method that sorts".
const CALLABLES: &[&str] = &["function", "method", "procedure", "routine", "fn", "func"];
const RELATIVES: &[&str] = &["that", "which", "to", "for"];

/// Words a question about a topic begins with.
const QUESTIONS: &[&str] = &["how", "where", "what", "which", "why"];

/// Words that follow a verb and make it an action, whatever the verb: "dispatches a request". With them: .0 .0 +.1 .0
/// +.1 +.3.
const DETERMINERS: &[&str] =
    &["a", "an", "the", "this", "all", "whether", "any", "every", "each", "its"];

/// Words that stand before those and are no verbs.
const PARTICLES: &[&str] = &[
    "who", "when", "are", "does", "do", "if", "of", "for", "to", "from", "with", "on", "at", "by",
    "and", "or", "not", "no", "than", "as",
];

/// Fewest terms that describe a topic, and how many more describe it fully: a topic of two words is as often the
/// name of one function.
const FEWEST_TERMS: f32 = 2.0;
const MORE_TERMS: f32 = 4.0;

/// What is left of a topic that is stated and not asked about: commit subjects and descriptions of functions are stated,
/// too. 0.5 against 1: -.2 .0 +.1 +.2 +.4 +.5.
const STATED: f32 = 0.5;

/// Judges a question. Names, paths and errors ask for their place.
pub(crate) fn scope(query: &str, intent: Intent, terms: &[TermQuery]) -> Scope {
    if intent != Intent::NaturalLanguage {
        return Scope::default();
    }
    let lower = query.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .skip_while(|word| LANGUAGES.contains(word))
        .take(3)
        .collect();
    let first = words.first().copied().unwrap_or_default();
    let how_to = matches!(words[..], ["how", "to", ..] | ["how", "do" | "can", "i" | "you" | "we"]);
    let callable = names_a_callable(&words);
    let telling = terms.iter().filter(|term| term.weight >= 0.5).count() as f32;
    let detail = ((telling - FEWEST_TERMS) / MORE_TERMS).clamp(0.0, 1.0);
    if callable || how_to || is_action(first) || does_something(&words) {
        return Scope { action: true, callable, breadth: 0.0, detail };
    }
    let breadth = if QUESTIONS.contains(&first) { 1.0 } else { STATED * detail };
    Scope { breadth, detail, ..Scope::default() }
}

/// Whether the first word is a verb for what follows it.
fn does_something(words: &[&str]) -> bool {
    let [verb, determiner, _, ..] = words else { return false };
    DETERMINERS.contains(determiner)
        && ![QUESTIONS, PARTICLES, DETERMINERS].iter().any(|others| others.contains(verb))
}

/// Whether the question says that it wants a function.
fn names_a_callable(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["the"]).or(words.strip_prefix(&["a"])).unwrap_or(words);
    match words {
        ["which" | "what", word, ..] => CALLABLES.contains(word),
        [word, next, ..] => CALLABLES.contains(word) && RELATIVES.contains(next),
        _ => false,
    }
}

/// Whether a word says what is done: `parse` as people ask, `parses` as doc comments say.
fn is_action(word: &str) -> bool {
    let known = |word: &str| ACTIONS.split(' ').any(|action| action == word);
    let ends = |end: &str| word.strip_suffix(end).is_some_and(known);
    known(word)
        || ends("s")
        || ends("es")
        || word.strip_suffix("ies").is_some_and(|rest| known(&format!("{rest}y")))
}

#[cfg(test)]
mod tests {
    use crate::query::plan::plan;

    #[test]
    fn detail_is_how_much_a_question_says() {
        let detail = |query: &str| plan(query).scope.detail;
        assert_eq!(detail("close file"), 0.0);
        assert_eq!(detail("returns the number of open connections"), 0.5);
        assert_eq!(detail("writes dirty pages back before freeing the buffer of a table"), 1.0);
        assert_eq!(detail("dirty pages, free buffers, table headers"), 1.0, "of topics, too");
    }

    #[test]
    fn actions_ask_for_a_place_and_topics_for_a_file() {
        let actions = [
            "convert int to bool",
            "python how to read a file line by line",
            "Returns the number of open connections",
            "copies bytes from one stream to another",
            "how do I parse a date",
            "which function opens the socket",
            "the method that sorts rows",
            "dispatches a request to its handler",
            "freeing all resources of a handle",
        ];
        for query in actions {
            assert!(plan(query).scope.action, "{query}");
            assert_eq!(plan(query).scope.breadth, 0.0, "{query}");
        }
        assert_eq!(plan("how connections are pooled").scope.breadth, 1.0);
        assert_eq!(plan("how do handlers get their arguments").scope.breadth, 1.0);
        assert_eq!(plan("where is rate limiting implemented").scope.breadth, 1.0);
        assert_eq!(plan("aes encryption").scope.breadth, 0.0, "two words may name one function");
        for query in
            ["with a deadline and a retry budget", "why the cache is cold", "this the only lock"]
        {
            assert!(!plan(query).scope.action, "{query}");
        }
        let broad = plan("connection pooling, keep-alive and TCP connector limits").scope;
        assert_eq!((broad.action, broad.breadth), (false, super::STATED));
        for query in ["TokenBucket", "src/pool.rs", "error: cannot open"] {
            assert_eq!(plan(query).scope, Default::default(), "{query}");
        }
    }
}
