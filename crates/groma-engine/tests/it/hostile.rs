//! Malformed files and folders: each affects only itself.

use crate::show::{everything, paths};
use groma_core::{ParseStatus, RelPath};
use groma_engine::Cancel;
use groma_syntax::{GrammarHost, HostError, Parsed, parse_by_grammar, set_grammar_host};
use groma_testkit::{Sandbox, Setup};
use std::fs::{self, File};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// A sandbox without vectors, so that only what holds the words is found.
fn plain(text: &str) -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, text)
}

/// What becomes of a file.
enum Fate {
    /// It is found by the word, in a chunk that holds this line.
    Found(&'static str, u32),
    /// It is left out for this reason.
    LeftOut(&'static str),
    /// It is in the index and holds nothing.
    Empty,
}
use Fate::*;

fn utf16(text: &str) -> Vec<u8> {
    [0xfeffu16].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn files() -> Vec<(&'static str, Vec<u8>, Fate)> {
    let deep = "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v/w/x/y/z/deep.rs";
    vec![
        ("binary.rs", b"fn binary_word() {}\0\0".to_vec(), LeftOut("binary")),
        ("huge.rs", b"fn huge_word() {}\n".repeat(60_000), LeftOut("too_large")),
        (
            "min.js",
            [b"var minified_word=1;".repeat(3000), b"\n".to_vec()].concat(),
            LeftOut("minified"),
        ),
        (
            "latin1.py",
            b"def latin_word():\n    return '\xe9t\xe9'\n".to_vec(),
            Found("latin_word", 1),
        ),
        ("utf16.cs", utf16("class Utf16Word {\r\n  int x;\r\n}\r\n"), Found("utf16_word", 1)),
        (
            "utf8bom.go",
            b"\xef\xbb\xbfpackage a\n\nfunc BomWord() {}\n".to_vec(),
            Found("BomWord", 1),
        ),
        ("empty.rs", Vec::new(), Empty),
        ("blank.rs", b"\n\n \n".to_vec(), Empty),
        ("no_end.rs", b"fn no_end_word() {}".to_vec(), Found("no_end_word", 1)),
        ("crlf.rs", b"fn crlf_word() {\r\n}\r\n".to_vec(), Found("crlf_word", 1)),
        ("old_mac.txt", b"mac_word\rmac_more\r".to_vec(), Found("mac_word", 1)),
        (deep, b"fn deep_word() {}\n".to_vec(), Found("deep_word", 1)),
        ("broken.rs", b"fn broken_word( {{{ )) struct impl\n".to_vec(), Found("broken_word", 1)),
        (
            "nested.json",
            ["[\n".repeat(5000), "\"nested_word\"".into()].concat().into(),
            Found("nested_word", 5001),
        ),
        (
            "parens.py",
            ["x = ", &"(".repeat(3000), "parens_word"].concat().into(),
            Found("parens_word", 1),
        ),
        ("no extension", b"some spaced_word here\n".to_vec(), Found("spaced_word", 1)),
        ("\u{202e}odd\u{7f}.txt", b"odd_word\n".to_vec(), Found("odd_word", 1)),
        (
            "combining.txt",
            "combining_word e\u{301}\u{301}\u{301} \u{200d}\n".into(),
            Found("combining_word", 1),
        ),
    ]
}

#[test]
fn unusual_files_are_found_or_skipped_with_a_reason() {
    let sandbox = plain("//- sound.rs\nfn sound_word() {}\n");
    for (path, bytes, _) in files() {
        sandbox.write(path, bytes);
    }
    sandbox.index();
    let status = sandbox.engine().status().unwrap();
    for (path, _, fate) in files() {
        let reason = status
            .skipped
            .iter()
            .find(|skipped| skipped.path == path)
            .map(|one| one.reason.as_str());
        match fate {
            LeftOut(expected) => assert_eq!(reason, Some(expected), "{path}"),
            Empty => assert_eq!(reason, None, "{path}"),
            Found(word, line) => {
                assert_eq!(reason, None, "{path}");
                let answer = sandbox.search(word);
                let hit = answer.hits.iter().find(|hit| hit.path.as_str() == path);
                let hit =
                    hit.unwrap_or_else(|| panic!("{path} is not found: {:?}", paths(&answer)));
                assert!(hit.lines.contains(line), "{path}: {:?}", hit.lines);
                assert!(
                    hit.content.to_lowercase().contains(&word.to_lowercase()[..4]),
                    "{path}: {}",
                    hit.content
                );
            }
        }
    }
    assert_eq!(sandbox.found("sound_word")[0], "sound.rs");
}

#[test]
fn broken_syntax_is_reported_and_the_rest_understood() {
    let sandbox = plain(
        "//- half.rs\nfn sound() {}\n\nfn also() -> u8 { 1 }\n\nfn broken() { let = ; }\n//- whole.rs\nfn whole() {}\n",
    );
    let report = sandbox.index();
    let trouble: Vec<_> =
        report.parse_failures.iter().map(|one| (one.path.as_str(), one.health.status)).collect();
    assert_eq!(trouble, [("half.rs", ParseStatus::Partial)]);
    assert!(!report.parse_failures[0].health.message.is_empty());
    let statistics = sandbox.engine().statistics().unwrap().unwrap();
    assert_eq!(statistics.failures.len(), 1);
    assert_eq!(sandbox.search("sound").hits[0].symbol.as_ref().unwrap().name, "sound");
}

#[test]
fn fifty_thousand_lines_are_one_file_more() {
    let sandbox = plain("");
    let text: String = (0..50_000).map(|line| format!("call({line});\n")).collect();
    sandbox.write("long.js", text + "function last_word() {}\n");
    let hit = &sandbox.search("last_word").hits[0];
    assert!(hit.lines.contains(50_001), "{:?}", hit.lines);
    assert!(hit.lines.count() < 200, "{:?}", hit.lines);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    #[test]
    fn links_cycles_and_pipes_are_passed_over() {
        let sandbox = plain("//- src/sound.rs\nfn sound_word() {}\n");
        let outside = plain("//- secret.rs\nfn foreign() {}\n");
        symlink("..", sandbox.path("src/up")).unwrap();
        symlink("itself", sandbox.path("itself")).unwrap();
        symlink("nowhere", sandbox.path("dangling.rs")).unwrap();
        symlink(outside.root(), sandbox.path("outside")).unwrap();
        symlink(outside.path("secret.rs"), sandbox.path("secret.rs")).unwrap();
        assert!(Command::new("mkfifo").arg(sandbox.path("pipe.rs")).status().unwrap().success());
        let report = sandbox.index();
        assert_eq!(report.files, 1);
        assert_eq!(report.skip_reasons.get("symlink"), Some(&5), "{:?}", report.skip_reasons);
        assert_eq!(report.skip_reasons.get("not_a_file"), Some(&1), "{:?}", report.skip_reasons);
        assert_eq!(sandbox.found("foreign"), [""; 0]);
    }

    #[test]
    fn a_folder_turned_into_a_link_shows_nothing_of_its_target() {
        let sandbox = plain("//- src/a.rs\nfn inside_word() {}\n");
        let outside = plain("//- a.rs\nfn inside_word() {}\n");
        assert_eq!(sandbox.found("inside_word"), ["src/a.rs"]);
        fs::remove_dir_all(sandbox.path("src")).unwrap();
        symlink(outside.root(), sandbox.path("src")).unwrap();
        assert_eq!(sandbox.found("inside_word"), [""; 0]);
    }

    #[test]
    fn what_cannot_be_read_is_left_out_with_a_reason() {
        let sandbox = plain(
            "//- open.rs\nfn open_word() {}\n//- shut/in.rs\nfn shut_word() {}\n//- shut.rs\nfn x() {}\n",
        );
        let chmod = |path: &str, mode| {
            fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        chmod("shut", 0o000);
        chmod("shut.rs", 0o000);
        // The superuser reads everything.
        let refused = fs::read(sandbox.path("shut.rs")).is_err();
        let report = sandbox.index();
        chmod("shut", 0o755);
        assert_eq!(report.files, if refused { 1 } else { 3 });
        assert_eq!(
            report.skip_reasons.get("unreadable"),
            refused.then_some(&2),
            "{:?}",
            report.skip_reasons
        );
    }

    #[test]
    fn a_name_that_is_not_utf8_is_left_out_with_a_reason() {
        use std::os::unix::ffi::OsStrExt;
        let sandbox = plain("//- a.rs\nfn a_word() {}\n");
        let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.rs");
        if fs::write(sandbox.root().join(name), "fn odd() {}\n").is_err() {
            return; // Some file systems know no such names.
        }
        assert_eq!(sandbox.index().skip_reasons.get("not_utf8_name"), Some(&1));
    }
}

#[test]
fn files_that_vanish_during_a_run_leave_nothing() {
    let sandbox = Sandbox::new("");
    for number in 0..150 {
        sandbox
            .write(&format!("src/file{number}.rs"), format!("fn number_{number}() {{ body() }}\n"));
    }
    std::thread::scope(|scope| {
        let remover = scope.spawn(|| {
            for number in (0..150).rev().filter(|number| number % 3 != 0) {
                sandbox.remove(&format!("src/file{number}.rs"));
            }
        });
        while !remover.is_finished() {
            sandbox.index();
        }
    });
    assert_eq!(sandbox.index().files, 50);
    let fresh = sandbox.fresh();
    fresh.index(&(), &Cancel::default()).unwrap();
    let request = groma_engine::SearchRequest {
        limit: 200,
        ..groma_engine::SearchRequest::new("number body")
    };
    let answers = [sandbox.engine(), &fresh]
        .map(|engine| crate::show::exact(&engine.search_indexed(&request).unwrap()));
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_file_that_grows_while_it_is_read_is_shown_as_it_is() {
    let sandbox = plain("//- a.rs\nfn apple() {}\n");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let log = File::options().append(true).create(true).open(sandbox.path("log.rs"));
            let mut log = log.unwrap();
            for line in 0..200 {
                // A line at a time: one that is shown stays as it is.
                log.write_all(format!("fn grown{line}() {{}}\n").as_bytes()).unwrap();
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        while !writer.is_finished() {
            let answer = sandbox.search("grown7");
            crate::show::assert_true(&sandbox, &answer);
        }
    });
    let answer = sandbox.search("grown199");
    assert!(answer.hits[0].content.contains("grown199"), "{answer:?}");
    let fresh = sandbox.fresh();
    fresh.index(&(), &Cancel::default()).unwrap();
    assert_eq!(everything(sandbox.engine()), everything(&fresh));
}

/// A host of grammars that fails for the files of one test and parses all others in this process.
#[derive(Default)]
struct FailingHost {
    is_patient: AtomicBool,
    calls: AtomicUsize,
}

impl GrammarHost for FailingHost {
    fn parse(&self, path: &RelPath, text: &str) -> Result<Parsed, HostError> {
        let is_slow = path.as_str() == "slow_to_parse.py";
        if is_slow || path.as_str() == "crashes_the_grammar.py" {
            self.calls.fetch_add(1, Ordering::Relaxed);
        }
        match path.as_str() {
            "slow_to_parse.py" if !self.is_patient.load(Ordering::Relaxed) => {
                Err(HostError::Interrupted("a limit".into()))
            }
            "crashes_the_grammar.py" => Err(HostError::Crashed("a signal".into())),
            _ => Ok(parse_by_grammar(path, text)),
        }
    }
}

#[test]
fn a_crash_is_remembered_and_a_limit_is_not() {
    static HOST: FailingHost =
        FailingHost { is_patient: AtomicBool::new(false), calls: AtomicUsize::new(0) };
    set_grammar_host(&HOST);
    let calls = || HOST.calls.load(Ordering::Relaxed);
    let sandbox = plain(
        "//- slow_to_parse.py\ndef patience():\n    pass\n//- crashes_the_grammar.py\ndef crash():\n    pass\n",
    );
    let failures = |report: groma_engine::IndexReport| -> Vec<(String, ParseStatus)> {
        let failed = report.parse_failures.into_iter();
        failed.map(|one| (one.path.to_string(), one.health.status)).collect()
    };
    let crashed = ("crashes_the_grammar.py".to_string(), ParseStatus::Crashed);
    let slow = ("slow_to_parse.py".to_string(), ParseStatus::Interrupted);
    assert_eq!(failures(sandbox.index()), [crashed.clone(), slow.clone()]);
    assert_eq!((calls(), sandbox.found("patience").len()), (2, 1), "found by its text");
    assert_eq!(calls(), 2, "a query does not wait for another attempt");
    assert_eq!(failures(sandbox.index()), [slow], "only the limit is tried again");
    assert_eq!(calls(), 3);
    HOST.is_patient.store(true, Ordering::Relaxed);
    assert_eq!(failures(sandbox.index()), []);
    assert_eq!(sandbox.search("patience").hits[0].symbol.as_ref().unwrap().name, "patience");
    assert_eq!(sandbox.index().parsed, 0, "whole now");
    let statistics = sandbox.engine().statistics().unwrap().unwrap();
    assert_eq!(statistics.failures.len(), 1, "{:?}", statistics.failures);
}
