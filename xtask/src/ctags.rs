//! `cargo xtask ctags`: is every definition that universal-ctags finds found here, too?
//!
//! Both read the same files. A tag is found if a symbol of the same file has its name and line. What is missing
//! must be explained by the table in `explained.rs`, or the task fails; so the table says what we leave out and why.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use groma_core::{ParseStatus, RelPath, Symbol};
use groma_engine::WalkOptions;
use groma_engine::parse;
use groma_files::source;
use groma_files::{FileTree, WorkingTree};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

mod explained;
use explained::{Tag, explanation};

/// Compare the symbols of a tree with what universal-ctags finds in it
#[derive(Debug, Args)]
pub struct CtagsArgs {
    /// A tree to compare on; may be given several times
    #[arg(long = "tree", value_name = "DIR", required = true)]
    trees: Vec<PathBuf>,
    /// Missing definitions to list for each kind
    #[arg(long, value_name = "COUNT", default_value_t = 5)]
    list: usize,
}

/// The languages that are compared, by the name that ctags gives them. Others are not: in data and prose the two
/// mean different things by a definition; of JavaScript and TypeScript ctags lists every local variable and every key
/// of an object, and of Elixir every clause of a function.
const LANGUAGES: &[&str] =
    &["C", "C++", "C#", "Go", "Java", "Lua", "PHP", "Python", "Ruby", "Rust", "Sh"];

/// What became of the tags of one kind.
#[derive(Default)]
struct Count {
    tags: usize,
    found: usize,
    explained: BTreeMap<&'static str, usize>,
    missing: Vec<String>,
}

/// Compares and prints; fails if something is missing without a reason.
pub fn run(args: &CtagsArgs) -> Result<()> {
    let mut missing = 0;
    for tree in &args.trees {
        let counts = compare(tree)?;
        missing += counts.values().map(|count| count.missing.len()).sum::<usize>();
        report(tree, &counts, args.list);
    }
    ensure!(missing == 0, "{missing} definitions that ctags finds are missing without a reason");
    Ok(())
}

fn compare(tree: &Path) -> Result<BTreeMap<(String, String), Count>> {
    let options = WalkOptions::default();
    let files = WorkingTree::new(tree).walk(&options)?.files;
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    for file in &files {
        let Ok(source) = source::read(&WorkingTree::new(tree), &file.path, &options) else {
            continue;
        };
        known.insert(file.path.to_string(), Known::new(&file.path, &source.text));
    }
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    for mut tag in tags(tree, known.keys())? {
        let file =
            known.get(&tag.path).with_context(|| format!("{} was not asked for", tag.path))?;
        tag.text = file.lines.get(tag.line as usize - 1).cloned().unwrap_or_default();
        tag.readable = file.readable;
        let count = counts.entry((tag.language.clone(), tag.kind.clone())).or_default();
        count.tags += 1;
        if file.has(&tag) {
            count.found += 1;
        } else if let Some(why) = explanation(&tag) {
            *count.explained.entry(why).or_default() += 1;
        } else {
            count.missing.push(format!(
                "{}:{} {}: {}",
                tag.path,
                tag.line,
                tag.name,
                tag.text.trim()
            ));
        }
    }
    Ok(counts)
}

/// What we know of a file.
struct Known {
    symbols: BTreeSet<(String, u32)>,
    lines: Vec<String>,
    readable: bool,
}

impl Known {
    fn new(path: &RelPath, text: &str) -> Self {
        let facts = parse(path, text).facts;
        let place = |symbol: &Symbol| (plain(&symbol.name), symbol.name_line);
        Self {
            symbols: facts.symbols.iter().map(place).collect(),
            lines: text.lines().map(str::to_string).collect(),
            readable: facts.health.status == ParseStatus::Ok,
        }
    }

    fn has(&self, tag: &Tag) -> bool {
        let name = plain(&tag.name);
        // C# may say which interface a member is for, Lua says which table.
        let qualified = matches!(tag.language.as_str(), "C#" | "Lua");
        let short = name.rsplit(['.', ':']).next().filter(|_| qualified).map(str::to_string);
        [Some(name), short]
            .into_iter()
            .flatten()
            .any(|name| self.symbols.contains(&(name, tag.line)))
    }
}

/// A name without white space: `operator ==` is `operator==`.
fn plain(name: &str) -> String {
    name.split_whitespace().collect()
}

/// Runs ctags over the files.
fn tags<'p>(tree: &Path, paths: impl Iterator<Item = &'p String>) -> Result<Vec<Tag>> {
    let mut child = Command::new("ctags")
        .args([
            "--quiet",
            "--options=NONE",
            "--output-format=json",
            "--fields=NFnKls",
            "--sort=no",
            "-L",
            "-",
        ])
        .arg(format!("--languages={}", LANGUAGES.join(",")))
        .current_dir(tree)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run ctags; install universal-ctags")?;
    let list: String = paths.map(|path| format!("{path}\n")).collect();
    let mut stdin = child.stdin.take().context("ctags takes no list")?;
    let writer = std::thread::spawn(move || stdin.write_all(list.as_bytes()));
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "ctags failed");
    if writer.join().is_err() {
        bail!("ctags did not take the list");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut tags = Vec::new();
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).context("ctags printed no JSON")?;
        // Other lines are about ctags itself.
        if value["_type"] == "tag" {
            tags.push(tag(&value)?);
        }
    }
    Ok(tags)
}

fn tag(value: &Value) -> Result<Tag> {
    let text = |field: &str| value[field].as_str().unwrap_or_default().to_string();
    Ok(Tag {
        path: text("path"),
        name: text("name"),
        line: value["line"].as_u64().context("a tag without a line")? as u32,
        language: text("language"),
        kind: text("kind"),
        text: String::new(),
        readable: true,
    })
}

fn report(tree: &Path, counts: &BTreeMap<(String, String), Count>, list: usize) {
    println!("{}", tree.display());
    println!(
        "  {:<12} {:<14} {:>7} {:>7} {:>9} {:>8}",
        "language", "kind", "tags", "found", "explained", "missing"
    );
    for ((language, kind), count) in counts {
        let explained: usize = count.explained.values().sum();
        println!(
            "  {language:<12} {kind:<14} {:>7} {:>7} {explained:>9} {:>8}",
            count.tags,
            count.found,
            count.missing.len()
        );
        for (why, number) in &count.explained {
            println!("      {number} {why}");
        }
        let step = (count.missing.len() / list.max(1)).max(1);
        for one in count.missing.iter().step_by(step).take(list) {
            println!("      missing: {one}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn known(path: &str, text: &str) -> Known {
        Known::new(&RelPath::new(path).unwrap(), text)
    }

    fn tag_of(language: &str, kind: &str, name: &str, line: u32, text: &str) -> Tag {
        let json = json!({
            "_type": "tag", "path": "a", "name": name, "line": line, "language": language, "kind": kind,
        });
        Tag { text: text.to_string(), ..tag(&json).unwrap() }
    }

    #[test]
    fn a_tag_is_found_by_name_and_line() {
        let file = known("a.go", "package a\n\nfunc Open() {}\n");
        assert!(file.has(&tag_of("Go", "func", "Open", 3, "")));
        assert!(!file.has(&tag_of("Go", "func", "Open", 2, "")));
        assert!(!file.has(&tag_of("Go", "func", "Close", 3, "")));
        let file = known("a.cs", "class A : I { void I.Go() { } }\n");
        assert!(file.has(&tag_of("C#", "method", "I.Go", 1, "")));
    }

    #[test]
    fn only_what_the_table_names_is_explained() {
        let why = |tag: Tag| explanation(&tag).is_some();
        assert!(why(tag_of("C", "macro", "A_H", 1, "#define A_H")));
        assert!(!why(tag_of("C", "macro", "A", 1, "#define A 3")));
        assert!(why(tag_of("Python", "variable", "i", 1, "    i = 0")));
        assert!(!why(tag_of("Python", "variable", "i", 1, "i = 0")));
        assert!(!why(tag_of("Go", "func", "Open", 1, "func Open() {}")));
        assert!(why(Tag { readable: false, ..tag_of("Go", "func", "Open", 1, "") }));
    }
}
