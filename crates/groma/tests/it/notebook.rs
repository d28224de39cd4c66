//! `groma remember`, `groma context` and `groma notebook`: recording, searching, editing, exchanging.

use crate::sample::Sample;
use expect_test::expect;
use serde_json::{Value, json};

fn remember(sample: &Sample, text: &str) -> Value {
    sample.json(&["remember", text])
}

/// The contents of the recorded discoveries.
fn contents(sample: &Sample) -> Vec<String> {
    let listed = sample.json(&["notebook", "list"]);
    let discoveries = listed["discoveries"].as_array().unwrap();
    let mut contents: Vec<String> =
        discoveries.iter().map(|one| one["content"].as_str().unwrap().to_string()).collect();
    // The clock may be set back in between.
    contents.sort();
    contents
}

/// The text with ids and dates replaced.
fn masked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut line = line.to_string();
        if let Some(at) = line.find("discovery-") {
            line.replace_range(at + 10..(at + 26).min(line.len()), "[ID]");
        }
        if line.starts_with("date: ") {
            line = "date: [DATE]".into();
        }
        out.push_str(&line);
        out.push('\n');
    }
    out
}

#[test]
fn what_is_remembered_is_found() {
    let sample = Sample::new();
    let ran = sample.run(&["remember", "We decided to keep orders in memory, there are few"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(masked(&ran.stdout), "remembered: decision discovery-[ID]\n");
    let ran = sample.run(&["remember", "we decided to keep orders in memory: there are few"]);
    assert!(ran.stdout.starts_with("already known: decision"), "{ran:?}");
    let ran = sample.run(&["context", "why are orders kept in memory", "--limit", "1"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("decision  "), "{ran:?}");
    assert!(ran.stdout.contains("We decided to keep orders in memory, there are few"), "{ran:?}");
    assert!(ran.stdout.contains("remembered, just now"), "{ran:?}");
}

/// Opposites, other numbers and other names were once dropped as known.
#[test]
fn what_is_similar_is_kept_and_named() {
    let sample = Sample::new();
    for (first, second) in [
        ("We must not use tabs in this project", "We must use tabs in this project"),
        ("the server listens on port 8080 here", "the server listens on port 9090 here"),
        ("deploys come from branch release-1 always", "deploys come from branch release-2 always"),
    ] {
        let known = remember(&sample, first)["id"].clone();
        let ran = sample.run(&["notes", "add", second]);
        assert!(ran.stdout.starts_with("remembered: "), "{ran:?}");
        assert!(ran.stderr.contains("note: similar to discovery-"), "{ran:?}");
        assert!(ran.stderr.contains(first), "{ran:?}");
        assert!(contents(&sample).iter().any(|one| one == second), "{second}");
        let shown = sample.run(&["notes", "show", known.as_str().unwrap()]);
        assert!(shown.stderr.contains(second), "{shown:?}");
    }
}

#[test]
fn typographic_signs_are_remembered() {
    let sample = Sample::new();
    for text in ["Wir nehmen „Modus: strikt“ immer", "cost —x: 12ab", "«clé: valeur»", "✅: always"]
    {
        assert_eq!(remember(&sample, text)["content"], text);
    }
    assert_eq!(contents(&sample).len(), 4);
}

#[test]
fn one_family_of_commands_and_its_former_names() {
    let sample = Sample::new();
    assert_eq!(sample.run(&["notes", "add", "RULE: never log a token"]).code, Some(0));
    assert_eq!(sample.json(&["notes", "list"]), sample.json(&["notebook", "list"]));
    let found = |arguments: &[&str]| {
        sample.json(arguments)["results"][0]["content"].as_str().unwrap().to_string()
    };
    let question = "may tokens be logged";
    assert_eq!(found(&["notes", "search", question]), found(&["context", question]));
    let listed = sample.run(&["notes", "list"]);
    assert!(listed.stdout.trim_end().ends_with("remembered, just now"), "{listed:?}");
}

#[test]
fn the_doctor_verifies_and_restores_notes() {
    let sample = Sample::new();
    remember(&sample, "never log a token");
    let doctor = |arguments: &[&str]| sample.run(&[&["doctor"], arguments].concat());
    let fine = doctor(&[]);
    assert!(fine.stdout.contains("1 note verified, 1 change in the history"), "{fine:?}");
    let path = sample.data().join("notebook.db");
    for name in ["notebook.db-wal", "notebook.db-shm"] {
        let _ = std::fs::remove_file(sample.data().join(name));
    }
    std::fs::write(&path, "").unwrap();
    let ran = sample.run(&["notes", "list"]);
    assert!(ran.code == Some(5) && ran.stderr.contains("it is empty"), "{ran:?}");
    let wrong = doctor(&[]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stdout.contains("groma doctor --restore"), "{wrong:?}");
    let restored = doctor(&["--restore"]);
    assert!(restored.stdout.contains("1 restored"), "{restored:?}");
    assert_eq!(contents(&sample), ["never log a token"]);
}

#[test]
fn types_and_modules_are_given_or_derived() {
    let sample = Sample::new();
    assert_eq!(remember(&sample, "RULE: close what you open")["type"], "rule");
    assert_eq!(remember(&sample, "in the auth module tokens rotate daily")["module"], "auth");
    let given = sample.json(&["remember", "Tokens rotate at noon", "-t", "issue", "-m", "clock"]);
    assert_eq!((&given["type"], &given["module"]), (&json!("issue"), &json!("clock")));
    let ran = sample.run(&["remember", "x y z", "--type", "rumour"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = sample.run(&["remember", " "]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    assert!(ran.stderr.contains("is empty; say what to remember"), "{ran:?}");
}

#[test]
fn secrets_are_redacted_with_a_note() {
    let sample = Sample::new();
    let ran = sample.run(&["remember", "the login is password: hunter2!x for tests"]);
    assert!(ran.stderr.contains("text that looked like a secret was redacted"), "{ran:?}");
    assert_eq!(contents(&sample), ["the login is password: [REDACTED] for tests"]);
}

#[test]
fn context_filters_and_reports_empty_results() {
    let sample = Sample::new();
    sample
        .write("src/limit.rs", "// RULE: limits are per client, never global\npub fn allow() {}\n");
    let answer = sample.json(&["context", "limits per client", "--type", "rule"]);
    assert_eq!(answer["results"][0]["places"], json!(["comment src/limit.rs:1"]));
    assert_eq!(answer["results"][0]["source"], "discovery");
    let answer = sample.json(&["context", "rate limit", "--type", "code"]);
    assert_eq!(answer["results"][0]["file"], "src/limit.rs");
    let ran = sample.run(&["context", "zebra crossings", "--type", "decision"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stderr.contains("nothing found"), "{ran:?}");
    assert_eq!(sample.run(&["context", "x y", "--type", "rumour"]).code, Some(2));
    assert_eq!(sample.run(&["context", "x y", "--limit", "0"]).code, Some(2));
}

#[test]
fn discoveries_are_listed_edited_and_deleted() {
    let sample = Sample::new();
    let id = remember(&sample, "Use tabs in makefiles only")["id"].as_str().unwrap().to_string();
    remember(&sample, "RULE: never log tokens");
    assert_eq!(contents(&sample), ["Use tabs in makefiles only", "never log tokens"]);
    let rules = sample.json(&["notebook", "list", "--type", "rule"]);
    assert_eq!(rules["discoveries"].as_array().unwrap().len(), 1);
    assert!(
        sample.json(&["notebook", "list", "--module", "x"])["discoveries"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    let short = &id["discovery-".len()..][..8];
    let changed = sample.json(&[
        "notebook",
        "edit",
        short,
        "--text",
        "Use spaces",
        "-t",
        "rule",
        "-m",
        "style",
    ]);
    assert_eq!(
        (&changed["content"], &changed["type"], &changed["module"]),
        (&json!("Use spaces"), &json!("rule"), &json!("style"))
    );
    assert_eq!(sample.json(&["notebook", "show", &id]), changed);
    let shown = sample.run(&["notebook", "show", &id]).stdout;
    assert!(shown.contains("  module   style\n") && shown.ends_with("  Use spaces\n"), "{shown}");
    assert_eq!(sample.run(&["notebook", "forget", &id]).code, Some(0));
    assert_eq!(contents(&sample), ["never log tokens"]);
    for action in ["show", "forget", "edit"] {
        let ran = sample.run(&["notebook", action, &id]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.contains("no discovery has the id"), "{ran:?}");
    }
    let ran = sample.run(&["notebook", "forget", "discovery-"]);
    assert_eq!(ran.code, Some(0), "the only one is meant: {ran:?}");
}

#[test]
fn derived_discoveries_can_be_listed() {
    let sample = Sample::new();
    sample.write("CLAUDE.md", "# Rules\n\n- Never push to the main branch\n");
    let ran = sample.run(&["notebook", "list"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
    let ran = sample.run(&["notebook", "list", "--all"]);
    assert_eq!(
        masked(&ran.stdout),
        "discovery-[ID]  rule: Never push to the main branch  document CLAUDE.md:3\n"
    );
}

#[test]
fn an_export_is_readable_and_can_be_imported() {
    let sample = Sample::new();
    remember(&sample, "DECISION: PostgreSQL,\nnot MySQL, in the db module");
    remember(&sample, "RULE: never log tokens");
    let ran = sample.run(&["notebook", "export"]);
    let mut sections: Vec<&str> = ran.stdout.split("\n## ").collect();
    sections[1..].sort();
    expect![[r#"
        # Notebook

        Recorded discoveries of this project; `groma notes import` imports them.

        ## decision: discovery-[ID]

        date: [DATE]
        module: db
        from: remembered

        PostgreSQL,
        not MySQL, in the db module

        ## rule: discovery-[ID]

        date: [DATE]
        from: remembered

        never log tokens
    "#]]
    .assert_eq(&masked(&sections.join("\n## ")));
    let file = sample.root().join("notebook.md");
    let file = file.to_str().unwrap();
    assert_eq!(sample.run(&["notebook", "export", file]).code, Some(0));
    let other = Sample::new();
    let import = |sample: &Sample| sample.json(&["notebook", "import", file]);
    assert_eq!(import(&other), json!({ "added": 2, "merged": 0, "unchanged": 0 }));
    assert_eq!(import(&other), json!({ "added": 0, "merged": 0, "unchanged": 2 }));
    assert_eq!(other.run(&["notebook", "export"]).stdout, ran.stdout);
}

#[test]
fn an_invalid_import_changes_nothing() {
    let sample = Sample::new();
    sample.write("bad.md", "## rule\n\nOne thing that is right\n\n## rumour\n\nAnother\n");
    let ran = sample.run(&["notebook", "import", "bad.md"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("line 5: `rumour` is none of"), "{ran:?}");
    assert!(contents(&sample).is_empty());
    assert_eq!(sample.run(&["notebook", "import", "missing.md"]).code, Some(3));
}

/// The id of a discovery.
fn id(discovery: &Value) -> String {
    discovery["id"].as_str().unwrap().to_string()
}

#[test]
fn outdated_discoveries_are_superseded() {
    let sample = Sample::new();
    sample.write(
        "src/limit.rs",
        "// DECISION: the access tokens of a client live for thirty minutes\npub fn allow() {}\n",
    );
    let first = |sample: &Sample| {
        let answer = sample.json(&["context", "how long do tokens live", "-t", "decision"]);
        let found = answer["results"].as_array().unwrap();
        found.iter().map(|one| one["content"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    let old = "the access tokens of a client live for thirty minutes";
    let new = "the access tokens of a client live for fifteen minutes";
    assert_eq!(first(&sample), [old]);
    let stated = sample.json(&["notebook", "list", "--all"])["discoveries"][0].clone();
    let taken = sample.json(&["notebook", "supersede", &id(&stated), new]);
    assert_eq!((&taken["content"], &taken["type"]), (&json!(new), &json!("decision")));
    assert_eq!(first(&sample), [new], "what is stated no longer answers either");
    let shown = sample.json(&["notebook", "show", &id(&stated)]);
    assert_eq!(shown["superseded_by"], taken["id"]);
    let listed = sample.run(&["notebook", "list"]).stdout;
    assert!(listed.contains(&format!("decision (superseded): {old}")), "{listed}");
    assert_eq!(sample.run(&["notebook", "forget", &id(&taken)]).code, Some(0));
    assert_eq!(first(&sample), [old], "what it stood in place of holds again");
}

#[test]
fn a_superseded_discovery_is_valid_again_when_recorded_again() {
    let sample = Sample::new();
    let old = remember(&sample, "DECISION: orders are kept in MySQL");
    let new = remember(&sample, "DECISION: PostgreSQL keeps what customers buy");
    let ran = sample.run(&["notebook", "supersede", &id(&old), "--by", &id(&new)]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let answer = sample.json(&["context", "orders kept MySQL", "-t", "discovery"]);
    assert!(!answer["results"].to_string().contains("MySQL"), "{answer}");
    assert_eq!(remember(&sample, "DECISION: orders are kept in MySQL")["id"], old["id"]);
    assert!(sample.json(&["notebook", "show", &id(&old)])["superseded_by"].is_null());
    for arguments in [
        &["notebook", "supersede", &id(&old)][..],
        &["notebook", "supersede", &id(&old), "--by", &id(&old)],
        &["notebook", "supersede", &id(&old), "x y z", "--by", &id(&new)],
    ] {
        assert_eq!(sample.run(arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(sample.run(&["notebook", "supersede", "nothing", "x y z"]).code, Some(3));
}

/// The exported file.
fn exported(sample: &Sample) -> String {
    sample.run(&["notebook", "export"]).stdout
}

fn import(sample: &Sample, text: &str) -> Value {
    sample.write("team.md", text);
    sample.json(&["notebook", "import", "team.md"])
}

#[test]
fn files_of_two_people_are_merged() {
    let (ann, bob) = (Sample::new(), Sample::new());
    let shared = remember(&ann, "RULE: never log tokens");
    let stale = remember(&ann, "DECISION: orders are kept in MySQL");
    import(&bob, &exported(&ann));
    // Both continue independently.
    remember(&ann, "PATTERN: errors carry their causes");
    ann.run(&["notebook", "supersede", &id(&stale), "Orders are kept in PostgreSQL since May"]);
    remember(&bob, "ISSUE: the cache is never emptied");
    bob.run(&["notebook", "edit", &id(&shared), "--text", "never log tokens or passwords"]);
    // Git merges the sections into one file; those that both changed are in it twice.
    let both = exported(&ann) + &exported(&bob);
    for sample in [&ann, &bob] {
        import(sample, &both);
        let again = import(sample, &both);
        assert_eq!((&again["added"], &again["merged"]), (&json!(0), &json!(0)), "{again}");
    }
    assert_eq!(exported(&ann), exported(&bob), "both know the same");
    assert_eq!(
        contents(&ann),
        [
            "Orders are kept in PostgreSQL since May",
            "errors carry their causes",
            "never log tokens or passwords",
            "orders are kept in MySQL",
            "the cache is never emptied",
        ]
    );
    let listed = bob.run(&["notebook", "list"]).stdout;
    assert!(listed.contains("decision (superseded): orders are kept in MySQL"), "{listed}");
    let by_hand =
        exported(&bob).replace("errors carry their causes", "errors carry all their causes");
    import(&bob, &by_hand);
    assert_eq!(exported(&bob), by_hand, "a text that was changed by hand is taken as it is");
}

#[test]
fn modules_are_configurable() {
    let sample = Sample::new();
    sample
        .write("src/limit.rs", "// RULE: limits are per client, never global\npub fn allow() {}\n");
    let module = || sample.json(&["notebook", "list", "--all"])["discoveries"][0]["module"].clone();
    assert_eq!(module(), json!(null));
    sample.write(".groma.toml", "[modules]\nthrottle = [\"src\"]\n");
    assert_eq!(module(), "throttle");
    let of = |name: &str| {
        let found = sample.json(&["context", "requests of a client", "--module", name]);
        found["results"].as_array().unwrap().len()
    };
    assert!(of("throttle") > 0);
    assert_eq!(of("src"), 0);
    sample.write(".groma.toml", "[modules]\nthrottle = \"/etc\"\n");
    let ran = sample.run(&["context", "limits"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("`modules` must be names with folders inside"), "{ran:?}");
}
