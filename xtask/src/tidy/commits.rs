//! Subjects of commits: `area: what it does`, at most 72 characters.

use std::path::Path;
use std::process::Command;

/// The last commit before the rule.
const SINCE: &str = "c7a1c85";

const LONGEST: usize = 72;

/// Commits whose subject breaks the rule. Without git, or with a history that does not reach back, there are none.
pub fn problems(root: &Path) -> Vec<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    if git(&["merge-base", "--is-ancestor", SINCE, "HEAD"]).is_none() {
        return Vec::new();
    }
    let log = git(&["log", "--no-merges", "--format=%h %s", &format!("{SINCE}..HEAD")]);
    let log = log.unwrap_or_default();
    let commits = log.lines().filter_map(|line| line.split_once(' '));
    commits
        .filter_map(|(commit, subject)| Some(format!("commit {commit}: {}", wrong(subject)?)))
        .collect()
}

/// What is wrong with a subject.
fn wrong(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    if length > LONGEST {
        return Some(format!("the subject has {length} characters; {LONGEST} are the most"));
    }
    let is_area = |area: &str| {
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
        !area.is_empty() && area.split(", ").all(|one| !one.is_empty() && one.chars().all(is_part))
    };
    let is_right = subject.split_once(": ").is_some_and(|(area, what)| {
        let starts = what.chars().next().is_some_and(|first| !first.is_whitespace());
        is_area(area) && starts && !what.ends_with('.')
    });
    (!is_right).then(|| format!("`{subject}` is not `area: what it does`"))
}

#[cfg(test)]
mod tests {
    use super::wrong;

    #[test]
    fn subjects_are_judged() {
        for right in [
            "engine: ask for known versions in one transaction",
            "bench: report CPU time",
            ".ci: pass --locked",
            "xtask, docs: check licences",
            "cli: `groma log` prints refs",
        ] {
            assert_eq!(wrong(right), None, "{right}");
        }
        let long = format!("engine: {}", "x".repeat(65));
        for no in
            ["Clippy is content", "Engine: x", "engine:x", "engine: ", "engine: x.", ": x", &long]
        {
            assert!(wrong(no).is_some(), "{no}");
        }
    }
}
