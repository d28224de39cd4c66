//! The help of every command, as one text that is reviewed in the diff. `UPDATE_EXPECT=1` refreshes it.

use crate::sample::Sample;
use expect_test::expect_file;

const COMMANDS: &[&[&str]] = &[
    &[],
    &["search"],
    &["symbol"],
    &["impact"],
    &["read"],
    &["grep"],
    &["index"],
    &["sync"],
    &["status"],
    &["stats"],
    &["outline"],
    &["notes"],
    &["notes", "search"],
    &["notes", "add"],
    &["notes", "list"],
    &["notes", "show"],
    &["notes", "edit"],
    &["notes", "supersede"],
    &["notes", "forget"],
    &["notes", "export"],
    &["notes", "import"],
    &["notes", "ingest"],
    &["notes", "hook"],
    &["list"],
    &["clear"],
    &["languages"],
    &["doctor"],
    &["embed"],
    &["init"],
    &["config"],
    &["config", "show"],
    &["config", "path"],
    &["config", "check"],
    &["trust"],
    &["serve-mcp"],
    &["serve"],
    &["as"],
    &["install"],
    &["eval"],
    &["completions"],
    &["man"],
];

#[test]
fn help_is_as_reviewed() {
    let sample = Sample::new();
    let mut text = String::new();
    for command in COMMANDS {
        let ran = sample.run(&[command, &["--help"][..]].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{command:?}");
        text += &format!(
            "$ groma {}\n\n{}\n",
            [command, &["--help"][..]].concat().join(" "),
            ran.stdout
        );
    }
    expect_file!["./help.txt"].assert_eq(&text);
}

#[test]
fn every_command_is_there() {
    let help = Sample::new().run(&["help"]).stdout;
    let listed = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    for name in names.iter().filter(|name| **name != "help") {
        assert!(
            COMMANDS.iter().any(|command| command.first() == Some(name)),
            "{name} has no golden help"
        );
    }
    assert!(Sample::new().run(&["--version"]).stdout.starts_with("groma "));
}
