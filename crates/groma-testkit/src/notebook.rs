//! What every notebook promises, one function a promise.
//!
//! [`notebook_conformance!`](crate::notebook_conformance) makes a test of each of them for one notebook.

use groma_core::{Access, Notebook, RelPath};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Makes an empty notebook.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn Notebook>;

/// Makes one test of each promise; the expression makes an empty notebook.
#[macro_export]
macro_rules! notebook_conformance {
    ($make:expr) => {
        $crate::notebook_conformance! { $make;
            an_empty_notebook_has_nothing
            accesses_are_counted
            times_may_come_in_any_order
            many_write_at_once
        }
    };
    ($make:expr; $($case:ident)+) => {
        $(#[test]
        fn $case() {
            $crate::notebook::$case(&|| $make);
        })+
    };
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).expect("fixtures use paths inside the project")
}

fn second(number: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(number)
}

fn access(name: &str, count: u64, first: u64, last: u64) -> Access {
    Access { path: path(name), count, first: second(first), last: second(last) }
}

/// Before the first note there is nothing to be read, and asking is no error.
pub fn an_empty_notebook_has_nothing(make: Make<'_>) {
    let notebook = make();
    assert_eq!(notebook.accesses().unwrap(), []);
    notebook.record_accesses(second(1), &[]).unwrap();
    assert_eq!(notebook.accesses().unwrap(), []);
}

/// Every note counts, and the answer is in order of path.
pub fn accesses_are_counted(make: Make<'_>) {
    let notebook = make();
    notebook.record_accesses(second(10), &[path("src/b.rs"), path("a b/ü.rs")]).unwrap();
    notebook.record_accesses(second(20), &[path("src/b.rs"), path("src/b.rs")]).unwrap();
    let expected = [access("a b/ü.rs", 1, 10, 10), access("src/b.rs", 3, 10, 20)];
    assert_eq!(notebook.accesses().unwrap(), expected);
}

/// A clock may be set back.
pub fn times_may_come_in_any_order(make: Make<'_>) {
    let notebook = make();
    for at in [50, 20, 90, 60] {
        notebook.record_accesses(second(at), &[path("a")]).unwrap();
    }
    assert_eq!(notebook.accesses().unwrap(), [access("a", 4, 20, 90)]);
    let before = UNIX_EPOCH - Duration::from_secs(5);
    notebook.record_accesses(before, &[path("a")]).unwrap();
    assert_eq!(notebook.accesses().unwrap()[0].first, before);
}

/// No note is lost when several write at a time.
pub fn many_write_at_once(make: Make<'_>) {
    let notebook = make();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for at in 0..10 {
                    notebook.record_accesses(second(at), &[path("a")]).unwrap();
                }
            });
        }
    });
    assert_eq!(notebook.accesses().unwrap(), [access("a", 40, 0, 9)]);
}
