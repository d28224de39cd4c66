//! Stack traces: which frame is the innermost.

use super::path::Mention;

/// Minimum number of frames of a stack trace.
const MIN_FRAMES: usize = 2;

/// Signs of a trace with a single frame.
const SIGNS: [&str; 6] = [
    "Traceback (most recent",
    "panicked at",
    "goroutine ",
    "stack backtrace",
    "\tat ",
    "\n    at ",
];

/// Whether a question is a pasted stack trace, by its mentions of lines in files.
pub(super) fn is_trace(query: &str, mentions: &[Mention]) -> bool {
    let frames = mentions.iter().filter(|mention| mention.lines.is_some()).count();
    query.contains('\n') && frames >= MIN_FRAMES
        || frames > 0 && SIGNS.iter().any(|sign| query.contains(sign))
}

/// The frames of a trace, innermost first, as indices of mentions. Python prints the innermost last; a chain of causes
/// ends with the root cause.
pub(super) fn innermost_first(query: &str, mentions: &[Mention]) -> Vec<usize> {
    let mut frames: Vec<usize> =
        (0..mentions.len()).filter(|index| mentions[*index].lines.is_some()).collect();
    if query.contains("most recent call last") {
        frames.reverse();
    } else if let Some(cause) = query.rfind("Caused by:") {
        frames.sort_by_key(|index| mentions[*index].at < cause);
    }
    frames
}

/// The message of a trace: the line that names the error.
pub(super) fn message(query: &str) -> Option<&str> {
    let is_frame = |line: &str| {
        let line = line.trim_start();
        ["at ", "File ", "from ", "Traceback", "goroutine", "stack backtrace"]
            .iter()
            .any(|sign| line.starts_with(sign))
    };
    let lines = || query.lines().filter(|line| !line.starts_with([' ', '\t']) && !is_frame(line));
    let line =
        if query.contains("most recent call last") { lines().next_back() } else { lines().next() };
    let line = line?.trim();
    // `ValueError: text`, `panic: text`, `java.lang.IllegalStateException: text`.
    let text = match line.split_once(": ") {
        Some((name, rest)) if !name.contains(' ') => rest,
        _ => line,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::path::mentions;
    use super::*;

    fn frames(query: &str) -> Vec<String> {
        let mentions = mentions(query);
        assert!(is_trace(query, &mentions), "{query}");
        let order = innermost_first(query, &mentions);
        order.into_iter().map(|index| mentions[index].path.clone()).collect()
    }

    #[test]
    fn python_prints_the_innermost_frame_last() {
        let query = "Traceback (most recent call last):\n  File \"a/x.py\", line 1, in f\n  File \"a/y.py\", line 2, in g\nValueError: bad value 3";
        assert_eq!(frames(query), ["a/y.py", "a/x.py"]);
        assert_eq!(message(query), Some("bad value 3"));
    }

    #[test]
    fn the_root_cause_is_the_innermost() {
        let query = "java.lang.RuntimeException: outer\n\tat p.A.f(A.java:1)\nCaused by: p.E: inner\n\tat p.B.g(B.java:2)";
        assert_eq!(frames(query), ["B.java", "A.java"]);
        assert_eq!(message(query), Some("outer"));
    }

    #[test]
    fn a_question_with_a_line_is_no_trace() {
        let query = "how does a/x.py:12 work";
        assert!(!is_trace(query, &mentions(query)));
    }
}
