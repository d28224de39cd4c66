//! Context for reading a definition: the package clause and imports of its file, and the start of the next definition.

use super::present::slice;
use groma_core::{ChunkKind, FileFacts, Lines};

/// Maximum lines of the next definition.
const MAX_NEXT_LINES: u32 = 5;

/// How many lines below the last import the end of its block is searched for.
const MAX_BLOCK_LINES: u32 = 20;

/// The package clause and the imports, as far as they precede `lines`.
pub(super) fn opening(
    facts: &FileFacts,
    text: &str,
    starts: &[usize],
    lines: Lines,
) -> Option<Lines> {
    let line = |number: u32| slice(text, starts, Lines::new(number, number)).trim();
    let first_symbol = facts.symbols.first().map_or(u32::MAX, |symbol| symbol.lines.start);
    let imports = facts.imports.iter().map(|import| import.line);
    // Some languages allow imports anywhere; those among the definitions are not part of the header.
    let imports: Vec<u32> = imports.take_while(|line| *line < first_symbol).collect();
    let before = imports.first().copied().unwrap_or(first_symbol).min(lines.start);
    let package = (1..before).find(|number| declares_package(line(*number), facts));
    let start = package.or(imports.first().copied())?;
    let last = imports.last().copied().or(package)?;
    let end = (last + 1..=(last + MAX_BLOCK_LINES).min(starts.len() as u32))
        .take_while(|number| matches!(line(*number), "" | ")") || line(*number).starts_with("//"))
        .find(|number| !imports.is_empty() && line(*number) == ")")
        .unwrap_or(last)
        .min(lines.start - 1);
    let end = (start..=end).rev().find(|number| !line(*number).is_empty())?;
    Some(Lines::new(start, end))
}

fn declares_package(line: &str, facts: &FileFacts) -> bool {
    let Some(package) = &facts.package else { return false };
    let code = line.split("//").next().unwrap_or(line);
    let mut words = code.split_whitespace();
    words.next().is_some_and(|word| matches!(word, "package" | "namespace" | "module"))
        && words.next().is_some_and(|word| word.trim_end_matches([';', '{']) == package)
        && words.next().is_none_or(|word| word == "{")
}

/// The first lines of the chunk after `lines`.
pub(super) fn following(facts: &FileFacts, lines: Lines) -> Option<Lines> {
    let chunks = facts.chunks.iter().filter(|chunk| chunk.kind != ChunkKind::Overview);
    let next = chunks.map(|chunk| chunk.lines).find(|next| next.start > lines.end)?;
    Some(Lines::new(next.start, next.end.min(next.start + MAX_NEXT_LINES - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::RelPath;

    const GO: &str = "// Copyright.\n\n// Package auth lets users in.\npackage auth // really\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\n\t// kept\n)\n\n\
                      // One is first.\nfunc One() error {\n\tfmt.Println()\n\treturn errors.New(\"x\")\n}\n\n\
                      // Two is second.\nfunc Two() {\n\tOne()\n\tOne()\n\tOne()\n\tOne()\n\tOne()\n\tOne()\n}\n";

    fn shown(path: &str, text: &str, start: u32, end: u32) -> (String, String) {
        let facts = groma_syntax::parse(&RelPath::new(path).unwrap(), text).facts;
        let starts = groma_syntax::line_starts(text);
        let lines = Lines::new(start, end);
        let show = |lines: Option<Lines>| {
            lines.map_or(String::new(), |lines| slice(text, &starts, lines).to_string())
        };
        (show(opening(&facts, text, &starts, lines)), show(following(&facts, lines)))
    }

    #[test]
    fn a_definition_has_its_package_imports_and_what_follows() {
        let (before, after) = shown("auth/a.go", GO, 13, 17);
        assert_eq!(
            before,
            "package auth // really\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\n\t// kept\n)"
        );
        assert_eq!(after, "// Two is second.\nfunc Two() {\n\tOne()\n\tOne()\n\tOne()");
        assert_eq!(shown("auth/a.go", GO, 19, 27).1, "");
    }

    #[test]
    fn lines_of_the_chunk_are_not_repeated_before_it() {
        assert_eq!(shown("auth/a.go", GO, 1, 11).0, "");
        assert_eq!(shown("auth/a.go", GO, 6, 11).0, "package auth // really");
        let alone = "package tiny\n\nfunc One() {\n}\n";
        assert_eq!(shown("tiny.go", alone, 3, 4).0, "package tiny");
        assert_eq!(
            shown("a.py", "import os\n\nx = 1\n\n\ndef f():\n    import re\n    return x\n", 6, 8)
                .0,
            "import os"
        );
        assert_eq!(shown("a.txt", "words\n\nwords\n", 3, 3), (String::new(), String::new()));
    }
}
