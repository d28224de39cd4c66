//! The text of comments and doc strings.

/// Longest doc comment that is kept, in bytes.
const MAX_DOC: usize = 2000;

/// A comment without its comment marks, or a doc string without its quotes.
pub(crate) fn strip_marks(comment: &str) -> String {
    let comment = comment.trim();
    // A doc string may have a prefix letter.
    let quoted = comment.trim_start_matches(['r', 'R', 'u', 'U']);
    let comment = if quoted.starts_with(['"', '\'']) { quoted } else { comment };
    let inner = comment
        .trim_start_matches("/**")
        .trim_start_matches("/*")
        .trim_end_matches("*/")
        .trim_start_matches("\"\"\"")
        .trim_end_matches("\"\"\"")
        .trim_start_matches("<!--")
        .trim_end_matches("-->")
        .trim_start_matches("'''")
        .trim_end_matches("'''")
        .trim_start_matches("{-")
        .trim_end_matches("-}")
        .trim_start_matches("(**")
        .trim_start_matches("(*")
        .trim_end_matches("*)");
    let inner = inner.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(inner);
    let mut cleaned = String::with_capacity(inner.len().min(MAX_DOC));
    for line in inner.lines() {
        let line = line.trim().trim_start_matches(['/', '!', '#', '*', '-', ';', '%']);
        // Haddock marks its comments with `|` and `^`, roxygen with `'`.
        let line = line.strip_prefix('\'').unwrap_or(line).trim();
        let line = line.strip_prefix(['|', '^']).unwrap_or(line).trim();
        let line = line.trim_start_matches("<summary>").trim_end_matches("</summary>").trim();
        if cleaned.len() + line.len() > MAX_DOC {
            break;
        }
        if !cleaned.is_empty() {
            cleaned.push('\n');
        }
        cleaned.push_str(line);
    }
    cleaned.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_their_marks() {
        assert_eq!(strip_marks("/// Opens it.\n"), "Opens it.");
        assert_eq!(strip_marks("/**\n * Opens it.\n * Twice.\n */"), "Opens it.\nTwice.");
        assert_eq!(strip_marks("\"\"\"Opens it.\n\n    Twice.\"\"\""), "Opens it.\n\nTwice.");
        assert_eq!(strip_marks("# Opens it."), "Opens it.");
    }
}
