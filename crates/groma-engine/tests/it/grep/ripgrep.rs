//! The answer is ripgrep's: compared with its own crates, run over every file without an index.

use super::ask;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use groma_engine::{Case, GrepRequest};
use groma_testkit::Sandbox;
use std::fs;
use std::io;
use std::path::Path;

/// A line as ripgrep would print it, with the column in characters.
type Line = (String, u32, u32, String);

/// Searches every file that ripgrep would, one by one.
fn brute_force(root: &Path, request: &GrepRequest) -> Vec<Line> {
    let matcher = RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .case_insensitive(request.case == Case::Insensitive)
        .case_smart(request.case == Case::Smart)
        .fixed_strings(request.literal)
        .word(request.whole_words)
        .build(&request.pattern)
        .unwrap();
    let mut files: Vec<String> = ignore::WalkBuilder::new(root)
        .require_git(false)
        .build()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_string())
        .collect();
    files.sort();
    let mut searcher =
        SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).line_number(true).build();
    let mut lines = Vec::new();
    for path in files {
        let file = root.join(&path);
        let printer = Printer { matcher: &matcher, path, lines: &mut lines };
        searcher.search_path(&matcher, &file, printer).unwrap();
    }
    lines
}

struct Printer<'a> {
    matcher: &'a RegexMatcher,
    path: String,
    lines: &'a mut Vec<Line>,
}

impl Sink for Printer<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        let bytes = line.bytes().strip_suffix(b"\n").unwrap_or(line.bytes());
        let start = self.matcher.find(bytes).unwrap().unwrap().start();
        let column = String::from_utf8_lossy(&bytes[..start]).chars().count() as u32 + 1;
        let text = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes)).into_owned();
        self.lines.push((self.path.clone(), line.line_number().unwrap() as u32, column, text));
        Ok(true)
    }
}

/// Compares the answer, and what is shown around each line, with the files.
fn compare(sandbox: &Sandbox, request: &GrepRequest) {
    let answer = ask(sandbox, &GrepRequest { limit: 10_000, ..request.clone() });
    let found: Vec<Line> = answer
        .matches
        .iter()
        .map(|one| (one.path.to_string(), one.line, one.column, one.text.clone()))
        .collect();
    let expected = brute_force(sandbox.root(), request);
    assert_eq!(answer.total, expected.len(), "{request:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{request:?}");
    }
    assert_eq!(found.len(), expected.len().min(10_000), "{request:?}");
    for one in answer.matches.iter().step_by(1 + answer.matches.len() / 30) {
        let Ok(text) = fs::read_to_string(one.path.under(sandbox.root())) else { continue };
        if text.contains('\0') {
            continue; // ripgrep stops at the zero byte.
        }
        let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
        let at = one.line as usize - 1;
        let first = at.saturating_sub(request.before as usize);
        let last = (at + 1 + request.after as usize).min(lines.len());
        assert_eq!(one.before, lines[first..at], "{request:?}");
        assert_eq!(one.after, lines[at + 1..last], "{request:?}");
    }
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// The sources of this workspace, and files that are harder to read.
fn real_tree() -> Sandbox {
    let sandbox = Sandbox::in_memory("");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for folder in
        ["groma-core/src", "groma-engine/src", "groma-store/src", "groma-syntax/src/languages"]
    {
        for entry in ignore::Walk::new(crates.join(folder)).map(|entry| entry.unwrap()) {
            if entry.file_type().is_some_and(|kind| kind.is_file()) {
                let path = entry.path().strip_prefix(crates).unwrap().to_str().unwrap().to_string();
                sandbox.write(&path, fs::read(entry.path()).unwrap());
            }
        }
    }
    let utf16: Vec<u8> = "\u{feff}Größe ſtraße\nfn lamp() {}\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    sandbox.write("odd/utf16.txt", utf16);
    sandbox.write("odd/mark.txt", "\u{feff}fn größe(self) -> \u{212a}elvin\n");
    sandbox.write(
        "odd/latin.txt",
        b"fn gr\xf6\xdfe(self) -> Self\nna\xefve caf\xe9 \xc3\xa9t\xc3\xa9\n",
    );
    sandbox.write("odd/crlf.txt", "fn lamp(self)\r\n\r\n  self.lamp\r\n");
    // Binary only beyond what ripgrep and the index look at first.
    let mut late =
        format!("fn lamp(self) -> Self {}\n", "// light ".repeat(20)).repeat(500).into_bytes();
    late.extend(b"\0fn lamp(self)\n");
    sandbox.write("odd/late.txt", late);
    sandbox.write(
        "odd/large.txt",
        format!("let large = self.size; {}\n", "// light ".repeat(40)).repeat(1000),
    );
    sandbox
}

/// Patterns made of what is in the tree, and some that are made of nothing.
fn requests(sandbox: &Sandbox, dice: &mut Dice, count: usize) -> Vec<GrepRequest> {
    let mut lines: Vec<String> = Vec::new();
    for entry in ignore::Walk::new(sandbox.root()).map(|entry| entry.unwrap()) {
        if let Ok(text) = fs::read_to_string(entry.path()) {
            lines.extend(text.lines().filter(|line| line.trim().len() > 4).map(str::to_string));
        }
    }
    (0..count).map(|_| random_request(&lines, dice)).collect()
}

fn random_request(lines: &[String], dice: &mut Dice) -> GrepRequest {
    let mut piece = || {
        let line: Vec<char> = lines[dice.roll(lines.len())].trim().chars().collect();
        let length = (2 + dice.roll(14)).min(line.len());
        let start = dice.roll(line.len() - length + 1);
        line[start..start + length].iter().collect::<String>()
    };
    let (one, other) = (piece(), piece());
    let plain = regex_syntax::escape(&one);
    let loose = |text: &str| {
        let loosen = |c: char| match c {
            'e' => "[a-f]".to_string(),
            ' ' => r"\s+".to_string(),
            'r' => "r?".to_string(),
            '_' => ".".to_string(),
            c => regex_syntax::escape(&c.to_string()),
        };
        text.chars().map(loosen).collect::<String>()
    };
    let pattern = match dice.roll(9) {
        0 | 1 => plain,
        2 => format!("{plain}|{}", regex_syntax::escape(&other)),
        3 => loose(&one),
        4 => format!("^{}.*", loose(&one)),
        5 => format!("{}$", loose(&one)),
        6 => format!("(?i:{plain}).*({})*", loose(&other)),
        7 => format!(r"\b{}\w*", regex_syntax::escape(one.trim())),
        _ => [r"\w{30}", "ß", "(?-u:\\xe9)", r"^\s*$", "K", ".", "[[:upper:]]{4}", r"\d+\.\d+"]
            [dice.roll(8)]
        .into(),
    };
    let literal = dice.roll(6) == 0;
    GrepRequest {
        pattern: if literal { one } else { pattern },
        literal,
        case: [Case::Sensitive, Case::Insensitive, Case::Smart][dice.roll(3)],
        whole_words: dice.roll(5) == 0,
        before: dice.roll(4) as u32,
        after: dice.roll(4) as u32,
        ..GrepRequest::new("")
    }
}

#[test]
fn random_patterns_over_a_real_tree() {
    let sandbox = real_tree();
    let dice = &mut Dice(0x9e37_79b9_7f4a_7c15);
    for request in requests(&sandbox, dice, 40) {
        compare(&sandbox, &request);
    }
    sandbox.index();
    for request in requests(&sandbox, dice, 160) {
        compare(&sandbox, &request);
    }
    change(&sandbox, dice);
    for request in requests(&sandbox, dice, 80) {
        compare(&sandbox, &request);
    }
}

/// Edits, adds, removes and renames files behind the index.
fn change(sandbox: &Sandbox, dice: &mut Dice) {
    let mut paths: Vec<String> = Vec::new();
    for entry in ignore::Walk::new(sandbox.root()).map(|entry| entry.unwrap()) {
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            paths.push(
                entry.path().strip_prefix(sandbox.root()).unwrap().to_str().unwrap().to_string(),
            );
        }
    }
    paths.sort();
    for number in 0..30 {
        let path = paths.remove(dice.roll(paths.len()));
        let mut bytes = fs::read(sandbox.path(&path)).unwrap();
        match dice.roll(4) {
            0 => sandbox.remove(&path),
            1 => sandbox.rename(&path, &format!("moved/{number}/{path}")),
            2 => {
                let half = bytes.len() / 2;
                bytes.rotate_left(half);
                sandbox.save(&path, &bytes);
            }
            _ => {
                bytes.extend(b"\n// One more line of lamp light.\n");
                sandbox.write(&path, &bytes);
                sandbox.write(&format!("new/{number}.txt"), &bytes);
            }
        }
    }
}
