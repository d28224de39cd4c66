//! What is shown around a hit.

use groma_engine::{Context, Hit, SearchRequest};
use groma_testkit::Sandbox;

/// A class with methods of ten lines each; every line of it is different.
fn class(methods: usize) -> String {
    let mut text =
        String::from("import os\n\n\nclass Station:\n    \"\"\"Where trains stop.\"\"\"\n\n");
    for method in 0..methods {
        text += &format!("    def platform_{method}(self):\n");
        for line in 0..8 {
            text += &format!("        self.announce('train {line} of platform {method}')\n");
        }
        text.push('\n');
    }
    text + "\n\nLAST = 'line'\n"
}

fn hit(sandbox: &Sandbox, query: &str, context: Context) -> Hit {
    let answer = sandbox.ask(&SearchRequest { context, ..SearchRequest::new(query) });
    answer.hits.into_iter().next().expect("a hit")
}

/// The lines before, of and after a hit, counted from the text shown, compared with the file.
fn shown(sandbox: &Sandbox, hit: &Hit) -> (u32, u32) {
    let text = std::fs::read_to_string(sandbox.path(hit.path.as_str())).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let count = |text: &str| if text.is_empty() { 0 } else { text.split('\n').count() };
    let start = hit.lines.start as usize - 1 - count(&hit.context_before);
    let end = hit.lines.end as usize + count(&hit.context_after);
    let parts = [&hit.context_before, &hit.content, &hit.context_after].map(String::as_str);
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    assert_eq!(parts.join("\n"), lines[start..end].join("\n"));
    (start as u32 + 1, end as u32)
}

#[test]
fn exact_lines_before_and_after() {
    let sandbox = Sandbox::in_memory("");
    sandbox.write("station.py", class(20));
    let lines = hit(&sandbox, "platform_7", Context::None).lines;
    for (before, after) in [(0, 0), (3, 0), (0, 5), (2, 4), (u32::MAX, u32::MAX)] {
        let hit = hit(&sandbox, "platform_7", Context::Lines { before, after });
        let last = class(20).lines().count() as u32;
        let expected =
            (lines.start.saturating_sub(before).max(1), lines.end.saturating_add(after).min(last));
        assert_eq!(shown(&sandbox, &hit), expected, "{before} before, {after} after");
    }
}

#[test]
fn no_lines_beyond_the_ends_of_a_file() {
    let cases = [
        ("only.rs", "fn only_line() {}\n", "only_line"),
        ("open.rs", "fn without_line_end() {}", "without_line_end"),
        ("blank.rs", "\n\nfn between_blanks() {}\n\n\n", "between_blanks"),
        ("dos.rs", "// first\r\nfn dos_lines() {}\r\n// last\r\n", "dos_lines"),
    ];
    for (path, text, query) in cases {
        let sandbox = Sandbox::in_memory("");
        sandbox.write(path, text);
        let hit = hit(&sandbox, query, Context::Lines { before: 9, after: 9 });
        let all =
            [&hit.context_before, &hit.content, &hit.context_after].map(String::as_str).concat();
        let plain = |text: &str| text.replace(['\r', '\n'], "");
        assert_eq!(plain(&all), plain(text), "{path}");
        assert!(hit.content.contains(query), "{path}");
    }
}

#[test]
fn a_small_enclosing_definition_is_shown_whole() {
    let sandbox = Sandbox::in_memory("");
    sandbox.write("station.py", class(4));
    let hit = hit(&sandbox, "platform_2", Context::Enclosing);
    let (start, end) = shown(&sandbox, &hit);
    assert!(start <= 4 && end >= 45, "{start}-{end} of {:?}", hit.lines);
}

#[test]
fn a_large_enclosing_definition_is_bounded() {
    let sandbox = Sandbox::in_memory("");
    sandbox.write("station.py", class(30));
    for query in ["platform_0", "platform_15", "platform_29"] {
        let hit = hit(&sandbox, query, Context::Enclosing);
        let (start, end) = shown(&sandbox, &hit);
        assert!(end - start < 50, "{query}: {start}-{end}");
        assert!(end - start + 1 > hit.lines.count(), "{query}: nothing around {:?}", hit.lines);
        assert!(
            start >= 4 && end <= class(30).lines().count() as u32 - 3,
            "{query}: {start}-{end}"
        );
    }
}

#[test]
fn a_top_level_definition_has_no_enclosing_context() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn alone() {}\n//- b.txt\njust lonely text\n");
    for query in ["alone", "lonely"] {
        let hit = hit(&sandbox, query, Context::Enclosing);
        assert_eq!((hit.context_before, hit.context_after), (String::new(), String::new()));
    }
}

#[test]
fn a_definition_names_those_around_it() {
    let sandbox =
        Sandbox::in_memory("//- go/stop.go\npackage rail\n\nfunc (t *Train) HaltNow() {}\n");
    sandbox.write("station.py", class(20));
    let parents = |query: &str| hit(&sandbox, query, Context::None).symbol.unwrap().parents;
    assert_eq!(parents("platform_7"), ["Station"]);
    assert_eq!(parents("HaltNow"), ["Train"], "even where the type is in another file");
    assert!(parents("class Station").is_empty());
}

#[test]
fn a_definition_is_shown_with_its_imports_and_what_follows() {
    let sandbox = Sandbox::in_memory(
        "//- auth/auth.go\npackage auth\n\nimport \"errors\"\n\n// Enter lets a user in.\nfunc Enter(name string) error {\n\
         \tif name == \"\" {\n\t\treturn errors.New(\"who?\")\n\t}\n\treturn nil\n}\n\n// Leave lets a user out.\n\
         func Leave(name string) bool {\n\treturn name != \"\" && len(name) > 2\n}\n",
    );
    let entry = hit(&sandbox, "Enter", Context::Surroundings);
    assert_eq!(entry.context_before, "package auth\n\nimport \"errors\"");
    assert_eq!(
        entry.context_after,
        "// Leave lets a user out.\nfunc Leave(name string) bool {\n\treturn name != \"\" && len(name) > 2\n}"
    );
    assert_eq!(hit(&sandbox, "Leave", Context::Surroundings).context_after, "");
}
