//! The text of a chunk in the layout of the contract: overviews unchanged, code after a line range, functions without
//! their bodies.

use groma_core::{ChunkKind, FileFacts, Lines, Symbol};

/// The text of a chunk whose lines are `content`.
pub fn text(facts: &FileFacts, ordinal: u32, content: &str) -> String {
    let chunk = &facts.chunks[ordinal as usize];
    let Lines { start, end } = chunk.lines;
    match chunk.kind {
        ChunkKind::Prose | ChunkKind::Overview => content.to_string(),
        ChunkKind::Data => format!("// (lines {start}-{end})\n{content}"),
        ChunkKind::Code => {
            format!("// (lines {start}-{end})\n{}", signatures(facts, chunk.lines, content))
        }
    }
}

/// The lines without function bodies.
fn signatures(facts: &FileFacts, lines: Lines, content: &str) -> String {
    let content: Vec<&str> = content.lines().collect();
    let line = |number: u32| content.get((number - lines.start) as usize).copied().unwrap_or("");
    let begins = |symbol: &&Symbol| symbol.kind.is_callable() && lines.contains(symbol.name_line);
    let mut shown: Vec<String> = Vec::new();
    let mut next = lines.start;
    for symbol in facts.symbols.iter().filter(begins) {
        // A function defined in another one is part of its body.
        if symbol.name_line < next {
            continue;
        }
        let above: Vec<String> =
            (next..symbol.name_line).map(|number| line(number).to_string()).collect();
        let signature = signature(symbol, line(symbol.name_line), &above);
        shown.extend(above);
        shown.extend(signature);
        next = symbol.lines.end.max(symbol.name_line) + 1;
    }
    shown.extend((next..=lines.end).map(|number| line(number).to_string()));
    shown.join("\n")
}

/// A function without its body; a doc comment that is not above it is in its body.
fn signature(symbol: &Symbol, line: &str, above: &[String]) -> Vec<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut shown = vec![format!("{indent}{}", symbol.signature)];
    let first = symbol.doc.lines().next().unwrap_or("");
    if !above.iter().any(|line| line.contains(first)) {
        let inside = symbol.doc.lines().map(|doc| format!("{indent}    {doc}"));
        shown.extend(inside.map(|doc| doc.trim_end().to_string()));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::RelPath;
    use groma_engine::parse;

    fn texts(path: &str, source: &str) -> Vec<String> {
        let facts = parse(&RelPath::new(path).unwrap(), source).facts;
        let lines: Vec<&str> = source.lines().collect();
        (1..facts.chunks.len() as u32)
            .map(|ordinal| {
                let Lines { start, end } = facts.chunks[ordinal as usize].lines;
                text(&facts, ordinal, &lines[start as usize - 1..end as usize].join("\n"))
            })
            .collect()
    }

    #[test]
    fn functions_are_shown_without_bodies() {
        let go = "package auth\n\nimport \"errors\"\n\n// Login lets a user in.\n// It says why not.\nfunc (h *Handler) Login(\n\tname string,\n) error {\n\
                  \tcheck := func() bool { return true }\n\tif !check() {\n\t\treturn errors.New(\"no\")\n\t}\n\treturn nil\n}\n\n\
                  // Handler handles.\ntype Handler struct {\n\tname string\n\tsize int\n}\n";
        let texts = texts("auth/handler.go", go);
        assert_eq!(
            texts[1],
            "// (lines 5-15)\n// Login lets a user in.\n// It says why not.\nfunc (h *Handler) Login( name string, ) error"
        );
        assert_eq!(
            texts[2],
            "// (lines 17-21)\n// Handler handles.\ntype Handler struct {\n\tname string\n\tsize int\n}"
        );
    }

    #[test]
    fn doc_strings_come_with_the_signature() {
        let python = "class Cart:\n    \"\"\"What is bought.\"\"\"\n\n    @checked\n    def add(self, item):\n        \"\"\"Add an item.\"\"\"\n        self.items.append(item)\n        return self\n";
        assert_eq!(
            texts("cart.py", python)[0],
            "// (lines 1-8)\nclass Cart:\n    \"\"\"What is bought.\"\"\"\n\n    @checked\n    def add(self, item)\n        Add an item."
        );
    }

    #[test]
    fn values_are_shown_as_they_are() {
        let go = "package conf\n\n// Port is where we listen.\nconst Port = 80\n";
        assert_eq!(texts("conf.go", go), [format!("// (lines 1-4)\n{}", go.trim_end())]);
    }
}
