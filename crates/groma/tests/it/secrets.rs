//! Secrets in a project: files that hold them are not indexed, and single ones are in no answer of any command.

use crate::sample::Sample;
use groma_testkit::{git, git_commit, git_init};

/// Joined here, so that no scanner takes this file for a leak.
fn token() -> String {
    ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

/// A project with a token in its code, and with files that hold secrets.
fn project() -> Sample {
    let code = format!("pub fn push_release() {{\n    let release_key = \"{}\";\n}}\n", token());
    let settings = "{ \"ConnectionStrings\": { \"Main\": \"Server=db;Password=Str0ngPw9;\" } }\n";
    let harmless = "{ \"Logging\": { \"LogLevel\": \"Warning\" } }\n";
    Sample::with(&[
        ("src/release.rs", &code),
        ("terraform.tfvars", "admin_login = \"maja\"\n"),
        ("wp-config.php", "<?php define('DB_PASSWORD', 'Str0ngPw9');\n"),
        (".kube/config", "token: Str0ngPw9xYz\n"),
        ("deploy/kube/config", "token: Str0ngPw9xYz\n"),
        (".docker/config.json", "{ \"auths\": {} }\n"),
        ("appsettings.json", settings),
        ("other/appsettings.json", harmless),
    ])
}

#[test]
fn no_answer_contains_a_secret() {
    let sample = project();
    for arguments in [
        &["search", "push_release", "--json"][..],
        &["search", &token()],
        &["symbol", "push_release"],
        &["grep", "release_key"],
        &["grep", "release_key", "--json"],
        &["read", "src/release.rs"],
        &["read", "push_release"],
        &["outline", "src/release.rs"],
    ] {
        let ran = sample.run(arguments);
        let answer = ran.stdout.replace(&format!("\"query\": \"{}\"", token()), "");
        assert!(!answer.contains(&token()[4..]), "{arguments:?} {answer}");
    }
    let shown = sample.run(&["read", "src/release.rs"]);
    assert!(shown.stdout.contains("let release_key = \"[REDACTED"), "{shown:?}");
    let said = format!("{}{}", shown.stdout, shown.stderr);
    assert!(said.contains("1 secret of this file is withheld"), "{shown:?}");
}

#[test]
fn not_even_a_match_inside_a_secret_is_told() {
    let sample = project();
    let ran = sample.run(&["grep", "ghp_16C7"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    let ran = sample.run(&["grep", "release_key"]);
    assert!(ran.stdout.contains("[REDACTED"), "{ran:?}");
}

#[test]
fn files_that_hold_secrets_are_skipped_with_the_reason() {
    let sample = project();
    assert_eq!(sample.run(&["index"]).code, Some(0));
    let listed = sample.run(&["index", "--dry-run", "--json"]).stdout;
    for path in ["terraform.tfvars", "wp-config.php", "deploy/kube/config"] {
        assert!(listed.contains(path), "{listed}");
        let ran = sample.run(&["read", path]);
        assert_ne!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stdout.contains("Str0ngPw9"), "{ran:?}");
    }
    for path in [".kube/config", ".docker/config.json", "appsettings.json"] {
        assert_ne!(sample.run(&["read", path]).code, Some(0), "{path}");
    }
    assert_eq!(sample.run(&["read", "other/appsettings.json"]).code, Some(0));
    let found = sample.run(&["grep", "Str0ngPw9"]);
    assert_eq!((found.code, found.stdout.as_str()), (Some(1), ""), "{found:?}");
}

#[test]
fn commits_are_read_without_secrets() {
    let sample = project();
    let root = sample.root();
    git_init(&root);
    git(&root, &["tag", "v1"]);
    sample.write("src/release.rs", "pub fn push_release() {}\n");
    git_commit(&root);
    for arguments in [
        &["read", "src/release.rs", "--ref", "v1"][..],
        &["grep", "release_key", "--ref", "v1"],
        &["search", "push_release", "--ref", "v1"],
    ] {
        let ran = sample.run(arguments);
        assert!(!ran.stdout.contains(&token()[4..]), "{arguments:?} {ran:?}");
    }
    let ran = sample.run(&["read", "src/release.rs", "--ref", "v1"]);
    assert!(ran.stdout.contains("[REDACTED"), "{ran:?}");
}

/// A repository's own settings cannot have its users' secrets indexed; the user can, by trusting them.
#[test]
fn settings_include_no_secret_unless_they_are_trusted() {
    let sample = Sample::with(&[
        (".groma.toml", "[index]\nhidden = true\ninclude = [\".env\", \"id_rsa\"]\n"),
        (".env", "NAME=hidden_in_the_environment\n"),
        ("id_rsa", "hidden_in_the_environment\n"),
        ("a.py", "def visible(): pass\n"),
    ]);
    for command in ["search", "grep"] {
        let ran = sample.run(&[command, "hidden_in_the_environment"]);
        assert!(!ran.stdout.contains("NAME=hidden") && !ran.stdout.contains("id_rsa:1"), "{ran:?}");
    }
    assert_eq!(sample.run(&["trust"]).code, Some(0));
    let ran = sample.run(&["grep", "hidden_in_the_environment"]);
    assert!(ran.stdout.contains(".env"), "{ran:?}");
}
