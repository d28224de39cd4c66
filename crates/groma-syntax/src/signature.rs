//! Signatures of definitions: one line of text, without the body.

use crate::tree::Node;

/// Longest signature that is kept, in bytes.
const MAX_SIGNATURE: usize = 400;

/// The signature of a definition: the text from `start` to `end` on one line.
pub(crate) fn signature(text: &str, node: &Node<'_>, start: usize, end: usize) -> String {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    // Keywords in front of the node, like `export` or `type`, belong to it; another definition or an attribute does not.
    let before = text[line..start].trim();
    let keywords = start == node.start_byte()
        && before.len() <= 60
        && !before.contains(['{', '}', '(', ';', ',', '@', '=']);
    one_line(&text[if keywords { line } else { start }..end.max(start)])
}

/// The body of a definition: the captured one, its `body` field, or a child whose kind ends with `_body`.
pub(crate) fn body<'t>(node: &Node<'t>, captured: Option<Node<'t>>) -> Option<Node<'t>> {
    let found = captured
        .or_else(|| node.body())
        .or_else(|| node.named_children().find(|child| child.kind().ends_with("_body")))?;
    // The fields of a tuple struct are part of its signature; initialisers of members are not.
    if found.kind() == "ordered_field_declaration_list" {
        return None;
    }
    let initializers = found.before().filter(|node| node.kind() == "field_initializer_list");
    Some(initializers.unwrap_or(found))
}

/// A text on one line, without the brackets or marks that open a body.
pub(crate) fn one_line(text: &str) -> String {
    let raw = &text[..text.floor_char_boundary(4 * MAX_SIGNATURE)];
    let mut folded = String::with_capacity(raw.len().min(MAX_SIGNATURE));
    // Directives may stand in the middle of a signature.
    let lines = raw.lines().filter(|line| !is_condition(line));
    for word in lines.flat_map(str::split_whitespace) {
        if folded.len() + word.len() > MAX_SIGNATURE {
            break;
        }
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    let trimmed = folded.trim_end_matches(['{', '(', '[', ':', '=', ' ', ',', '\\']).trim_end();
    trimmed.to_string()
}

/// Whether a line is a directive of conditional compilation.
fn is_condition(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
    directive.is_some_and(|directive| {
        ["if", "elif", "else", "endif"].iter().any(|word| directive.starts_with(word))
    })
}

/// The end of the first line of a definition that is not blank: where a signature without a body ends.
pub(crate) fn first_line_end(text: &str, start: usize, node: &Node<'_>) -> usize {
    let rest = &text[start..node.end_byte().max(start)];
    let blank = rest.len() - rest.trim_start().len();
    start + rest[blank..].find('\n').map_or(rest.len(), |at| blank + at)
}
