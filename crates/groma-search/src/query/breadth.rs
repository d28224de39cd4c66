//! The breadth of a query: whether it asks for one function or for the file about a topic.
//!
//! "Convert a string to a number" is answered by a function in any file; "how connections are pooled" by the file that
//! contains most of it. Boosting whole files helps the second kind of query and harms the first, so the two are
//! distinguished by their first words.

use super::plan::QueryKind;
use groma_core::TermQuery;

/// The breadth of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Breadth {
    /// The query describes an action: a function that performs it is the answer.
    pub action: bool,
    /// It asks for a function explicitly: "which function", "the method that".
    pub callable: bool,
    /// How far it asks about a topic rather than one location, 0..1.
    pub topic: f32,
    /// How specific it is, 0..1: a few words match many functions, a sentence matches one.
    pub detail: f32,
}

impl Breadth {
    /// Whether it asks about a topic and nothing narrower.
    pub fn is_topic(self) -> bool {
        self.topic >= 1.0
    }
}

/// Verbs with which people and doc comments begin to describe what a function does.
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

/// Languages with which a query begins to restrict the answer.
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

/// Words for functions, and words that introduce what they do: "which function reads the file", "a method that sorts".
const CALLABLES: &[&str] = &["function", "method", "procedure", "routine", "fn", "func"];
const RELATIVES: &[&str] = &["that", "which", "to", "for"];

/// First words of a query about a topic.
const QUESTIONS: &[&str] = &["how", "where", "what", "which", "why"];

/// Words that follow a verb and make it an action, whatever the verb: "dispatches a request". With them: .0 .0 +.1 .0
/// +.1 +.3.
const DETERMINERS: &[&str] =
    &["a", "an", "the", "this", "all", "whether", "any", "every", "each", "its"];

/// Words that can precede determiners and are not verbs.
const PARTICLES: &[&str] = &[
    "who", "when", "are", "does", "do", "if", "of", "for", "to", "from", "with", "on", "at", "by",
    "and", "or", "not", "no", "than", "as",
];

/// Number of terms up to which a query has no detail, and how many more give full detail: a topic of two words is as
/// often the name of one function.
const MIN_TERMS: f32 = 2.0;
const EXTRA_TERMS: f32 = 4.0;

/// Topic share of a query that is a statement rather than a question: commit subjects and descriptions of functions are
/// statements, too. 0.5 against 1: -.2 .0 +.1 +.2 +.4 +.5.
const STATED: f32 = 0.5;

/// Classifies a query. Names, paths and errors ask for one location.
pub(crate) fn breadth(query: &str, kind: QueryKind, terms: &[TermQuery]) -> Breadth {
    if kind != QueryKind::Prose {
        return Breadth::default();
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
    let callable = names_a_callable(&words) || describes_a_callable(&lower);
    let significant = terms.iter().filter(|term| term.weight >= 0.5).count() as f32;
    let detail = ((significant - MIN_TERMS) / EXTRA_TERMS).clamp(0.0, 1.0);
    if callable || how_to || is_action(first) || does_something(&words) {
        return Breadth { action: true, callable, topic: 0.0, detail };
    }
    let topic = if QUESTIONS.contains(&first) { 1.0 } else { STATED * detail };
    Breadth { topic, detail, ..Breadth::default() }
}

/// Whether the first word is a verb, judged by the determiner after it.
fn does_something(words: &[&str]) -> bool {
    let [verb, determiner, _, ..] = words else { return false };
    DETERMINERS.contains(determiner)
        && ![QUESTIONS, PARTICLES, DETERMINERS].iter().any(|others| others.contains(verb))
}

/// Whether the query asks for a function explicitly.
fn names_a_callable(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["the"]).or(words.strip_prefix(&["a"])).unwrap_or(words);
    match words {
        ["which" | "what", word, ..] => CALLABLES.contains(word),
        [word, next, ..] => CALLABLES.contains(word) && RELATIVES.contains(next),
        _ => false,
    }
}

/// Words before the subject of a description: "the purpose of this function is to sort".
const PURPOSES: &[&str] = &["purpose", "goal", "aim", "intent"];

/// Things that are described like functions.
const DESCRIBED: &[&str] =
    &["callback", "constructor", "getter", "helper", "operator", "property", "setter"];

/// Words after "function" with which a noun phrase goes on: "the function calls of a stack".
const COMPOUNDS: &[&str] =
    &["argument", "arguments", "call", "calls", "name", "names", "signature", "signatures"];

/// How many words a description may begin with before it names what it describes.
const OPENING: usize = 6;

/// Whether the query describes a function in sentences, as its documentation would: "the function is designed to",
/// "this method returns", "the purpose of this function is to", "to create". On 62 descriptions: +5.0.
fn describes_a_callable(lower: &str) -> bool {
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.starts_with(|c: char| c.is_alphabetic()))
        .skip_while(|word| PURPOSES.contains(word))
        .take(OPENING)
        .collect();
    let is_described = |word: &&str| CALLABLES.contains(word) || DESCRIBED.contains(word);
    match words[..] {
        ["to", verb, ..] => !DETERMINERS.contains(&verb),
        ["the" | "its", purpose, ref rest @ ..] if PURPOSES.contains(&purpose) => {
            rest.iter().any(|word| *word == "to" || is_described(word))
        }
        ["the" | "this" | "a" | "an", ref rest @ ..] => {
            // At most two words qualify it: "this static helper function".
            let at = rest.iter().take(3).position(is_described);
            let next = at.and_then(|at| rest.get(at + 1));
            next.is_some_and(|next| !COMPOUNDS.contains(next))
        }
        _ => false,
    }
}

/// Whether a word is an action: `parse` as in questions, `parses` as in doc comments.
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
    fn detail_grows_with_the_number_of_terms() {
        let detail = |query: &str| plan(query).breadth.detail;
        assert_eq!(detail("close file"), 0.0);
        assert_eq!(detail("returns the number of open connections"), 0.5);
        assert_eq!(detail("writes dirty pages back before freeing the buffer of a table"), 1.0);
        assert_eq!(detail("dirty pages, free buffers, table headers"), 1.0, "of topics, too");
    }

    #[test]
    fn actions_ask_for_a_function_and_topics_for_a_file() {
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
            assert!(plan(query).breadth.action, "{query}");
            assert_eq!(plan(query).breadth.topic, 0.0, "{query}");
        }
        let descriptions = [
            "The function is designed to merge two sorted lists.",
            "This method returns the number of open connections",
            "The purpose of this function is to validate a token.",
            "1. **Purpose**: The purpose of the method is to close it",
            "To create a response that redirects the client",
            "Purpose: to drop stale rows",
            "This static helper function trims white space",
        ];
        for query in descriptions {
            let breadth = plan(query).breadth;
            assert!(breadth.action && breadth.callable && breadth.topic == 0.0, "{query}");
        }
        for query in ["the function calls of a stack frame", "the connection pool", "to the moon"] {
            assert!(!plan(query).breadth.callable, "{query}");
        }
        assert_eq!(plan("how connections are pooled").breadth.topic, 1.0);
        assert_eq!(plan("how do handlers get their arguments").breadth.topic, 1.0);
        assert_eq!(plan("where is rate limiting implemented").breadth.topic, 1.0);
        assert_eq!(plan("aes encryption").breadth.topic, 0.0, "two words may name one function");
        for query in
            ["with a deadline and a retry budget", "why the cache is cold", "this the only lock"]
        {
            assert!(!plan(query).breadth.action, "{query}");
        }
        let broad = plan("connection pooling, keep-alive and TCP connector limits").breadth;
        assert_eq!((broad.action, broad.topic), (false, super::STATED));
        for query in ["TokenBucket", "src/pool.rs", "error: cannot open"] {
            assert_eq!(plan(query).breadth, Default::default(), "{query}");
        }
    }
}
