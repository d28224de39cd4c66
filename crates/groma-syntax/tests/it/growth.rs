//! Memory and time grow with a file, not with the square of it: in every language, for nesting and repetition.
//!
//! Growth is compared, not seconds: twice the text may cost about twice as much. Time is the CPU time of the thread.

use groma_core::{ParseStatus, RelPath};
use groma_syntax::{LANGUAGES, parse};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

thread_local! {
    /// Bytes that this thread has allocated so far.
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, with a count of bytes for each thread.
struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends may allocate after its locals are gone.
        let _ = ALLOCATED.try_with(|bytes| bytes.set(bytes.get() + layout.size()));
        // SAFETY: the caller keeps the contract of this function, which is that of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What is repeated or nested. Indented blocks are left out: nested deeply they are quadratic in the file itself.
const PIECES: [&str; 13] = [
    "{",
    "(",
    "[",
    "a {",
    "a { b: ",
    "struct a {",
    "class A {",
    "fn a() {",
    "module A\n",
    "<a>",
    "# a\n",
    "```\n",
    "a = 1;\n",
];

/// What is repeated to measure time.
const TIMED: [&str; 12] =
    ["{", "(", "a {", "class A {", "<a>", "# a\n", "```\n", "a = 1;\n", "/* ", "\"${", "- ", "a."];

/// Scanners that abort on deep nesting; the worker processes of the program are for them.
const FRAGILE: [&str; 3] = ["yaml", "perl", "kotlin"];

/// Bytes allocated by a parse.
fn allocated(path: &str, text: &str) -> usize {
    let path = RelPath::new(path).unwrap();
    // Queries are compiled at first use.
    parse(&path, "");
    let before = ALLOCATED.get();
    let facts = parse(&path, text).facts;
    let spent = ALLOCATED.get() - before;
    assert!(facts.symbols.iter().all(|symbol| symbol.qualified.len() < 2000), "{path}");
    spent
}

/// Pieces that open nothing, for the scanners above.
const FLAT: [&str; 4] = ["a = 1;\n", "# a\n", "// a\n", "a\n===\n"];

/// What some grammars recover from in quadratic time, and one grammar alone; the limit in proportion to the text is for
/// that.
const ERRORS: [&str; 3] = ["/* ", "<a>", "a."];
const ERRORS_IN: [(&str, &str); 5] =
    [("lua", "# a\n"), ("lua", "- "), ("lua", "```\n"), ("dart", "{"), ("julia", "class A {")];

/// The largest text that is tried.
const MAX_TEXT: usize = 32 << 10;

/// Enough to be measured.
const MEASURABLE: Duration = Duration::from_millis(6);

/// The CPU time of a parse, the least of some attempts.
fn time(path: &RelPath, text: &str, attempts: usize) -> Duration {
    let parse_once = |_| {
        let before = cpu_time();
        parse(path, text);
        cpu_time() - before
    };
    (0..attempts).map(parse_once).min().unwrap_or_default()
}

fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

/// The times of a text that takes long enough to be measured and of twice that text, if they grow more than they should.
fn excess(path: &RelPath, piece: &str) -> Option<(usize, Duration, Duration)> {
    let mut count = 2048 / piece.len();
    while count * piece.len() < MAX_TEXT && time(path, &piece.repeat(count), 1) < MEASURABLE {
        count *= 2;
    }
    let grows = |attempts| {
        let [once, twice] =
            [count, 2 * count].map(|count| time(path, &piece.repeat(count), attempts));
        // Quadratic growth is fourfold; the rest is noise and memory that is touched for the first time.
        (twice > once * 35 / 10 + MEASURABLE / 2).then_some((count * piece.len(), once, twice))
    };
    grows(1).and_then(|_| grows(3))
}

#[cfg(unix)]
#[test]
fn time_is_linear_in_every_language() {
    let cases: Vec<(&str, String, &str)> = LANGUAGES
        .iter()
        .filter_map(|language| Some((language.name, language.extensions.first()?)))
        .flat_map(|(name, extension)| {
            let pieces: &[&str] = if FRAGILE.contains(&name) { &FLAT } else { &TIMED };
            pieces.iter().map(move |piece| (name, format!("a.{extension}"), *piece))
        })
        .collect();
    assert!(cases.len() > 400, "{}", cases.len());
    let mut found = Vec::new();
    let is_error =
        |name: &str, piece: &str| ERRORS.contains(&piece) || ERRORS_IN.contains(&(name, piece));
    for (name, path, piece) in cases {
        if is_error(name, piece) {
            continue;
        }
        let path = RelPath::new(path).unwrap();
        parse(&path, "");
        found.extend(excess(&path, piece).map(|times| format!("{name} {piece:?}: {times:?}")));
    }
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
}

/// The limit of a parse is in proportion to the text.
#[cfg(unix)]
#[test]
fn no_parse_takes_longer_than_its_size_allows() {
    let text = "/* ".repeat(20_000);
    let path = RelPath::new("a.c").unwrap();
    let limit = Duration::from_secs(1) + Duration::from_micros(4) * text.len() as u32;
    let before = cpu_time();
    let health = parse(&path, &text).facts.health;
    assert_eq!(health.status, ParseStatus::Interrupted, "{health:?}");
    assert!(cpu_time() - before < limit * 3 / 2);
}

#[test]
fn memory_is_linear_in_every_language() {
    let mut checked = 0;
    for language in LANGUAGES.iter().filter(|language| !FRAGILE.contains(&language.name)) {
        let Some(extension) = language.extensions.first() else { continue };
        for piece in PIECES {
            let spent = |count: usize| allocated(&format!("a.{extension}"), &piece.repeat(count));
            let (once, twice) = (spent(1500), spent(3000));
            // Linear growth doubles it, and a vector that just grew doubles that; quadratic growth would be fourfold.
            assert!(twice < 3 * once + (1 << 16), "{} {piece:?}: {once}, {twice}", language.name);
            checked += 1;
        }
    }
    assert!(checked > 500, "{checked}");
}
