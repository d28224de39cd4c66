//! Acknowledged data is never lost: not by a killed process, a full disk or a deleted index.

use crate::sample::Sample;
use std::io::Read;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A rule that shares no word with the others.
fn rule(number: usize) -> String {
    let word = |first: &str| format!("{first}{}", &LETTERS[2 * number..][..2]);
    format!("RULE: {} {} {}", word("alpha"), word("beta"), word("gamma"))
}

/// Two letters for each number.
const LETTERS: &str =
    "abacadaeafagahaiajakalamanaoapaqarasatauavawaxayazbabcbdbebfbgbhbibjbkblbmbnbobpbqbrbsbt";

/// The numbers of the listed rules.
fn listed(sample: &Sample) -> Vec<usize> {
    let listed = sample.json(&["notebook", "list"]);
    let contents = listed["discoveries"].as_array().unwrap().iter();
    let mut numbers: Vec<usize> = contents
        .map(|one| {
            let content = one["content"].as_str().unwrap();
            let number = (0..LETTERS.len() / 2).find(|number| rule(*number).ends_with(content));
            number.unwrap_or_else(|| panic!("{content}"))
        })
        .collect();
    numbers.sort_unstable();
    numbers
}

fn remembering(sample: &Sample, number: usize) -> Child {
    let mut command = sample.command(&["remember", &rule(number)]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a process; returns whether it had acknowledged its rule.
fn killed(mut child: Child) -> bool {
    let _ = child.kill();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    said.contains("remembered: rule")
}

#[test]
fn a_killed_process_loses_nothing_it_acknowledged() {
    let sample = Sample::new();
    let mut kept = Vec::new();
    for number in 0..40 {
        let mut child = remembering(&sample, number);
        let acknowledged = if number % 2 == 0 {
            // At any moment.
            std::thread::sleep(Duration::from_millis(number as u64 * 2));
            killed(child)
        } else {
            // As soon as it has acknowledged.
            let mut first = [0];
            let spoke = child.stdout.as_mut().unwrap().read(&mut first).unwrap() == 1;
            killed(child);
            spoke
        };
        kept.extend(acknowledged.then_some(number));
    }
    let listed = listed(&sample);
    let lost: Vec<&usize> = kept.iter().filter(|number| !listed.contains(number)).collect();
    assert!(lost.is_empty(), "{lost:?} of {kept:?} were lost; there is {listed:?}");
    assert!(kept.len() >= 20, "who has spoken has acknowledged: {kept:?}");
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let sample = Sample::new();
    let mut kept = Vec::new();
    let mut refused = 0;
    for number in 0..30 {
        // A limit on file size simulates a full disk; the limit is in blocks of 512 or 1024 bytes.
        let blocks = 20 + 8 * number;
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let plain = sample.command(&["remember", &rule(number)]);
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(script).arg(plain.get_program()).args(plain.get_args());
        command.current_dir(sample.root()).env("GROMA_HOME", sample.home());
        let ran = sample.ran(command.output().unwrap());
        match ran.code {
            Some(0) => kept.push(number),
            Some(5) => {
                refused += 1;
                assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{ran:?}");
            }
            _ => panic!("{ran:?}"),
        }
        let listed = listed(&sample);
        assert!(kept.iter().all(|number| listed.contains(number)), "{kept:?}, {listed:?}");
    }
    assert!(refused > 0, "the disk was never full");
    assert!(!kept.is_empty(), "the disk was always full");
    assert_eq!(sample.run(&["remember", &rule(40)]).code, Some(0), "there is room again");
    assert!(listed(&sample).contains(&40));
}

#[test]
fn the_notebook_outlives_every_index() {
    let sample = Sample::indexed();
    sample.run(&["remember", &rule(1)]);
    sample.write("s.md", &format!("{}\n", rule(2)));
    sample.run(&["ingest", "s.md"]);
    for arguments in
        [&["index", "--force"][..], &["clear", "--yes"], &["index"], &["clear", "--yes"]]
    {
        let ran = sample.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        assert_eq!(listed(&sample), [1, 2], "{arguments:?}");
    }
}
