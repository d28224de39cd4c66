//! All other commands, as text and as JSON.

use crate::client::Client;
use crate::sample::{Sample, pretty, steady, steady_json};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// What a command prints, with measured numbers replaced.
fn check(sample: &Sample, arguments: &[&str], expected: Expect) {
    let ran = sample.run(arguments);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // The first line prevents the indentation of the others from being stripped.
    expected.assert_eq(&format!("$ groma {}\n{}", arguments.join(" "), steady(&ran.stdout)));
}

fn check_json(sample: &Sample, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&pretty(sample, sample.json(arguments)));
}

/// One file more, which does not parse, one changed and one less.
fn change(sample: &Sample) {
    sample.write("auth/broken.py", "def broken(:\n");
    sample.write("src/limit.rs", "pub fn changed() {}\n");
    std::fs::remove_file(sample.root().join("README.md")).unwrap();
}

#[test]
fn index_prints_a_summary() {
    let sample = Sample::new();
    check(
        &sample,
        &["index"],
        expect![[r#"
            $ groma index
            [ROOT]
              4 files: 4 added, 0 updated, 0 removed, 0 unchanged
              4 files parsed ( [U]): 11 chunks, 7 symbols
              [U], [U]
              2 skipped: 1 binary, 1 secret
        "#]],
    );
    change(&sample);
    check(
        &sample,
        &["index"],
        expect![[r#"
            $ groma index
            [ROOT]
              4 files: 1 added, 1 updated, 1 removed, 2 unchanged
              2 files parsed ( [U]): 4 chunks, 2 symbols
              [U], [U]
              2 skipped: 1 binary, 1 secret
              1 file not fully parsed:
                auth/broken.py: partial, syntax error at line 1
        "#]],
    );
    let stages = sample.run(&["index", "--stages"]).stdout;
    assert!(stages.contains("\n  walk  ") && stages.contains("\n  store  "), "{stages}");
}

#[test]
fn index_prints_a_report_as_json() {
    let sample = Sample::new();
    change(&sample);
    check_json(
        &sample,
        &["index", "--force"],
        expect![[r#"
            {
              "project": "[ROOT]",
              "generation": null,
              "files": 4,
              "added": 4,
              "updated": 0,
              "removed": 0,
              "unchanged": 0,
              "parsed": 4,
              "chunks": 9,
              "symbols": 5,
              "bytes": null,
              "without_vectors": 0,
              "skipped": {
                "binary": 1,
                "secret": 1
              },
              "trouble": [
                {
                  "path": "auth/broken.py",
                  "status": "partial",
                  "message": "syntax error at line 1"
                }
              ],
              "stages": {
                "walk": null,
                "read": null,
                "parse": null,
                "terms": null,
                "trigrams": null,
                "embed": null,
                "store": null
              },
              "seconds": null,
              "files_per_second": null,
              "notes": [],
              "ref": null
            }"#]],
    );
}

#[test]
fn dry_run_reads_and_writes_nothing() {
    let sample = Sample::new();
    check(
        &sample,
        &["index", "--dry-run"],
        expect![[r#"
            $ groma index --dry-run
            README.md
            auth/token.py
            src/limit.rs
            store/order.go

            Skipped:
              binary (1): not text; if only the extension says so, name it in `include` in .groma.toml
                logo.png
              secret (1): may contain a password or a private key; indexed only if `include` in .groma.toml names the file itself
                .env
        "#]],
    );
    assert!(!sample.home().join("projects").exists());
}

#[test]
fn dry_run_lists_files_as_json() {
    let sample = Sample::new();
    check_json(
        &sample,
        &["index", "--dry-run"],
        expect![[r#"
        {
          "project": "[ROOT]",
          "files": [
            {
              "path": "README.md",
              "bytes": null
            },
            {
              "path": "auth/token.py",
              "bytes": null
            },
            {
              "path": "src/limit.rs",
              "bytes": null
            },
            {
              "path": "store/order.go",
              "bytes": null
            }
          ],
          "skipped": [
            {
              "path": ".env",
              "reason": "secret",
              "detail": ""
            },
            {
              "path": "logo.png",
              "reason": "binary",
              "detail": ""
            }
          ]
        }"#]],
    );
}

#[test]
fn status_knows_a_project_without_an_index() {
    let sample = Sample::new();
    check(
        &sample,
        &["status"],
        expect![[r#"
            $ groma status
            [ROOT]
              state not indexed; `groma index` or the first search indexes it
              pending 4 files
              skipped 2 (--skipped lists them)
              vectors [MODEL]
              folder [HOME]/projects/sample-[HASH]
        "#]],
    );
    assert!(!sample.home().join("projects").exists(), "asking makes no index");
}

#[test]
fn status_lists_what_is_left_out() {
    check(
        &Sample::indexed(),
        &["status", "--skipped"],
        expect![[r#"
            $ groma status --skipped
            [ROOT]
              state up to date
              generation 1, just now
              holds 4 files, 11 chunks
              takes up [U]
              pending nothing
              skipped 2 (--skipped lists them)
              vectors [MODEL]
              folder [HOME]/projects/sample-[HASH]

            Skipped:
              binary (1): not text; if only the extension says so, name it in `include` in .groma.toml
                logo.png
              secret (1): may contain a password or a private key; indexed only if `include` in .groma.toml names the file itself
                .env
        "#]],
    );
}

/// An index, and a tree with one file more and one less.
fn outdated() -> Sample {
    let sample = Sample::indexed();
    sample.write("src/more.rs", "pub fn more() {}\n");
    std::fs::remove_file(sample.root().join("README.md")).unwrap();
    sample
}

#[test]
fn status_compares_with_the_tree() {
    check(
        &outdated(),
        &["status"],
        expect![[r#"
            $ groma status
            [ROOT]
              state outdated; the next search updates it
              generation 1, just now
              holds 4 files, 11 chunks
              takes up [U]
              pending 1 file new or changed, 1 gone
              skipped 2 (--skipped lists them)
              vectors [MODEL]
              folder [HOME]/projects/sample-[HASH]
        "#]],
    );
}

#[test]
fn status_is_printed_as_json() {
    check_json(
        &outdated(),
        &["status", "--skipped"],
        expect![[r#"
            {
              "project": "[ROOT]",
              "id": "sample-[HASH]",
              "folder": "[HOME]/projects/sample-[HASH]",
              "state": "behind",
              "indexing": false,
              "indexed": true,
              "generation": null,
              "committed": null,
              "files": 4,
              "chunks": 11,
              "pending": 1,
              "removed": 1,
              "bytes": null,
              "embedder": null,
              "awaited_embedder": null,
              "without_vectors": 0,
              "skipped_count": 2,
              "last_job": null,
              "holders": [],
              "ref": null,
              "refs": [],
              "skipped": [
                {
                  "path": ".env",
                  "reason": "secret",
                  "detail": ""
                },
                {
                  "path": "logo.png",
                  "reason": "binary",
                  "detail": ""
                }
              ]
            }"#]],
    );
}

/// An index with a file that does not parse.
fn with_a_broken_file() -> Sample {
    let sample = Sample::new();
    sample.write("auth/broken.py", "def broken(:\n");
    assert_eq!(sample.run(&["index"]).code, Some(0));
    sample
}

#[test]
fn stats_count() {
    check(
        &with_a_broken_file(),
        &["stats", "--failures"],
        expect![[r#"
            $ groma stats --failures
              language files lines chunks parsed
              rust 1 17 4 1 ok
              go 1 9 3 1 ok
              python 2 7 4 1 ok, 1 partial
              markdown 1 6 2 1 ok

              8 symbols: 2 function, 2 method, 2 struct, 1 field, 1 section
              1 file not fully parsed (--failures lists them)

              auth/broken.py (python): partial, syntax error at line 1
        "#]],
    );
}

#[test]
fn stats_are_printed_as_json() {
    let sample = with_a_broken_file();
    let mut stats = steady_json(sample.json(&["stats", "--failures"]));
    let languages = stats["languages"].take();
    let names: Vec<&String> = languages.as_object().unwrap().keys().collect();
    assert_eq!(names, ["go", "markdown", "python", "rust"]);
    assert_eq!(
        languages["python"],
        json!({
            "files": 2, "chunks": 4, "lines": 7, "ok": 1, "partial": 1, "error": 0,
            "crashed": 0, "interrupted": 0, "no_grammar": 0,
        })
    );
    let expected = expect![[r#"
        {
          "project": "[ROOT]",
          "languages": null,
          "symbols": {
            "function": 2,
            "method": 2,
            "struct": 2,
            "field": 1,
            "section": 1
          },
          "failure_count": 1,
          "failures": [
            {
              "path": "auth/broken.py",
              "language": "python",
              "status": "partial",
              "message": "syntax error at line 1"
            }
          ]
        }"#]];
    expected.assert_eq(&pretty(&sample, stats));
}

#[test]
fn list_shows_indexed_projects() {
    let sample = Sample::indexed();
    check(
        &sample,
        &["list"],
        expect![[r#"
            $ groma list
              [ROOT] 4 files [U] just now
        "#]],
    );
    check_json(
        &sample,
        &["list"],
        expect![[r#"
            {
              "projects": [
                {
                  "project": "[ROOT]",
                  "id": "sample-[HASH]",
                  "folder": "[HOME]/projects/sample-[HASH]",
                  "exists": true,
                  "files": 4,
                  "bytes": null,
                  "generation": null,
                  "committed": null,
                  "refs": []
                }
              ]
            }"#]],
    );
}

#[test]
fn clear_deletes_an_index() {
    let sample = Sample::indexed();
    check_json(
        &sample,
        &["clear", "--yes"],
        expect![[r#"
        {
          "cleared": [
            {
              "project": "[ROOT]",
              "bytes": null
            }
          ]
        }"#]],
    );
    check_json(
        &sample,
        &["list"],
        expect![[r#"
        {
          "projects": []
        }"#]],
    );
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(3), "there is nothing left to clear");
    assert_eq!(sample.run(&["search", "verify_token"]).code, Some(0), "the index comes back");
    check(
        &sample,
        &["clear", "--all", "--yes"],
        expect![[r#"
            $ groma clear --all --yes
            cleared the index of [ROOT] ( [U])
        "#]],
    );
}

#[test]
fn a_project_whose_folder_is_gone_can_be_cleared() {
    let sample = Sample::indexed();
    let root = sample.root();
    let moved = root.with_file_name("moved");
    std::fs::rename(&root, &moved).unwrap();
    let run =
        |arguments: &[&str]| sample.ran(sample.command_in(&moved, arguments).output().unwrap());
    assert!(run(&["list"]).stdout.contains("the folder is gone"));
    let cleared = run(&["clear", &root.to_string_lossy(), "--yes"]);
    assert_eq!(cleared.code, Some(0), "{cleared:?}");
    assert_eq!(run(&["list"]).stdout, "");
}

#[test]
fn languages_are_listed() {
    let sample = Sample::new();
    let ran = sample.run(&["languages"]);
    let rust = ran.stdout.lines().find(|line| line.starts_with("  rust ")).unwrap();
    assert!(rust.contains("  yes  ") && rust.contains("*.rs"), "{rust}");
    let list = sample.json(&["languages"]);
    let languages = list["languages"].as_array().unwrap();
    assert!(languages.len() > 30);
    let python = languages.iter().find(|language| language["name"] == "python").unwrap();
    assert!(
        python["aliases"].as_array().unwrap().contains(&"py".into()) && python["symbols"] == true,
        "{python}"
    );
}

#[test]
fn doctor_finds_no_problem() {
    let sample = Sample::indexed();
    let ran = sample.run(&["doctor"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(ran.stdout.lines().count(), 12, "{}", ran.stdout);
    let answer = sample.json(&["doctor"]);
    assert_eq!(answer["ok"], true);
    let checks: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["check"].as_str().unwrap())
        .collect();
    let all = [
        "data directory",
        "free space",
        "project",
        "trust",
        "ignore rules",
        "index",
        "notebook",
        "writer",
        "background_indexer",
        "embedder",
        "grammars",
        "parser workers",
    ];
    assert_eq!(checks, all);
}

#[test]
fn config_without_a_file_uses_the_defaults() {
    let sample = Sample::new();
    check(
        &sample,
        &["config", "path"],
        expect![[r#"
            $ groma config path
            [ROOT]/.groma.toml
        "#]],
    );
    check(
        &sample,
        &["config", "check"],
        expect![[r#"
            $ groma config check
            no [ROOT]/.groma.toml: the defaults apply
        "#]],
    );
}

#[test]
fn init_writes_settings_once() {
    let sample = Sample::new();
    check(
        &sample,
        &["init"],
        expect![[r#"
            $ groma init
            wrote [ROOT]/.groma.toml
              id sample-[HASH]
              root [ROOT]
              folder [HOME]/projects/sample-[HASH]
              version control none
              indexed 4 files
        "#]],
    );
    // Doing it twice is as doing it once.
    sample.write(".groma.toml", "[search]\nlimit = 3\n");
    let again = sample.run(&["init"]);
    assert_eq!(again.code, Some(0));
    assert!(again.stdout.starts_with("kept [ROOT]/.groma.toml\n"), "{again:?}");
    check_json(
        &sample,
        &["init", "--force"],
        expect![[r#"
        {
          "id": "sample-[HASH]",
          "project": "[ROOT]",
          "folder": "[HOME]/projects/sample-[HASH]",
          "version_control": "none",
          "settings": "[ROOT]/.groma.toml",
          "written": true,
          "files": 4
        }"#]],
    );
}

#[test]
fn config_reads_what_init_wrote() {
    let sample = Sample::new();
    assert_eq!(sample.run(&["init"]).code, Some(0));
    check(
        &sample,
        &["config", "check"],
        expect![[r#"
            $ groma config check
            [ROOT]/.groma.toml is valid
        "#]],
    );
    check_json(
        &sample,
        &["config", "path"],
        expect![[r#"
        {
          "settings": "[ROOT]/.groma.toml",
          "exists": true
        }"#]],
    );
    assert_eq!(sample.json(&["config", "show"])["config"]["search"]["limit"], 10);
    assert_eq!(sample.json(&["config", "check"])["ok"], true);
}

#[test]
fn config_show_prints_every_setting() {
    let sample = Sample::new();
    assert_eq!(sample.run(&["init"]).code, Some(0));
    check(
        &sample,
        &["config", "show"],
        expect![[r#"
            $ groma config show
            # [ROOT]/.groma.toml
            [index]
            include = []
            exclude = []
            hidden = false
            vendored = false
            generated = false
            lock_files = false
            minified = false
            gitignore = true
            tests = true
            max_file_size = 1000000

            [search]
            limit = 10
            mode = "hybrid"
            context = 0
            min_score = 0.0

            [embeddings]
            enabled = true
            provider = "builtin"
            base_url = ""
            model = ""
            dimensions = 0
            batch = 0
            concurrency = 0
            query_prefix = ""
            passage_prefix = ""
            timeout_seconds = 0
            key_variable = ""

            [modules]
        "#]],
    );
}

#[test]
fn eval_measures() {
    let sample = Sample::new();
    sample.write(
        "../questions.jsonl",
        "{\"id\":\"1\",\"repo\":\"sample\",\"query\":\"verify_token\",\"relevant\":[{\"path\":\"auth/token.py\"}]}\n",
    );
    let arguments = ["eval", "../questions.jsonl", "--repos", "..", "--limit", "1"];
    let figures = sample.run(&arguments);
    let (figures, time) = figures.stdout.split_once("time ").unwrap();
    let (figures, tokens) = figures.split_once("tokens ").unwrap();
    expect![[r#"
        chunk      1 questions  NDCG@10 1.000
        file       1 questions  NDCG@10 1.000  MRR 1.000  recall@10 1.000
    "#]]
    .assert_eq(figures);
    assert!(tokens.contains("recall  500 1.000  1k 1.000"), "{tokens}");
    assert!(time.starts_with("  p50 "), "{time}");
    let ranked = sample.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(
        ranked.stdout,
        "{\"id\":\"1\",\"results\":[{\"path\":\"auth/token.py\",\"start_line\":1,\"end_line\":6}]}\n"
    );
}

#[test]
fn completions_and_man_pages_are_generated() {
    let sample = Sample::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sample.run(&["completions", shell]).stdout;
        assert!(script.contains("groma") && script.contains("search"), "{shell}");
    }
    assert!(sample.run(&["man"]).stdout.contains(".TH groma"));
    let pages = sample.run(&["man", "--out", "man"]).stdout;
    let names: Vec<&str> = pages.lines().map(|page| page.trim_start_matches("man/")).collect();
    assert!(names.contains(&"groma.1") && names.contains(&"groma-search.1"), "{names:?}");
    assert!(names.contains(&"groma-config-check.1") && names.len() >= 19, "{names:?}");
    assert_eq!(sample.json(&["completions", "bash"])["shell"], "bash");
}

#[test]
fn outline_shows_symbols_and_rejects_files_that_are_not_indexed() {
    let sample = Sample::new();
    check(
        &sample,
        &["outline", "src/limit.rs"],
        expect![[r#"
            $ groma outline src/limit.rs
            src/limit.rs 17 lines
            3-6 pub struct RateLimiter
            5 allowed: u32
            9-16 pub fn allow(&mut self) -> bool
        "#]],
    );
    let outline = sample.json(&["outline", "src/limit.rs"]);
    assert_eq!(outline["language"], "rust");
    assert_eq!(outline["symbols"].as_array().unwrap().len(), 3, "{outline}");
    let ran = sample.run(&["outline", "nowhere.rs"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("status --skipped"), "{ran:?}");
}

#[test]
fn outline_takes_a_folder_a_class_and_part_of_a_name() {
    let sample = Sample::new();
    sample.write("src/lib.rs", "mod limit;\n");
    sample.write("src/two.py", "class A:\n    def run(self):\n        pass\n\nclass B:\n    def run(self):\n        pass\n");
    check(
        &sample,
        &["outline"],
        expect![[r#"
            $ groma outline
            project: 6 files
            auth/ 1, src/ 3, store/ 1
            Files with the most used definitions:
            README.md (6 lines) Sample
            auth/token.py (6 lines) verify_token
            src/lib.rs (1 line)
            src/limit.rs (17 lines) RateLimiter
            src/two.py (7 lines) A, B
            store/order.go (9 lines) OrderRepository
        "#]],
    );
    assert_eq!(sample.run(&["outline", "."]).stdout, sample.run(&["outline"]).stdout);
    check(
        &sample,
        &["outline", "src/"],
        expect![[r#"
            $ groma outline src/
            src: 3 files
            Files with the most used definitions:
            src/lib.rs (1 line)
            src/limit.rs (17 lines) RateLimiter
            src/two.py (7 lines) A, B
        "#]],
    );
    check(
        &sample,
        &["outline", "src/two.py#B"],
        expect![[r#"
        $ groma outline src/two.py#B
        src/two.py 7 lines
        5-7 class B
        6-7 def run(self)
    "#]],
    );
    check(
        &sample,
        &["outline", "TOKEN"],
        expect![[r#"
            $ groma outline TOKEN
            1 file with "TOKEN" in the path:
            auth/token.py
        "#]],
    );
    check(
        &sample,
        &["outline", "src/lib.rs"],
        expect![[r#"
            $ groma outline src/lib.rs
            src/lib.rs 1 line
            imports self::limit -> src/limit.rs
        "#]],
    );
    let class = sample.json(&["outline", "src/two.py#B"]);
    assert_eq!(class["symbols"].as_array().unwrap().len(), 2, "{class}");
    assert_eq!(sample.json(&["outline", "src"])["file_count"], 3);
    assert_eq!(sample.json(&["outline", "token"])["files"], json!(["auth/token.py"]));
    let ran = sample.run(&["outline", "src/two.py#C"]);
    assert_eq!((ran.code, &*ran.stderr), (Some(2), "error: path: src/two.py has no member C\n"));
    let small = sample.run(&["outline", "src/two.py", "--max-tokens", "10"]).stdout;
    assert!(small.contains(" more members"), "{small}");
}

#[test]
fn status_shows_the_indexing_process_and_the_last_job() {
    let sample = Sample::indexed();
    let lock =
        std::fs::File::options().write(true).open(sample.data().join("writer.lock")).unwrap();
    lock.lock().unwrap();
    let status = sample.json(&["status"]);
    assert_eq!((&status["state"], &status["indexing"]), (&"up_to_date".into(), &true.into()));
    assert_eq!(
        (&status["holders"][0]["role"], &status["last_job"]),
        (&"writer".into(), &Value::Null)
    );
    let words = sample.run(&["status"]).stdout;
    assert!(words.contains("is indexing it)"), "{words}");

    // A job that waits for the writer and whose process is killed.
    sample.write("src/more.rs", "fn more() {}\n");
    let mut client = Client::start(&sample, &["--contract", "codecompass"]);
    client.json("sync_repo", json!({}));
    let status = sample.json(&["status"]);
    let state = status["last_job"]["state"].as_str().unwrap();
    assert!(["running", "queued"].contains(&state), "{status}");
    let process = client.process().to_string();
    let killed = std::process::Command::new("kill").args(["-9", &process]).status().unwrap();
    assert!(killed.success());
    drop(client);
    drop(lock);
    let status = sample.json(&["status"]);
    assert_eq!(status["last_job"]["state"], "interrupted", "{status}");
    assert_eq!((&status["indexing"], &status["holders"]), (&false.into(), &json!([])));
    let words = sample.run(&["status"]).stdout;
    assert!(words.contains("interrupted: its process ended"), "{words}");
}

#[test]
fn status_detects_an_index_of_another_version() {
    let sample = Sample::new();
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    assert_eq!(sample.run(&["index"]).code, Some(0));
    std::fs::remove_file(sample.root().join(".groma.toml")).unwrap();
    assert_eq!(sample.json(&["status"])["state"], "other_version");
    let words = sample.run(&["status"]).stdout;
    assert!(words.contains("written by another version of the program"), "{words}");
    assert_eq!(sample.run(&["search", "verify_token"]).code, Some(0));
    assert_eq!(sample.json(&["status"])["state"], "up_to_date");
}
