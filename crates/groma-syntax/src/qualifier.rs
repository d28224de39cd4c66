//! The part of a qualified name that qualifies what is inside.

/// Maximum bytes of a qualified name that qualify another one: names of thousands of nested definitions would otherwise
/// take quadratic memory.
const MAX_QUALIFIER: usize = 500;

/// The end of a qualified name, cut between two parts, that qualifies what is inside.
pub(crate) fn qualifier<'n>(qualified: &'n str, separator: &str) -> &'n str {
    if qualified.len() <= MAX_QUALIFIER {
        return qualified;
    }
    let end = &qualified[qualified.ceil_char_boundary(qualified.len() - MAX_QUALIFIER)..];
    // A part that is longer by itself is cut anywhere.
    end.split_once(separator).map_or(end, |(_, rest)| rest)
}
