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
fn a_search_needs_no_index() {
    let sample = Sample::new();
    let ran = sample.run(&["search", "verify_token", "--limit", "1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (heading, code) = ran.stdout.split_once('\n').unwrap();
    let (heading, score) = heading.rsplit_once("  ").unwrap();
    assert!(score.parse::<f32>().is_ok_and(|score| score > 0.0 && score <= 1.0));
    assert!(
        heading.starts_with("auth/token.py:1-6  function ") && heading.ends_with("verify_token"),
        "{heading}"
    );
    expect![[r#"
        auth/token.py:1-6
            1: """Tokens."""
            2:
            3:
            4: def verify_token(token):
            5:     """Verify the signature of a token."""
            6:     return token.startswith("ok")
    "#]]
    .assert_eq(&format!("{}\n{code}", heading.split("  ").next().unwrap()));
    assert_eq!(ran.stderr, "");
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
    let shown =
        sample.run(&["search", "allow", "-l1", "--path", "src", "--kind", "struct", "-C2"]).stdout;
    let numbered: Vec<&str> = shown
        .lines()
        .skip(1)
        .map(|line| line.split(' ').find(|w| !w.is_empty()).unwrap())
        .collect();
    assert_eq!(numbered, ["1-", "2-", "3:", "4:", "5:", "6:", "7-", "8-"], "{shown}");
    assert_eq!(sample.run(&["search", "allow", "--context", "smart"]).code, Some(0));
}

#[test]
fn long_hits_are_truncated_without_full() {
    let sample = Sample::new();
    let body: String = (0..20).map(|n| format!("    total += {n}\n")).collect();
    sample.write("long.py", &format!("def summation(total):\n{body}    return total\n"));
    let search = ["search", "summation", "-l", "1", "--path", "long.py"];
    let cut = sample.run(&search).stdout;
    assert_eq!(cut.lines().count(), 14, "{cut}");
    assert!(cut.ends_with("... 10 more lines (--full shows all)\n"), "{cut}");
    let full = sample.run(&[&search[..], &["--full"]].concat()).stdout;
    assert_eq!(full.lines().count(), 23, "{full}");
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
        "Stages\n  keyword ",
        "\n       signals: ",
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
    assert_eq!(stages, ["keyword", "vector", "symbol", "fusion", "rerank", "present"]);
    assert_eq!(answer["plan"]["names"][0], "verify_token");
    assert!(!answer["results"][0]["signals"].as_array().unwrap().is_empty());
    assert_eq!(answer["stages"][2]["best"][0]["place"], "auth/token.py:1-6");
}

#[test]
fn an_empty_result_has_suggestions() {
    let sample = Sample::indexed();
    let ran = sample.run(&["search", "verfiy_tokn", "--mode", "keyword", "--lang", "python"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    expect![[r#"
        nothing found
          names like verfiy_tokn: verify_token
          drop a filter: --lang
          try --mode hybrid, which uses all retrievers
          `groma status --skipped` lists skipped files
    "#]]
    .assert_eq(&ran.stderr);
    let answer = sample.json(&["search", "verfiy_tokn", "--mode", "keyword"]);
    assert_eq!(answer["suggestions"][0], "names like verfiy_tokn: verify_token");
    assert_eq!(sample.run(&["search", "verfiy_tokn", "--mode", "keyword", "--quiet"]).stderr, "");
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
    assert!(colored.contains("\x1b[35mauth/token.py\x1b[0m:1-6"), "{colored}");
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
