//! Statements in code comments. Lines are scanned without a grammar, and only in files that contain a marker word.

use crate::statement::{self, Statement, statements};
use groma_syntax::{CommentSyntax, Language};
use std::borrow::Cow;

/// A paragraph of a comment.
#[derive(Debug, PartialEq, Eq)]
struct Paragraph {
    line: u32,
    text: String,
}

/// The statements in the comments of a file, each with its line.
pub(crate) fn comment_statements(language: &Language, text: &str) -> Vec<(u32, Statement)> {
    paragraphs(&language.comments, text)
        .into_iter()
        .flat_map(|paragraph| {
            statements(&paragraph.text).into_iter().map(move |found| (paragraph.line, found))
        })
        .collect()
}

/// The comments of a file. Adjacent lines form a paragraph; an empty line or a label starts the next.
fn paragraphs(syntax: &CommentSyntax, text: &str) -> Vec<Paragraph> {
    let mut found: Vec<Paragraph> = Vec::new();
    // Whether the next comment-only line continues the last paragraph.
    let mut continues = false;
    let mut in_block = false;
    // Code examples contain no statements.
    let mut in_fence = false;
    for (row, line) in text.lines().enumerate() {
        let Some(CommentLine { text, is_whole, ends_block }) = comment_line(syntax, line, in_block)
        else {
            (continues, in_fence) = (false, false);
            continue;
        };
        in_block = !ends_block;
        let text = bare(text);
        let text = text.trim();
        let is_fence = text.starts_with("```");
        in_fence ^= is_fence;
        if text.is_empty() || is_fence || in_fence {
            continues = false;
            continue;
        }
        match found.last_mut().filter(|_| continues && statement::label(text).is_none()) {
            Some(paragraph) => {
                paragraph.text.push(' ');
                paragraph.text.push_str(text);
            }
            None => found.push(Paragraph { line: row as u32 + 1, text: text.to_string() }),
        }
        continues = is_whole;
    }
    found
}

/// Tags of documentation comments, which say nothing by themselves.
const TAGS: &[&str] =
    &["<summary>", "</summary>", "<remarks>", "</remarks>", "<para>", "</para>", "<p>", "</p>"];

/// A line of a comment without tags and without the sign of a list.
fn bare(line: &str) -> Cow<'_, str> {
    let line = line.trim_start();
    let line = line.strip_prefix("* ").or_else(|| line.strip_prefix("- ")).unwrap_or(line);
    if !line.contains('<') {
        return line.into();
    }
    TAGS.iter().fold(line.to_string(), |line, tag| line.replace(tag, "")).into()
}

/// The comment on one line.
struct CommentLine<'a> {
    text: &'a str,
    /// Whether the line contains nothing else.
    is_whole: bool,
    /// Whether the next line is code again.
    ends_block: bool,
}

fn comment_line<'a>(
    syntax: &CommentSyntax,
    line: &'a str,
    in_block: bool,
) -> Option<CommentLine<'a>> {
    if in_block {
        let (_, close) = syntax.block?;
        let (text, ends_block) = match line.find(close) {
            Some(end) => (&line[..end], true),
            None => (line, false),
        };
        let text = text.trim_start().trim_start_matches('*');
        return Some(CommentLine { text, is_whole: true, ends_block });
    }
    let starts = syntax.line.iter().filter_map(|mark| Some((comment_start(line, mark)?, *mark)));
    let line_start = starts.min();
    let block =
        syntax.block.and_then(|(open, close)| Some((comment_start(line, open)?, open, close)));
    if let Some((start, open, close)) = block
        && line_start.is_none_or(|(other, _)| start <= other)
    {
        let rest = &line[start + open.len()..];
        let end = rest.find(close);
        let text = rest[..end.unwrap_or(rest.len())].trim_start_matches(['*', '!']);
        let is_whole = line[..start].trim().is_empty();
        return Some(CommentLine { text, is_whole, ends_block: end.is_some() });
    }
    let (start, mark) = line_start?;
    let text = line[start + mark.len()..].trim_start_matches(['/', '!', '#', '-', ';', '%']);
    Some(CommentLine { text, is_whole: line[..start].trim().is_empty(), ends_block: true })
}

/// The offset of a comment marker outside of quotes.
fn comment_start(line: &str, mark: &str) -> Option<usize> {
    line.match_indices(mark).map(|(start, _)| start).find(|start| {
        let before = &line[..*start];
        let quotes = |quote: char| before.matches(quote).count();
        // Single quotes may be apostrophes, so they are ignored; `://` is part of a URL and `$#` a variable.
        quotes('"') % 2 == 0
            && quotes('`') % 2 == 0
            && !before.ends_with([':', '$', '\\'])
            && (mark != "#" || before.is_empty() || before.ends_with(char::is_whitespace))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_syntax::find_language;

    fn shown(language: &str, text: &str) -> Vec<String> {
        comment_statements(find_language(language).unwrap(), text)
            .into_iter()
            .map(|(line, one)| format!("{line} {}: {}", one.kind, one.content))
            .collect()
    }

    #[test]
    fn labels_are_found_with_what_follows_on_the_next_lines() {
        let text = "\
// RULE: tokens are compared
//   in constant time.
//
// Something else.
const a = 1; // FIXME(bo): leaks a handle on cancel
// not part of it
/**
 * DECISION: cookies, not local storage,
 * because scripts cannot read them.
 * NOTE: the refresh is guarded by a mutex
 */
let url = \"http://x\"; let s = \"// BUG: not a comment at all\";
";
        assert_eq!(
            shown("typescript", text),
            [
                "1 rule: tokens are compared in constant time.",
                "5 issue: leaks a handle on cancel",
                "8 decision: cookies, not local storage, because scripts cannot read them.",
                "10 pattern: the refresh is guarded by a mutex",
            ]
        );
    }

    #[test]
    fn every_style_of_comment_is_known() {
        for (language, text) in [
            ("python", "x = 1  # HACK: the clock runs backwards"),
            ("sql", "-- HACK: the clock runs backwards"),
            ("erlang", "%% HACK: the clock runs backwards"),
            ("html", "<!-- HACK: the clock runs backwards -->"),
            ("css", "a { } /* HACK: the clock runs backwards */"),
            ("ocaml", "(* HACK: the clock runs backwards *)"),
            ("rust", "/// HACK: the clock runs backwards"),
            ("clojure", ";; HACK: the clock runs backwards"),
            ("php", "# HACK: the clock runs backwards"),
        ] {
            assert_eq!(shown(language, text), ["1 issue: the clock runs backwards"], "{language}");
        }
        assert_eq!(shown("bash", "echo $# HACK: the clock runs backwards"), [""; 0]);
    }

    #[test]
    fn code_in_a_comment_states_nothing() {
        let text = "/// Runs it.\n/// ```\n/// // RULE: callers are examples only\n/// run();\n/// ```\n\
                    /// RULE: never run it twice\nfn run() {}\n/// ```\nfn a() {}\n// RULE: an open fence ends with its comment\n";
        assert_eq!(
            shown("rust", text),
            ["6 rule: never run it twice", "10 rule: an open fence ends with its comment"]
        );
    }

    #[test]
    fn tags_and_signs_of_lists_are_left_out() {
        let text = "/// <summary>\n/// A subset of <c>Time</c> which we use to avoid a dependency.\n/// </summary>\n";
        assert_eq!(
            shown("csharp", text),
            ["2 pattern: A subset of <c>Time</c> which we use to avoid a dependency."]
        );
        assert_eq!(
            shown("ruby", "# * Header keys must not contain capitals.\n"),
            ["1 rule: Header keys must not contain capitals."]
        );
    }

    #[test]
    fn phrases_are_found_across_lines() {
        let text = "// Reads are cheap. We decided to\n// cache nothing here. Writes are not.\nfn a() {}\n";
        assert_eq!(shown("rust", text), ["1 decision: We decided to cache nothing here."]);
    }
}
