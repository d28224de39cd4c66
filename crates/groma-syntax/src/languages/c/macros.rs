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
            macro_in_head(line).or_else(|| macro_before_type(line))
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

/// The byte range of the macro in `SHOP_API int open(void)`, which is not a type if two more words follow.
fn macro_before_type(line: &str) -> Option<Range<usize>> {
    let (word, rest) = line.split_once(' ')?;
    if !is_macro(word) {
        return None;
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = rest.trim_start();
    if !rest.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    rest = rest.trim_start_matches(is_letter);
    let after = rest.trim_start().trim_start_matches('*').trim_start();
    let separated = rest.starts_with([' ', '*']);
    let declares =
        after.starts_with(|c: char| c.is_alphabetic() || c == '_') || after.starts_with("(*");
    (separated && declares).then_some(0..word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_before_declarations_are_hidden() {
        let lines = [
            ("SHOP_API int open(void);", "int open(void);"),
            ("SHOP_API cart *open(void) {", "cart *open(void) {"),
            ("SHOP_API void *(*allocate)(int) ATTRIBUTE;", "void *(*allocate)(int) ATTRIBUTE;"),
            ("SHOP_CART cart;", "SHOP_CART cart;"),
            ("SHOP_CART *cart = open();", "SHOP_CART *cart = open();"),
            ("SHOP_CART cart, other;", "SHOP_CART cart, other;"),
            ("SHOP_CART open(int a);", "SHOP_CART open(int a);"),
        ];
        for (line, expected) in lines {
            assert_eq!(blank(line).trim_start(), expected);
        }
    }

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
