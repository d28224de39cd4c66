//! Macros that mislead the grammars of C and C++.
//!
//! A line that is only a macro, like `NAMESPACE_BEGIN`, is parsed as the type of the declaration below it, and a
//! macro in the head of a class as the name of the class.

use std::borrow::Cow;
use std::ops::Range;

/// Replaces the misleading macros by spaces, so that all byte offsets stay valid.
pub(in super::super) fn blank(text: &str) -> Cow<'_, str> {
    let mut hidden: Option<String> = None;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let alone = is_macro(line.trim_end());
        let found = if alone {
            // Before a brace the macro is the head of a function.
            let heads = lines.peek().is_some_and(|next| next.starts_with('{'));
            (!heads).then(|| 0..line.trim_end().len())
        } else {
            macro_in_head(line)
        };
        if let Some(range) = found {
            let blanks = " ".repeat(range.len());
            let hidden = hidden.get_or_insert_with(|| text.to_string());
            hidden.replace_range(at + range.start..at + range.end, &blanks);
        }
        at += line.len();
    }
    hidden.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether a word looks like a macro: `SHOP_EXPORT`.
fn is_macro(word: &str) -> bool {
    word.len() > 3
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.contains('_')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The byte range of the macro in `class SHOP_EXPORT Cart {`.
fn macro_in_head(line: &str) -> Option<Range<usize>> {
    let head = line.trim_start();
    let rest = head.strip_prefix("class ").or_else(|| head.strip_prefix("struct "))?;
    let (word, rest) = rest.split_once(' ')?;
    let start = line.len() - rest.len() - 1 - word.len();
    let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim();
    let defines =
        after.is_empty() || after.starts_with(['{', ':', '<']) || after.starts_with("final");
    (is_macro(word) && defines && rest.starts_with(char::is_alphabetic))
        .then(|| start..start + word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misleading_macros_are_hidden_in_place() {
        let text = "SHOP_NAMESPACE_BEGIN\nclass SHOP_EXPORT Cart : Base {\nstruct SHOP_LINE line;\nSHOP_MAIN\n{\n";
        let hidden = blank(text);
        assert_eq!(hidden.len(), text.len());
        let lines: Vec<_> = hidden.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            ["", "class             Cart : Base {", "struct SHOP_LINE line;", "SHOP_MAIN", "{"]
        );
    }
}
