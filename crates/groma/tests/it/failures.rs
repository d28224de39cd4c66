//! Errors: messages, next steps and exit codes.

use crate::sample::{Ran, Sample};
use expect_test::{Expect, expect};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

fn check(ran: &Ran, code: i32, expected: Expect) {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    expected.assert_eq(&ran.stderr);
}

/// Holds the writer's lock, as another process would.
fn lock(sample: &Sample) -> File {
    let file = File::options().write(true).open(sample.data().join("writer.lock")).unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn wrong_arguments_are_usage() {
    let sample = Sample::new();
    assert_eq!(sample.run(&["serach", "x"]).code, Some(2));
    assert_eq!(sample.run(&[]).code, Some(2));
    check(
        &sample.run(&["search", " "]),
        2,
        expect![[r#"
        error: query: is empty; say what to look for
    "#]],
    );
    check(
        &sample.run(&["search", "x", "--limit", "0"]),
        2,
        expect![[r#"
        error: limit: must be 1 to 1000
    "#]],
    );
    check(
        &sample.run(&["search", "x", "--path", "a["]),
        2,
        expect![[r#"
        error: --path: path pattern `a[`: unclosed character class; missing ']'
          next: write globs as in a .gitignore
    "#]],
    );
    check(
        &sample.run(&["search", "x", "--lang", "klingon"]),
        2,
        expect![[r#"
            error: invalid value 'klingon' for '--lang <NAME,...>': unknown language; `groma languages` lists them

            For more information, try '--help'.
        "#]],
    );
    check(
        &sample.run(&["search", "x", "--no-embeddings", "--mode", "vector"]),
        2,
        expect![[r#"
            error: --mode vector needs embeddings
              next: omit --no-embeddings, or choose --mode keyword
        "#]],
    );
    check(
        &sample.run(&["search", "--json"]),
        2,
        expect![[r#"
            {"error":{"kind":"usage","message":"the following required arguments were not provided: <QUERY>...","hint":"`groma help` lists the commands and options"}}
        "#]],
    );
    check(
        &sample.run(&["clear"]),
        3,
        expect![[r#"
            error: [ROOT] is not indexed
              next: `groma list` shows the indexed projects
        "#]],
    );
    assert_eq!(sample.run(&["index"]).code, Some(0));
    check(
        &sample.run(&["clear"]),
        2,
        expect![[r#"
            error: clearing needs confirmation, and there is no terminal to ask on
              next: add --yes
        "#]],
    );
}

#[test]
fn a_missing_project_is_not_found() {
    let sample = Sample::new();
    let words = sample.run(&["search", "x", "./no/folder"]).stderr;
    assert!(words.contains("there is no folder ./no/folder"), "{words}");
    check(
        &sample.run(&["status", "nowhere"]),
        3,
        expect![[r#"
        error: cannot open nowhere: No such file or directory (os error 2)
          next: give a folder that exists
    "#]],
    );
    check(
        &sample.run(&["search", "x", "README.md"]),
        2,
        expect![[r#"
        error: README.md is not a folder
          next: give the folder that contains it
    "#]],
    );
    check(
        &sample.run(&["stats"]),
        3,
        expect![[r#"
        error: [ROOT] is not indexed
          next: `groma index` indexes it
    "#]],
    );
    let error: Value = serde_json::from_str(&sample.run(&["stats", "--json"]).stderr).unwrap();
    assert_eq!(error["error"]["kind"], "not_found");
    assert_eq!(error["error"]["hint"], "`groma index` indexes it");
}

#[test]
fn a_home_folder_is_not_indexed_by_accident() {
    let sample = Sample::new();
    let output = sample.command(&["search", "x"]).env("HOME", sample.root()).output().unwrap();
    check(
        &sample.ran(output),
        2,
        expect![[r#"
        error: [ROOT] is not a project; indexing all of it is rarely intended
          next: change to the project's folder, or pass it as an argument; passing this folder works, too
    "#]],
    );
}

#[test]
fn an_error_in_the_settings_is_located() {
    let sample = Sample::new();
    sample.write(".groma.toml", "[search]\nlimt = 3\n");
    check(
        &sample.run(&["search", "x"]),
        2,
        expect![[r#"
            error: [ROOT]/.groma.toml, line 2: unknown key `limt`, expected one of `limit`, `mode`, `context`, `min_score`
              next: correct the file; `groma config check` validates it
        "#]],
    );
    check(
        &sample.run(&["config", "check"]),
        2,
        expect![[r#"
            error: [ROOT]/.groma.toml, line 2: unknown key `limt`, expected one of `limit`, `mode`, `context`, `min_score`
              next: correct the file; `groma config check` validates it
        "#]],
    );
    let doctor = sample.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.contains("problem  project "), "{}", doctor.stdout);
}

#[cfg(unix)]
#[test]
fn an_unreadable_folder_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let sample = Sample::new();
    let folder = sample.root().join("src");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&folder).is_err() {
        check(
            &sample.run(&["search", "x", "src"]),
            3,
            expect![[r#"
            error: cannot read src: Permission denied (os error 13)
              next: check its permissions
        "#]],
        );
        assert!(sample.run(&["index", "--dry-run"]).stdout.contains("unreadable (1)"));
    }
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn an_unwritable_data_directory_is_reported() {
    let sample = Sample::new();
    let file = sample.root().join("README.md");
    let output = sample.command(&["search", "x"]).env("GROMA_HOME", &file).output().unwrap();
    check(
        &sample.ran(output),
        5,
        expect![[r#"
        error: cannot open the index in [ROOT]/README.md/projects/sample-[HASH]: cannot access [ROOT]/README.md/projects/sample-[HASH]/segments: Not a directory (os error 20)
          next: `groma doctor` looks for the cause
    "#]],
    );
    let output = sample.command(&["doctor"]).env("GROMA_HOME", &file).output().unwrap();
    let ran = sample.ran(output);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.contains("set GROMA_HOME to another folder"), "{}", ran.stdout);
}

#[test]
fn a_busy_project_is_reported() {
    let sample = Sample::indexed();
    let _lock = lock(&sample);
    check(
        &sample.run(&["clear", "--yes"]),
        4,
        expect![[r#"
            error: another process is indexing this project
              next: try again when it has finished; `groma doctor` shows the process
        "#]],
    );
    let doctor = sample.run(&["doctor"]);
    assert!(doctor.stdout.contains("is indexing this project"), "{}", doctor.stdout);
    assert_eq!(doctor.code, Some(0), "a busy project is no problem");
}

#[test]
fn a_damaged_index_is_found_and_rebuilt() {
    let sample = Sample::indexed();
    let parts = sample.data().join("segments");
    let part = std::fs::read_dir(&parts).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&part).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&part, bytes).unwrap();
    let doctor = sample.run(&["doctor"]);
    assert_eq!(doctor.code, Some(1), "{doctor:?}");
    assert!(
        doctor.stdout.contains("next: `groma index --force` rebuilds the index"),
        "{}",
        doctor.stdout
    );
    assert_eq!(sample.run(&["index", "--force"]).code, Some(0));
    std::fs::write(sample.data().join("index.db"), b"this is no database, and never was one")
        .unwrap();
    assert_eq!(sample.run(&["doctor"]).code, Some(1));
    assert_eq!(sample.run(&["search", "verify_token"]).code, Some(0));
    assert_eq!(sample.run(&["doctor"]).code, Some(0));
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let sample = Sample::indexed();
    let mut child = sample
        .command(&["languages", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert_eq!((child.wait().unwrap().code(), words.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_indexing_cleanly() {
    let sample = Sample::indexed();
    let held = lock(&sample);
    sample.write("src/more.rs", "pub fn more() {}\n");
    let mut child = sample.command(&["index"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut words = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(words.next().unwrap().unwrap().starts_with("waiting for another process"));
    let signal =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(
        words.next().unwrap().unwrap(),
        "error: stopped before it was done; nothing was changed"
    );
    drop(held);
    assert_eq!(sample.json(&["status"])["generation"], 1);
}
