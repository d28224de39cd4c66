//! Search: without an index, after an edit, with filters, with an explanation.

use crate::sample::{Sample, pretty};
use expect_test::expect;
use serde_json::Value;

/// The paths a search finds, best first.
fn paths(sample: &Sample, arguments: &[&str]) -> Vec<String> {
    let ran = sample.run(&[&["search", "--paths-only", "--quiet"], arguments].concat());
    ran.stdout.lines().map(str::to_string).collect()
}

#[test]
fn words_need_no_quotes() {
    let sample = Sample::new();
    let quoted = sample.run(&["search", "where is the token verified"]);
    assert_eq!(quoted.code, Some(0), "{}", quoted.stderr);
    let words = ["search", "where", "is", "the", "token", "verified"];
    assert_eq!(sample.run(&words).stdout, quoted.stdout);
}

#[test]
fn a_search_needs_no_index() {
    let sample = Sample::new();
    let ran = sample.run(&["search", "verify_token", "--limit", "1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    expect![[r#"
        strong match
        auth/token.py
        function verify_token 4-6
        4:def verify_token(token):
        5:    """Verify the signature of a token."""
        6:    return token.startswith("ok")
    "#]]
    .assert_eq(&ran.stdout);
    assert_eq!(ran.stderr, "");
}

/// The numbers of the lines of code in an answer.
fn numbers(shown: &str) -> Vec<u32> {
    shown.lines().filter_map(|line| line.split_once(':')?.0.parse().ok()).collect()
}

#[test]
fn the_method_that_does_the_work_comes_before_private_accessors() {
    let sample = Sample::new();
    let accessor = |name: &str| {
        format!("    fn {name}(&self) -> SignedJar {{\n        self.cookie.signed()\n    }}\n\n")
    };
    let accessors: String =
        ["signed_jar", "signed_ref", "signed_mut", "signed_key"].map(accessor).concat();
    let verify = "    pub fn verify(&self, cookie: Cookie) -> Cookie {\n        self.signed_jar().verify(cookie)\n    }\n";
    sample.write("src/jar.rs", &format!("impl Jar {{\n{accessors}{verify}}}\n"));
    let shown = sample.run(&["search", "where is the cookie signed"]).stdout;
    assert!(shown.contains("self.signed_jar().verify(cookie)"), "{shown}");
}

#[test]
fn a_plain_word_follows_no_variable() {
    let sample = Sample::new();
    sample.write("src/a.py", "view = None\n");
    sample.write("src/z.py", "class View:\n    def render(self):\n        return self.template\n");
    assert_eq!(paths(&sample, &["view"]).first().map(String::as_str), Some("src/z.py"));
}

#[test]
fn other_results_are_named() {
    let sample = Sample::indexed();
    let shown = sample.run(&["search", "order token request", "--max-tokens", "400"]).stdout;
    let (code, others) = shown.split_once("Other places:\n").unwrap();
    assert!(!numbers(code).is_empty(), "{shown}");
    assert!(others.lines().all(|line| !line.contains(" score") && line.contains(':')), "{shown}");
}

#[test]
fn tests_are_left_out_unless_they_are_wanted() {
    let sample = Sample::new();
    sample
        .write("tests/test_token.py", "def test_verify_token():\n    assert verify_token('ok')\n");
    let shown = |arguments: &[&str]| {
        let ran = sample.run(&[&["search", "verify_token"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    let auto = shown(&[]);
    assert!(auto.lines().next().unwrap().ends_with("(tests left out)"), "{auto}");
    assert!(auto.contains("auth/token.py") && !auto.contains("tests/"), "{auto}");
    assert!(shown(&["--tests", "include"]).contains("tests/test_token.py"));
    let only = shown(&["--tests", "only"]);
    assert!(only.contains("tests/test_token.py") && !only.contains("auth/token.py"), "{only}");
    assert_eq!(shown(&["--tests", "only", "--paths-only"]), "tests/test_token.py\n");
    assert_eq!(shown(&["--tests", "only", "--paths-only", "-l1"]), "tests/test_token.py\n");
    let none = sample.run(&["search", "FindOrder", "--tests", "only", "--lang", "go"]);
    assert_eq!((none.code, &*none.stdout), (Some(1), ""), "{none:?}");
    assert_eq!(sample.run(&["search", "x", "--tests", "never"]).code, Some(2));
}

#[test]
fn an_answer_shows_the_current_files() {
    let sample = Sample::indexed();
    assert!(
        !paths(&sample, &["exponential backoff", "--mode", "keyword"])
            .contains(&"src/retry.rs".into())
    );
    sample.write("src/retry.rs", "/// Waits with exponential backoff.\npub fn wait() {}\n");
    assert_eq!(paths(&sample, &["exponential backoff", "--mode", "keyword"]), ["src/retry.rs"]);
    sample.write("src/retry.rs", "/// Waits a fixed time.\npub fn pause() {}\n");
    assert!(paths(&sample, &["exponential backoff", "--mode", "keyword"]).is_empty());
    assert_eq!(paths(&sample, &["pause", "-l", "1"]), ["src/retry.rs"]);
    std::fs::remove_file(sample.root().join("src/retry.rs")).unwrap();
    assert!(!paths(&sample, &["pause"]).contains(&"src/retry.rs".into()));
}

#[test]
fn filters_narrow_the_search() {
    let sample = Sample::indexed();
    let only = |arguments: &[&str]| paths(&sample, &[&["order token request"], arguments].concat());
    assert_eq!(only(&["--lang", "py"]), ["auth/token.py"]);
    assert_eq!(
        only(&["--lang", "golang,rs", "--kind", "method", "--path", "store/**"]),
        ["store/order.go"]
    );
    assert_eq!(only(&["--name", "verify*"]), ["auth/token.py"]);
    assert_eq!(only(&["--path", "src"]), ["src/limit.rs"]);
    assert_eq!(only(&["--package", "store"]), ["store/order.go"]);
    assert_eq!(only(&["--tag", "guide"]), ["README.md"]);
    assert_eq!(only(&["--chunk-kind", "prose"]), ["README.md"]);
    assert!(only(&["--min-score", "1.0", "--lang", "py", "--path", "src"]).is_empty());
}

#[test]
fn context_lines_are_shown_on_request() {
    let sample = Sample::indexed();
    let hit = |arguments: &[&str]| {
        let search = ["search", "allow", "--limit", "1", "--path", "src", "--kind", "struct"];
        let answer = sample.json(&[&search, arguments].concat());
        answer["results"][0].clone()
    };
    let lines = |hit: &Value, field: &str| hit[field].as_str().unwrap().lines().count();
    let plain = hit(&[]);
    assert_eq!(
        (lines(&plain, "context_before"), lines(&plain, "context_after")),
        (0, 0),
        "{plain}"
    );
    let both = hit(&["-C", "2"]);
    assert!(lines(&both, "context_before") <= 2 && lines(&both, "context_after") == 2, "{both}");
    let after = hit(&["-A", "2"]);
    assert_eq!(
        (lines(&after, "context_before"), lines(&after, "context_after")),
        (0, 2),
        "{after}"
    );
    let search = ["search", "allow", "-l1", "--path", "src", "--kind", "method"];
    let shown = |arguments: &[&str]| {
        let ran = sample.run(&[&search, arguments].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        numbers(&ran.stdout)
    };
    assert_eq!(shown(&[]), (9..=16).collect::<Vec<u32>>());
    assert_eq!(shown(&["-C2"]), (7..=17).collect::<Vec<u32>>(), "the file ends at line 17");
    assert_eq!(shown(&["-B3"]), (6..=16).collect::<Vec<u32>>());
}

#[test]
fn long_definitions_are_cut_to_the_lines_that_matter() {
    let sample = Sample::new();
    let body: String = (0..600).map(|n| format!("    total += {n}\n")).collect();
    sample.write("long.py", &format!("def summation(total):\n{body}    return total\n"));
    let search = ["search", "summation", "--path", "long.py"];
    let lines =
        |arguments: &[&str]| numbers(&sample.run(&[&search[..], arguments].concat()).stdout).len();
    let (small, default) = (lines(&["--max-tokens", "300"]), lines(&[]));
    assert!(small > 0 && small < default && default < 602, "{small} {default}");
    assert_eq!(lines(&["--full"]), 602);
    let cut = sample.run(&search).stdout;
    assert!(cut.contains("\nfunction summation 1-602, shown 1-"), "{cut}");
    sample.write("short.py", "def short():\n    a = 1\n    b = 2\n    return summation(a + b)\n");
    let smart = ["search", "summation(a + b)", "--path", "short.py", "--max-tokens", "200"];
    let smart = sample.run(&[&smart[..], &["--context", "smart"]].concat()).stdout;
    assert_eq!(numbers(&smart), [1, 2, 3, 4], "{smart}");
}

#[test]
fn json_has_every_documented_field() {
    let sample = Sample::indexed();
    let answer = sample.json(&["search", "verify_token", "-l", "1", "--mode", "keyword"]);
    assert_eq!(answer["results"][0]["match_type"], "keyword");
    let mut answer = answer;
    answer["results"][0]["tags"] = Value::Null;
    expect![[r#"
        {
          "query": "verify_token",
          "project": "[ROOT]",
          "mode": "keyword",
          "intent": "name",
          "generation": null,
          "cached": false,
          "took_ms": null,
          "candidates": null,
          "notes": [],
          "suggestions": [],
          "results": [
            {
              "path": "auth/token.py",
              "start_line": 1,
              "end_line": 6,
              "kind": "code",
              "language": "python",
              "package": null,
              "title": "",
              "tags": null,
              "score": null,
              "keyword_score": null,
              "vector_score": null,
              "match_type": "keyword",
              "symbol": {
                "name": "verify_token",
                "kind": "function",
                "qualified": "auth.token.verify_token",
                "signature": "def verify_token(token)",
                "doc": "Verify the signature of a token.",
                "visibility": "public",
                "start_line": 4,
                "end_line": 6
              },
              "content": "\"\"\"Tokens.\"\"\"\n\n\ndef verify_token(token):\n    \"\"\"Verify the signature of a token.\"\"\"\n    return token.startswith(\"ok\")",
              "context_before": "",
              "context_after": "",
              "signals": []
            }
          ],
          "confidence": "strong",
          "absent": [],
          "snippets": [
            {
              "path": "auth/token.py",
              "snippets": [
                {
                  "start_line": 4,
                  "end_line": 6,
                  "kind": "function",
                  "name": "verify_token",
                  "signature": "def verify_token(token)",
                  "excerpts": [
                    {
                      "start_line": 4,
                      "end_line": 6,
                      "text": "def verify_token(token):\n    \"\"\"Verify the signature of a token.\"\"\"\n    return token.startswith(\"ok\")"
                    }
                  ]
                }
              ],
              "also": []
            }
          ]
        }"#]]
    .assert_eq(&pretty(&sample, answer));
}

#[test]
fn explain_shows_plan_stages_and_signals() {
    let sample = Sample::indexed();
    let ran = sample.run(&["search", "verify_token", "-l", "1", "--explain"]);
    for part in [
        "Plan\n  intent   name (",
        "  names    verify_token\n",
        "Stages\n  literal ",
        "\n  keyword ",
        "\nResults\n  auth/token.py:1-6  function auth.token.verify_token  ",
        "\n       signals: ",
        "\n4:def verify_token(token):\n",
    ] {
        assert!(ran.stdout.contains(part), "{part} in {}", ran.stdout);
    }
    let answer = sample.json(&["search", "verify_token", "-l", "1", "--explain"]);
    let stages: Vec<&str> = answer["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        stages,
        ["literal", "keyword", "vector", "symbol", "score", "fusion", "rerank", "present"]
    );
    assert_eq!(answer["plan"]["names"][0], "verify_token");
    assert!(!answer["results"][0]["signals"].as_array().unwrap().is_empty());
    assert_eq!(answer["stages"][3]["best"][0]["place"], "auth/token.py:1-6");
}

#[test]
fn an_empty_result_has_suggestions() {
    let sample = Sample::indexed();
    let ran = sample.run(&["search", "zzqqy", "--mode", "keyword", "--lang", "python"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    expect![[r#"
        nothing found
          drop a filter: --lang
          try --mode hybrid, which uses all retrievers
          `groma status --skipped` lists skipped files
    "#]]
    .assert_eq(&ran.stderr);
    let answer = sample.json(&["search", "zzqqy", "--mode", "keyword"]);
    assert_eq!(answer["suggestions"][0], "try --mode hybrid, which uses all retrievers");
    assert_eq!(sample.run(&["search", "zzqqy", "--mode", "keyword", "--quiet"]).stderr, "");
}

#[test]
fn an_answer_without_embeddings_has_a_note() {
    let sample = Sample::indexed();
    let answer = sample.json(&["search", "verify_token", "--no-embeddings"]);
    assert_eq!(answer["notes"][0], "embeddings are off: answered by keywords and symbols");
    assert_eq!(sample.json(&["index"])["parsed"], 0, "the index keeps its vectors");
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    let answer = sample.json(&["search", "verify_token"]);
    assert_eq!(answer["notes"][0], "embeddings are off: answered by keywords and symbols");
    assert_eq!(answer["results"][0]["path"], "auth/token.py");
}

#[test]
fn settings_are_the_defaults_of_a_search() {
    let sample = Sample::new();
    sample.write(".groma.toml", "[search]\nlimit = 1\nmode = \"keyword\"\ncontext = 1\n");
    let answer = sample.json(&["search", "order"]);
    assert_eq!(
        (answer["mode"].as_str(), answer["results"].as_array().unwrap().len()),
        (Some("keyword"), 1)
    );
    let answer = sample.json(&["search", "order", "--mode", "hybrid", "--limit", "3"]);
    assert_eq!(
        (answer["mode"].as_str(), answer["results"].as_array().unwrap().len()),
        (Some("hybrid"), 3)
    );
}

#[test]
fn colours_are_used_on_request() {
    let sample = Sample::indexed();
    assert!(!sample.run(&["search", "verify_token"]).stdout.contains('\x1b'));
    let colored = sample.run(&["search", "verify_token", "-l", "1", "--color", "always"]).stdout;
    assert!(colored.contains("\n\x1b[35mauth/token.py\x1b[0m\n"), "{colored}");
    assert!(colored.contains("\n\x1b[32m4:\x1b[0m\x1b[34mdef\x1b[0m "), "{colored}");
    assert!(colored.contains("\x1b[1;33mverify\x1b[0m_\x1b[1;33mtoken\x1b[0m"), "{colored}");
}

#[test]
fn the_project_is_located_from_any_folder() {
    let sample = Sample::new();
    std::fs::create_dir(sample.root().join(".git")).unwrap();
    let project = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["project"].as_str().unwrap().to_string()
    };
    let root = sample.root().to_string_lossy().into_owned();
    let below = sample.root().join("src");
    let search = ["search", "allow", "--json"];
    assert_eq!(project(&mut sample.command_in(&below, &search)), root, "the repository around");
    let exact = below.to_string_lossy().into_owned();
    assert_eq!(project(&mut sample.command(&["search", "allow", "src", "--json"])), exact);
    assert_eq!(
        project(&mut sample.command(&["-P", "src", "search", "allow", "auth", "--json"])),
        exact
    );
    assert_eq!(project(sample.command(&search).env("GROMA_PROJECT", &below)), exact);
    let outside = sample.home();
    assert_eq!(
        project(&mut sample.command_in(&outside, &["search", "allow", "../sample", "--json"])),
        root
    );
}
