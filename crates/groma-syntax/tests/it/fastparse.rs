//! Facts do not depend on which parser made the tree.

use groma_core::RelPath;
use groma_syntax::{parse, parse_by_grammar};
use std::path::Path;

#[test]
fn facts_are_equal_with_and_without_hand_written_parsers() {
    let parsers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../groma-fastparse/src");
    for path in [
        parsers.join("go/fixtures/constructs.go"),
        parsers.join("rust/fixtures/constructs.rs"),
        parsers.join("rust/item.rs"),
    ] {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let rel_path = RelPath::new(name).unwrap();
        let (fast, by_grammar) = (parse(&rel_path, &text), parse_by_grammar(&rel_path, &text));
        assert!(!fast.facts.symbols.is_empty(), "{name}");
        assert_eq!(format!("{:#?}", fast.facts), format!("{:#?}", by_grammar.facts), "{name}");
        assert_eq!(fast.comments, by_grammar.comments, "{name}");
    }
}
