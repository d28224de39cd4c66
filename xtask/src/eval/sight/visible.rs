//! What of a fix an answer shows. The text alone counts, so that answers of any format can be compared.

use super::hunks::Gold;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// What of the changed files and lines an answer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visible {
    /// One of the changed lines.
    pub in_sight: bool,
    /// One of the changed files.
    pub named: bool,
    /// A changed file is the first that is named.
    pub first: bool,
}

/// What of a fix is visible in an answer; `files` are those of the repository.
pub fn visible(answer: &str, gold: &[Gold], files: &HashSet<String>) -> Visible {
    let named: Vec<&str> = paths(answer, files).collect();
    let is_gold = |path: &&str| gold.iter().any(|gold| gold.path == **path);
    let mut visible = Visible {
        in_sight: false,
        named: named.iter().any(is_gold),
        first: named.first().is_some_and(is_gold),
    };
    let has_sections = answer.lines().any(|line| header(line, files).is_some());
    let mut section = None;
    for line in answer.lines() {
        section = header(line, files).or(section);
        let belongs = |gold: &&Gold| match &section {
            Some(section) => gold.path == section.path,
            None => !has_sections && named.contains(&gold.path.as_str()),
        };
        let mut candidates = gold.iter().filter(belongs).flat_map(|gold| &gold.lines);
        let has = |number| section.as_ref().is_none_or(|section| section.has(number));
        visible.in_sight |= candidates.any(|(number, text)| match numbered(line) {
            Some((shown, code)) if shown == *number => is_line(code, text),
            _ => line.trim() == text && has(*number),
        });
    }
    visible
}

/// The lines of a file that an answer goes on with.
struct Section<'f> {
    path: &'f str,
    /// Which lines, if the answer says so.
    lines: Option<RangeInclusive<usize>>,
}

impl Section<'_> {
    fn has(&self, line: usize) -> bool {
        self.lines.as_ref().is_none_or(|lines| lines.contains(&line))
    }
}

/// Whether code of an answer is this line of the file, which may be cut at its end.
fn is_line(code: &str, text: &str) -> bool {
    let code = code.trim();
    let start = code.strip_suffix('…').or_else(|| code.strip_suffix("..."));
    let is_cut = start.is_some_and(|start| !start.is_empty() && text.starts_with(start.trim_end()));
    code == text || is_cut
}

/// The line number in front of a line of code, and the code: `  12  x`, `12: x`, `12| x`, `> 12 │ x`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>' || c == '*');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let separated = rest.is_empty() || rest.starts_with([' ', '\t', ':', '|', '│', '-']);
    let number = number.parse().ok().filter(|_| separated)?;
    Some((number, rest.trim_start().trim_start_matches([':', '|', '│'])))
}

/// The file whose lines follow: a line that starts with its path, after a mark of a list or a heading.
fn header<'f>(line: &str, files: &'f HashSet<String>) -> Option<Section<'f>> {
    let is_mark = |word: &&str| {
        let word = word.to_ascii_lowercase();
        let number = word.trim_end_matches(['.', ')']);
        ["in", "file", "-", "*", "#", "##", "###", "==", "==="].contains(&word.as_str())
            || number.len() < word.len() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let word = line.split_whitespace().find(|word| !is_mark(word))?.trim_matches(['`', '*']);
    let path = file(word, files)?;
    let lines = word[path.len()..].trim_start_matches(['`', '*']).strip_prefix(':');
    Some(Section { path, lines: lines.and_then(range) })
}

/// The lines that `10-20` or `10` names.
fn range(text: &str) -> Option<RangeInclusive<usize>> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    Some(start.parse().ok()?..=end.trim_end_matches([':', ',']).parse().ok()?)
}

/// The files that a text names, in order.
fn paths<'f>(text: &str, files: &'f HashSet<String>) -> impl Iterator<Item = &'f str> {
    let between = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;*|=".contains(c);
    text.split(between).filter_map(|word| file(word, files))
}

/// The file that a word such as `src/a.rs:10-20` or `src/a.rs#name` names.
fn file<'f>(word: &str, files: &'f HashSet<String>) -> Option<&'f str> {
    let path = word.split([':', '#', '`', '*']).next()?.trim_end_matches(['.', ',']);
    let looks_like_one = path.contains(['/', '.']);
    files.get(path).filter(|_| looks_like_one).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "fn caller() {\n    let value = open_file(path)?;\n    Ok(value)\n}\n";

    /// Asks for the second line of `src/a.rs`.
    fn of(answer: &str) -> Visible {
        let gold = Gold::new("src/a.rs", "@@ -2 +2 @@", FILE);
        let files = ["src/a.rs", "src/b.rs", "Makefile"].map(String::from);
        visible(answer, &[gold], &HashSet::from(files))
    }

    const NOTHING: Visible = Visible { in_sight: false, named: false, first: false };

    #[test]
    fn a_line_is_visible_with_and_without_a_number() {
        for line in [
            "    let value = open_file(path)?;",
            "2: let value = open_file(path)?;",
            "   2      let value = open_file(path)?;",
            "   2|    let value = open_file(path)?;",
            "> 2 │ let value = open_file(path)?;",
            "2\tlet value = open_file(path)?;",
            "2  let value = open_…",
        ] {
            assert!(of(&format!("src/a.rs:1-4  fn caller\n{line}\n")).in_sight, "{line}");
        }
    }

    #[test]
    fn another_line_is_not_the_changed_one() {
        for line in [
            "3: let value = open_file(path)?;",
            "2: let value = open_file(other)?;",
            "let value = open_file(path)?; // and more",
            "2  …",
            "2let value = open_file(path)?;",
        ] {
            let visible = of(&format!("src/a.rs:1-4  fn caller\n{line}\n"));
            assert_eq!(visible, Visible { in_sight: false, named: true, first: true }, "{line}");
        }
    }

    #[test]
    fn a_line_counts_in_its_own_file_only() {
        let line = "    let value = open_file(path)?;";
        assert_eq!(of(&format!("src/b.rs:1-4\n{line}\n")), NOTHING);
        assert!(!of(&format!("src/a.rs:3-9  fn other\n{line}\n")).in_sight, "another place");
        let named_later = format!("src/b.rs:1-4\n{line}\nFurther places:\nsrc/a.rs: 1-4 caller\n");
        assert_eq!(of(&named_later), Visible { in_sight: false, named: true, first: false });
        let own = format!("src/b.rs:1-4\nx\n## `src/a.rs`:1-4\n{line}\n");
        assert!(of(&own).in_sight);
        assert!(of(&format!("Found one (see src/a.rs):\n{line}\n")).in_sight, "no sections");
    }

    #[test]
    fn paths_are_whole_words() {
        assert_eq!(of("other/src/a.rs:1\nsrc/a.rst"), NOTHING);
        assert!(of("Makefile says: in `src/a.rs#caller`, line 2.").first);
        assert!(!of("src/b.rs:3, src/a.rs:4").first);
    }
}
