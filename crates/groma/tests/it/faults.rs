//! Full disks, read-only folders, moved projects: no original data is lost, and the next step is shown.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::json;
use std::fs;
use std::process::Command;

/// Reports why a test is skipped on this system.
#[cfg(unix)]
#[expect(clippy::print_stderr, reason = "that is where tests speak")]
fn untested(why: &str) {
    eprintln!("not tested: {why}");
}

/// The result of one run of the program in a script.
struct Step {
    said: String,
    code: i32,
}

/// Runs a script in a mount namespace of its own, where `$H` is the data directory and `run` the program. `None` if
/// the system does not allow that.
#[cfg(target_os = "linux")]
fn apart(sample: &Sample, script: &str) -> Option<Vec<Step>> {
    let groma = sample.command(&[]);
    let head =
        "run() { printf '\\n== %s\\n' \"$*\"; \"$G\" \"$@\" 2>&1; printf '\\nexit %s\\n' $?; }\n";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    command.arg(format!("mount -t tmpfs -o size=4m tmpfs \"$H\" || exit 77\n{head}{script}"));
    groma.get_envs().for_each(|(name, value)| {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    });
    command.env("G", groma.get_program()).env("H", sample.home()).current_dir(sample.root());
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).unwrap();
    if !text.contains("\n== ") {
        untested(&format!("this system makes no mounts for tests ({})", output.status));
        return None;
    }
    let step = |part: &str| {
        let (said, code) = part.rsplit_once("\nexit ").unwrap_or_else(|| panic!("{text}"));
        Step { said: said.to_string(), code: code.trim().parse().unwrap() }
    };
    Some(text.split("\n== ").skip(1).map(step).collect())
}

#[cfg(target_os = "linux")]
impl Step {
    fn check(&self, code: i32, says: &[&str]) {
        assert_eq!(self.code, code, "{}", self.said);
        says.iter().for_each(|words| assert!(self.said.contains(words), "{words}: {}", self.said));
    }
}

#[cfg(target_os = "linux")]
const TOLD: &str = "We decided to keep tokens in cookies";

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_only_new_data() {
    let sample = Sample::new();
    let more: String =
        (0..400).map(|n| format!("def brand_new_{n}():\n    return {n}\n\n")).collect();
    let script = format!(
        "run index
         run remember '{TOLD}'
         cat /dev/zero > \"$H/filler\" 2> /dev/null
         printf '{more}' > new.py
         run index
         run search verify_token
         run search brand_new_7
         run remember 'Rule: never log a token'
         run doctor
         rm \"$H/filler\"
         run notebook list
         run search brand_new_7
         run doctor"
    );
    let Some(steps) = apart(&sample, &script) else { return };
    let next = "free some space, or set GROMA_HOME to another disk";
    steps[2].check(5, &["the disk is full: cannot write", next]);
    steps[3].check(0, &["def verify_token", "the disk is full", "left out of this answer"]);
    steps[4].check(1, &["the disk is full", "`brand_new_7` does not occur here"]);
    assert!(!steps[4].said.contains("def brand_new_7()"), "{}", steps[4].said);
    assert_ne!(steps[5].code, 0, "{}", steps[5].said);
    steps[6].check(1, &["No space left on device", next]);
    steps[7].check(0, &[TOLD]);
    steps[8].check(0, &["def brand_new_7()"]);
    assert!(!steps[8].said.contains("full"), "{}", steps[8].said);
    steps[9].check(0, &["verifies"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_directory_that_cannot_be_written_still_answers() {
    let sample = Sample::new();
    let script = format!(
        "find . -type f -exec touch -d 2020-01-01 {{}} +
         run index
         run remember '{TOLD}'
         mount -o remount,ro \"$H\"
         run search verify_token
         run status
         printf 'def fresh_one(): pass\\n' > new.py
         run search verify_token
         run index
         run read auth/token.py
         run notebook list
         run context cookies --type decision
         run remember 'Rule: never log a token'
         run doctor
         run outline auth/token.py
         run outline new.py
         run outline .env
         mount -o remount,rw \"$H\"
         run search fresh_one
         run notebook list"
    );
    let Some(steps) = apart(&sample, &script) else { return };
    let next = "correct its permissions, or set GROMA_HOME to another folder";
    steps[2].check(0, &["def verify_token"]);
    assert!(!steps[2].said.contains("note:"), "{}", steps[2].said);
    steps[3].check(0, &["up to date"]);
    steps[4].check(0, &["def verify_token", "Read-only file system", "left out of this answer"]);
    steps[5].check(5, &["Read-only file system", next]);
    steps[6].check(0, &["def verify_token"]);
    steps[7].check(0, &[TOLD]);
    steps[8].check(0, &["left out of this answer"]);
    assert_ne!(steps[9].code, 0, "{}", steps[9].said);
    steps[10].check(1, &["is not writable", next]);
    steps[11].check(0, &["verify_token", "left out of this answer"]);
    steps[12]
        .check(0, &["fresh_one", "the index is outdated for new.py; the file was parsed directly"]);
    steps[13].check(3, &[".env is not indexed"]);
    steps[14].check(0, &["def fresh_one"]);
    steps[15].check(0, &[TOLD]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_data_directory_that_cannot_be_written_and_is_empty_says_what_to_do() {
    let sample = Sample::new();
    let Some(steps) = apart(&sample, "mount -o remount,ro \"$H\"\nrun search verify_token") else {
        return;
    };
    let next = "correct its permissions, or set GROMA_HOME to another folder";
    steps[0].check(5, &["Read-only file system", next]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_wal_of_a_killed_process_is_read_on_a_read_only_disk() {
    let sample = Sample::new();
    let mut server = Client::start(&sample, &["--no-watch"]);
    assert!(asked(&mut server, "verify_token").1.contains("def verify_token"));
    server.call("notes", json!({ "remember": TOLD }));
    let killed = Command::new("kill").args(["-9", &server.process().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(server.hang_up(), None);
    for name in ["index", "notebook"] {
        let unmerged = fs::metadata(sample.data().join(format!("{name}.db-wal"))).unwrap().len();
        assert!(unmerged > 0, "{name}");
    }
    fs::rename(sample.home(), sample.home().with_file_name("left")).unwrap();
    fs::create_dir(sample.home()).unwrap();
    let ask = "run search verify_token\nrun status\nrun notebook list\n";
    let script = format!(
        "cp -a \"$H/../left/.\" \"$H\"
         mount -o remount,ro \"$H\"
         {ask}
         mount -o remount,rw \"$H\"
         rm \"$H\"/projects/*/*.db-shm
         mount -o remount,ro \"$H\"
         {ask}
         mount -o remount,rw \"$H\"
         cat /dev/zero > \"$H/filler\" 2> /dev/null
         {ask}
         rm \"$H/filler\"
         {ask}
         run doctor"
    );
    let Some(steps) = apart(&sample, &script) else { return };
    for three in steps.chunks_exact(3) {
        three[0].check(0, &["def verify_token"]);
        three[1].check(0, &["4 files"]);
        three[2].check(0, &[TOLD]);
    }
    steps[12].check(0, &["verifies"]);
}

/// The answer of a server to a search.
pub fn asked(server: &mut Client, query: &str) -> (bool, String) {
    let answer = server.call("search", json!({ "query": query }))["result"].take();
    let text = answer["content"][0]["text"].as_str().unwrap_or_default().to_string();
    (answer["isError"] == true, text)
}

#[test]
fn a_project_that_is_moved_or_deleted_while_it_is_served_comes_back() {
    let sample = Sample::new();
    let mut server = Client::start(&sample, &[]);
    assert!(asked(&mut server, "verify_token").1.contains("def verify_token"));
    let (root, elsewhere) = (sample.root(), sample.root().with_file_name("elsewhere"));
    fs::rename(&root, &elsewhere).unwrap();
    let (is_error, text) = asked(&mut server, "verify_token");
    assert!(is_error && text.contains(&*root.to_string_lossy()), "{text}");
    assert!(!text.contains("def verify_token"), "{text}");
    fs::rename(&elsewhere, &root).unwrap();
    assert!(asked(&mut server, "verify_token").1.contains("def verify_token"));

    fs::remove_dir_all(&root).unwrap();
    assert!(asked(&mut server, "verify_token").0);
    fs::create_dir(&root).unwrap();
    sample.write("src/other.rs", "pub fn something_else() {}\n");
    let (is_error, text) = asked(&mut server, "something_else");
    assert!(!is_error && text.contains("pub fn something_else"), "{text}");
    assert!(!asked(&mut server, "verify_token").1.contains("def verify_token"), "a ghost");
    assert_eq!(server.hang_up(), Some(0));
}

#[test]
fn an_index_overwritten_under_a_server_is_rebuilt_with_a_note() {
    for with in [0u8, 0xA5] {
        let sample = Sample::new();
        let mut server = Client::start(&sample, &["--no-watch"]);
        assert!(asked(&mut server, "verify_token").1.contains("def verify_token"));
        for part in fs::read_dir(sample.data().join("segments")).unwrap() {
            let path = part.unwrap().path();
            let length = fs::metadata(&path).unwrap().len() as usize;
            // In place: the server has the file mapped.
            let mut file = fs::File::options().write(true).open(path).unwrap();
            std::io::Write::write_all(&mut file, &vec![with; length]).unwrap();
        }
        for query in ["FindOrder", "verify_token"] {
            let (is_error, text) = asked(&mut server, query);
            assert!(!is_error && !text.contains("nothing found"), "{with}: {text}");
        }
        assert_eq!(sample.run(&["doctor"]).code, Some(0));
    }
}

#[test]
fn an_index_truncated_under_a_server_is_rebuilt_with_a_note() {
    let sample = Sample::new();
    let mut server = Client::start(&sample, &["--no-watch"]);
    assert!(asked(&mut server, "verify_token").1.contains("def verify_token"));
    for part in fs::read_dir(sample.data().join("segments")).unwrap() {
        fs::File::options().write(true).open(part.unwrap().path()).unwrap().set_len(0).unwrap();
    }
    let (is_error, text) = asked(&mut server, "FindOrder");
    assert!(!is_error && text.contains("FindOrder(number int)"), "{text}");
    assert!(text.contains("damaged") && text.contains("rebuilt"), "{text}");
    assert_eq!(sample.run(&["doctor"]).code, Some(0));
}

/// Makes everything world-readable, so that another user can run the program.
#[cfg(unix)]
mod users {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    const NOBODY: u32 = 65534;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The program as a user without root's privileges.
    fn bound(sample: &Sample, arguments: &[&str]) -> Command {
        let mut command = sample.command(arguments);
        if fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0)
        {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    #[test]
    fn permissions_revoked_halfway_cost_only_what_cannot_be_read() {
        let sample = Sample::new();
        set(sample.root().parent().unwrap(), 0o755);
        let _ = chown(sample.home(), Some(NOBODY), Some(NOBODY));
        let run = |arguments: &[&str]| sample.ran(bound(&sample, arguments).output().unwrap());
        let Ok(_) = bound(&sample, &["--version"]).output() else {
            untested("another user cannot start the program from where it is");
            return;
        };
        assert!(run(&["search", "verify_token"]).stdout.contains("def verify_token"));
        run(&["remember", "We decided to keep tokens in cookies"]);
        let (file, folder) = (sample.root().join("auth/token.py"), sample.root().join("store"));
        set(&file, 0o000);
        set(&folder, 0o000);
        let ran = run(&["search", "verify_token"]);
        assert!(!ran.stdout.contains("def verify_token"), "{ran:?}");
        let ran = run(&["status", "--skipped"]);
        assert!(ran.stdout.contains("unreadable (2)"), "{ran:?}");
        let ran = run(&["doctor"]);
        assert!(ran.stdout.contains("correct their permissions"), "{ran:?}");
        set(&sample.root(), 0o000);
        let ran = sample.ran(
            bound(&sample, &["status"])
                .current_dir("/")
                .arg("-P")
                .arg(sample.root())
                .output()
                .unwrap(),
        );
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.contains("check its permissions"), "{ran:?}");
        set(&sample.root(), 0o755);
        set(&file, 0o644);
        set(&folder, 0o755);
        assert!(run(&["search", "verify_token"]).stdout.contains("def verify_token"));
        assert!(run(&["search", "FindOrder"]).stdout.contains("FindOrder(number int)"));
        assert!(run(&["notebook", "list"]).stdout.contains("cookies"));
    }
}
