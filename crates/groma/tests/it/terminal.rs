//! Output on a terminal, which is for a person: colours, blank lines between files, numbers and headings.

use crate::sample::Sample;
use expect_test::{Expect, expect};
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;

/// What a command prints on a terminal.
fn printed(sample: &Sample, arguments: &[&str]) -> String {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let mut options = File::options();
    options.read(true).write(true).custom_flags(OFlags::NOCTTY.bits() as i32);
    let other_end = options.open(std::ffi::OsStr::from_bytes(name.as_bytes())).unwrap();
    let mut command = sample.command(arguments);
    let mut child = command.stdout(other_end).stderr(Stdio::null()).spawn().unwrap();
    drop(command);
    let mut bytes = Vec::new();
    // The end of the program is an error here on Linux, and the end of the file elsewhere.
    let _ = File::from(terminal).read_to_end(&mut bytes);
    assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}");
    String::from_utf8(bytes).unwrap().replace('\r', "").replace('\x1b', "ESC")
}

fn check(sample: &Sample, arguments: &[&str], expected: Expect) {
    expected.assert_eq(&printed(sample, arguments));
}

#[test]
fn grep_groups_lines() {
    let sample = Sample::new();
    check(
        &sample,
        &["grep", "allowed:|startswith", "--color", "never"],
        expect![[r#"
            auth/token.py
            function verify_token 4-6
            6:    return token.startswith("ok")

            src/limit.rs
            5:    allowed: u32,
        "#]],
    );
    let lines = printed(&sample, &["grep", "-w", "allow", "--no-heading", "--color", "never"]);
    assert_eq!(lines, "src/limit.rs:10:    pub fn allow(&mut self) -> bool {\n");
}

#[test]
fn read_numbers_lines() {
    let sample = Sample::new();
    check(
        &sample,
        &["read", "auth/token.py:4-5"],
        expect![[r#"
        ESC[35mauth/token.pyESC[0m 4-5 of 6 lines
        ESC[32m4:ESC[0mESC[34mdefESC[0m verify_token(token):
        ESC[32m5:ESC[0m    ESC[32m""ESC[0mESC[32m"Verify the signature of a token."ESC[0mESC[32m""ESC[0m
    "#]],
    );
    sample.write("odd.txt", "a \u{1b}[31m b\n");
    check(
        &sample,
        &["read", "odd.txt", "--color", "never"],
        expect![[r#"
        odd.txt 1 of 1 line
        1:a �[31m b
    "#]],
    );
}

#[test]
fn search_separates_files() {
    let sample = Sample::indexed();
    let search = ["search", "order token request", "--max-tokens", "400"];
    let shown = printed(&sample, &search);
    assert!(shown.contains("\n\nESC[1mOther places:ESC[0m\nESC[35m"), "{shown}");
    let piped = sample.run(&search).stdout;
    assert!(!piped.contains("\n\n") && piped.contains("\nOther places:\n"), "{piped}");
}
