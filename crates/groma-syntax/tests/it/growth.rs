//! Memory grows with a file, not with the square of it: in every language, for nesting and repetition.

use groma_core::RelPath;
use groma_syntax::{LANGUAGES, parse};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

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
