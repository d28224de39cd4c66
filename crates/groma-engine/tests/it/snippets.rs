//! What an assistant is shown of a search answer.

use groma_core::Cancel;
use groma_engine::{Confidence, SearchRequest, SnippetOptions, Snippets, Tests};
use groma_testkit::Sandbox;

const PROJECT: &str = "\
//- src/limit.rs
/// Limits how many requests a client may send.
///
/// The bucket is refilled once a second. It is shared by all connections of a client, and is dropped when the last of
/// them is closed. See the manual for the meaning of each setting.
pub struct RateLimiter { tokens: u32, refill: u32, client: String, burst: u32 }

impl RateLimiter {
    pub fn new(client: &str) -> Self {
        Self { tokens: 10, refill: 1, client: client.into(), burst: 5 }
    }

    pub fn client(&self) -> &str { &self.client }

    /// Rejects a request if the bucket is empty.
    pub fn admit(&mut self) -> Result<(), Rejected> {
        if self.tokens == 0 {
            return Err(Rejected::TooManyRequests);
        }
        self.tokens -= 1;
        Ok(())
    }
}
//- src/clock.rs
pub fn seconds() -> u64 { read_clock() / 1000 }
//- tests/limit.rs
#[test]
fn requests_are_rejected_if_the_bucket_is_empty() {
    let mut limiter = RateLimiter::new(\"client\");
    assert!(limiter.admit().is_err(), \"too many requests are rejected\");
}
";

fn shown(query: &str, chars: usize, tests: Tests) -> Snippets {
    shown_of(PROJECT, query, chars, tests)
}

fn shown_of(project: &str, query: &str, chars: usize, tests: Tests) -> Snippets {
    let sandbox = Sandbox::new(project);
    let mut request = SearchRequest::new(query);
    request.limit = 30;
    let options = SnippetOptions { chars, places: 5, tests };
    let engine = sandbox.engine();
    engine.search_snippets(&request, &options, &(), &Cancel::default()).unwrap().1
}

fn paths(snippets: &Snippets) -> Vec<&str> {
    let code = snippets.files.iter().map(|file| file.path.as_str());
    code.chain(snippets.places.iter().map(|file| file.path.as_str())).collect()
}

#[test]
fn the_member_that_does_the_work_is_shown_in_full() {
    let snippets = shown("reject a request if the bucket is empty", 3000, Tests::Auto);
    let file = &snippets.files[0];
    assert_eq!(file.path.as_str(), "src/limit.rs");
    let admit = file.snippets.iter().find(|one| one.place.name.ends_with("admit")).unwrap();
    let text: Vec<&String> = admit.excerpts.iter().flat_map(|excerpt| &excerpt.text).collect();
    assert!(text.iter().any(|line| line.contains("Rejected::TooManyRequests")), "{text:?}");
    assert_eq!(admit.place.name, "RateLimiter::admit", "without its modules");
    let numbered = &admit.excerpts[0];
    assert_eq!(numbered.lines.count() as usize, numbered.text.len());
    assert!(snippets.confidence >= Confidence::Likely, "{:?}", snippets.confidence);
}

#[test]
fn tests_are_shown_if_they_are_asked_for() {
    let auto = shown("requests are rejected if the bucket is empty", 3000, Tests::Auto);
    assert!(auto.has_tests && !paths(&auto).contains(&"tests/limit.rs"), "{auto:?}");
    let asked = shown("tests of rejected requests", 3000, Tests::Auto);
    assert!(paths(&asked).contains(&"tests/limit.rs"), "{asked:?}");
    let only = shown("requests are rejected if the bucket is empty", 3000, Tests::Only);
    assert_eq!(paths(&only), ["tests/limit.rs"]);
    let all = shown("requests are rejected if the bucket is empty", 3000, Tests::Include);
    assert!(paths(&all).contains(&"tests/limit.rs") && paths(&all).contains(&"src/limit.rs"));
}

#[test]
fn names_that_do_not_occur_are_told_with_similar_ones() {
    let snippets = shown("reject requests in RateLimitr", 3000, Tests::Auto);
    let absent = &snippets.absent[0];
    assert_eq!((&*absent.name, &*absent.similar), ("RateLimitr", &["RateLimiter".to_string()][..]));
}

/// An identifier of one word is indexed by its stem.
#[test]
fn names_of_one_word_are_not_missed() {
    let snippets = shown_of(
        "//- src/input.c\nint readable(FILE *input) { return input != 0; }\n",
        "is the FILE readable",
        3000,
        Tests::Auto,
    );
    assert!(snippets.absent.is_empty(), "{:?}", snippets.absent);
}

/// The best member is shown whole; of the others, which are as long, a few lines.
#[test]
fn the_best_member_has_most_of_the_room() {
    let method = |name: &str, work: &str| {
        let steps: String = (0..25).map(|n| format!("    {work}_step(buffer, {n});\n")).collect();
        format!("pub fn {name}(buffer: &mut Buffer) {{\n{steps}}}\n")
    };
    let project = format!(
        "//- src/codec.rs\n{}{}//- src/socket.rs\n{}",
        method("compress_frame", "compress"),
        method("decompress_frame", "decompress"),
        method("send_frame", "send"),
    );
    let snippets = shown_of(&project, "how is a frame of the buffer compressed", 4500, Tests::Auto);
    let all: Vec<_> = snippets.files.iter().flat_map(|file| &file.snippets).collect();
    let best = all.iter().find(|one| one.place.name == "compress_frame").unwrap();
    assert!(best.is_whole(), "{best:?}");
    let others: Vec<_> = all.iter().filter(|one| one.place.name != "compress_frame").collect();
    assert!(!others.is_empty() && others.iter().all(|one| !one.is_whole()), "{others:?}");
}

/// Delegations with the same lines are shown once.
#[test]
fn short_members_that_repeat_another_are_left_out() {
    let file = |name: &str| {
        format!(
            "//- src/{name}.rs\nimpl {name} {{\n    fn poll_shutdown(&mut self) -> Poll {{\n        \
             self.inner.poll_shutdown()\n    }}\n}}\n"
        )
    };
    let project: String = ["Reader", "Writer", "Joined", "Split"].map(file).concat();
    let snippets = shown_of(&project, "poll_shutdown", 4500, Tests::Auto);
    let shown: usize = snippets.files.iter().map(|file| file.snippets.len()).sum();
    assert_eq!(shown, 1, "{snippets:?}");
    assert_eq!(paths(&snippets).len(), 4, "the others are named");
}

#[test]
fn an_answer_keeps_to_its_size() {
    for chars in [600, 1000, 2000] {
        let snippets = shown("reject a request if the bucket is empty", chars, Tests::Auto);
        let excerpts = snippets.files.iter().flat_map(|file| &file.snippets);
        let lines = excerpts.flat_map(|snippet| &snippet.excerpts).flat_map(|one| &one.text);
        let used: usize = lines.map(|line| line.len() + 6).sum();
        assert!(used > 0 && used <= chars, "{used} of {chars}");
    }
}

#[test]
fn nonsense_is_answered_without_code() {
    let snippets = shown("quantum teleportation of giraffes", 2000, Tests::Auto);
    assert!(snippets.confidence < Confidence::Likely, "{snippets:?}");
    let sandbox = Sandbox::new(PROJECT);
    let mut request = SearchRequest::new("zzxqy");
    request.mode = groma_engine::SearchMode::Keyword;
    let options = SnippetOptions { chars: 2000, places: 5, tests: Tests::Auto };
    let engine = sandbox.engine();
    let found = engine.search_snippets(&request, &options, &(), &Cancel::default()).unwrap().1;
    assert_eq!((found.confidence, found.files.len()), (Confidence::None, 0));
}

#[test]
fn a_type_is_shown_with_its_fields() {
    let snippets = shown("struct RateLimiter tokens refill burst", 3000, Tests::Auto);
    let found = &snippets.files[0].snippets;
    assert!(found.iter().any(|one| one.place.name == "RateLimiter"), "{found:?}");
    assert!(!found.iter().any(|one| one.place.name.ends_with("tokens")), "{found:?}");
}
