//! Unusual, broken and hostile repositories: clear errors, and nothing else is affected.

use super::{found, repository};
use groma_engine::{
    Cancel, EngineError, ErrorKind, GrepRequest, ReadRefusal, ReadRequest, ResolvedRef,
    SearchRequest,
};
use groma_testkit::{Sandbox, Setup, git, git_commit, git_init};
use std::fs;
use std::path::{Path, PathBuf};

/// The file of a loose object.
fn object(root: &Path, name: &str) -> PathBuf {
    let id = git(root, &["rev-parse", name]);
    root.join(".git/objects").join(&id[..2]).join(&id[2..])
}

/// Overwrites an object with bytes that are none.
fn spoil(path: &Path) {
    fs::remove_file(path).unwrap();
    fs::write(path, b"x\x01not an object at all").unwrap();
}

fn why(error: Result<groma_engine::RefEngine<'_>, EngineError>) -> String {
    let Err(error) = error else { panic!("it can be read") };
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    error.to_string()
}

/// Why files of a ref were left out: path and reason.
fn skipped(sandbox: &Sandbox, reference: &str) -> Vec<(String, String)> {
    let view = sandbox.engine().at(Some(reference)).unwrap();
    view.index(&(), &Cancel::default()).unwrap();
    let skipped = view.status().unwrap().skipped;
    skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect()
}

#[test]
fn a_broken_file_costs_only_itself() {
    let sandbox = repository();
    spoil(&object(sandbox.root(), "feature:src/order.rs"));
    let left_out = skipped(&sandbox, "feature");
    assert_eq!(left_out, [("src/order.rs".to_string(), "unreadable".to_string())]);
    assert_eq!(found(sandbox.engine(), "feature", "borrow_connection")[0], "borrow_connection");
    let view = sandbox.engine().at(Some("feature")).unwrap();
    let error = view.read(&ReadRequest::new("src/order.rs")).unwrap_err().to_string();
    assert!(error.contains("git fsck"), "{error}");
    let answer = view.grep(&GrepRequest::new("fn"), &(), &Cancel::default()).unwrap();
    assert_eq!(answer.matches.len(), 2);
}

#[test]
fn a_missing_file_costs_only_itself() {
    let sandbox = repository();
    fs::remove_file(object(sandbox.root(), "feature:src/pool.rs")).unwrap();
    assert_eq!(skipped(&sandbox, "feature"), [("src/pool.rs".into(), "unreadable".into())]);
}

#[test]
fn a_broken_folder_is_skipped_and_reported() {
    let sandbox = repository();
    spoil(&object(sandbox.root(), "feature:src"));
    assert_eq!(skipped(&sandbox, "feature"), [("src".into(), "unreadable".into())]);
}

#[test]
fn a_commit_that_cannot_be_read_is_an_error() {
    let sandbox = repository();
    spoil(&object(sandbox.root(), "feature^{tree}"));
    let view = sandbox.engine().at(Some("feature")).unwrap();
    let request = SearchRequest::new("order");
    let error = view.search(&request, &(), &Cancel::default()).unwrap_err().to_string();
    assert!(error.starts_with("git's folder") && error.contains("git fsck"), "{error}");
    spoil(&object(sandbox.root(), "feature"));
    let other = sandbox.another();
    let words = why(other.at(Some("feature")));
    assert!(
        words.starts_with("ref feature: git's commit") && words.contains("git fsck"),
        "{words}"
    );
    fs::remove_file(object(sandbox.root(), "main")).unwrap();
    assert!(why(other.at(Some("v1"))).contains("cannot be read"));
    assert_eq!(found(&other, "live", "lend_connection")[0], "lend_connection", "files are files");
}

#[test]
fn a_name_that_resolves_to_no_commit_is_no_ref() {
    let sandbox = repository();
    git(sandbox.root(), &["tag", "blob", "main:src/pool.rs"]);
    git(sandbox.root(), &["tag", "tree", "main:src"]);
    for name in ["blob", "tree"] {
        let words = why(sandbox.engine().at(Some(name)));
        assert!(words.contains("names no commit"), "{words}");
    }
    git(sandbox.root(), &["tag", "-a", "-m", "one", "one", "feature"]);
    git(sandbox.root(), &["tag", "-a", "-m", "two", "two", "one"]);
    assert_eq!(found(sandbox.engine(), "two", "place_order")[0], "place_order");
    let id = git(sandbox.root(), &["rev-parse", "main:src/pool.rs"]);
    assert!(matches!(sandbox.engine().resolve_ref(Some(&id)), ResolvedRef::Unknown { .. }));
}

#[test]
fn links_are_followed_inside_the_commit_only() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new("//- src/a.rs\nfn a() {}\n//- .env\nKEY=1\n");
    symlink("src", sandbox.path("way")).unwrap();
    symlink("../src/a.rs", sandbox.path("src/same.rs")).unwrap();
    symlink("loop.rs", sandbox.path("loop.rs")).unwrap();
    symlink("/etc/passwd", sandbox.path("root.rs")).unwrap();
    symlink("../outside.rs", sandbox.path("up.rs")).unwrap();
    symlink(".env", sandbox.path("key.rs")).unwrap();
    git_init(sandbox.root());
    git(sandbox.root(), &["tag", "v1"]);
    let view = sandbox.engine().at(Some("v1")).unwrap();
    let read = |path: &str| view.read(&ReadRequest::new(path));
    for path in ["way/a.rs", "src/same.rs"] {
        let shown = read(path).unwrap();
        assert_eq!(shown.content, "fn a() {}\n", "{path}");
        assert_eq!(shown.notes, [format!("{path} is a symbolic link to src/a.rs")]);
    }
    let refusal = |path: &str| match read(path).unwrap_err() {
        EngineError::Refused { refusal, .. } => refusal,
        other => panic!("{path}: {other}"),
    };
    assert_eq!(
        (refusal("root.rs"), refusal("up.rs")),
        (ReadRefusal::Traversal, ReadRefusal::Traversal)
    );
    assert_eq!(
        (refusal("key.rs"), refusal(".env")),
        (ReadRefusal::Sensitive, ReadRefusal::Sensitive)
    );
    assert!(matches!(refusal("loop.rs"), ReadRefusal::Unreadable { .. }));
}

#[test]
fn modules_and_pointers_are_what_the_commit_says() {
    let sandbox = repository();
    let main = git(sandbox.root(), &["rev-parse", "main"]);
    let module = format!("160000,{main},libs/other");
    git(sandbox.root(), &["update-index", "--add", "--cacheinfo", &module]);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123456\n";
    sandbox.write("model.txt", pointer);
    git(sandbox.root(), &["add", "model.txt"]);
    git(sandbox.root(), &["commit", "-q", "-m", "module"]);
    git(sandbox.root(), &["tag", "v2"]);
    assert_eq!(skipped(&sandbox, "v2"), [("libs/other".into(), "submodule".into())]);
    let view = sandbox.engine().at(Some("v2")).unwrap();
    assert_eq!(view.read(&ReadRequest::new("model.txt")).unwrap().content, pointer);
    let error = view.read(&ReadRequest::new("libs/other")).unwrap_err();
    assert!(
        matches!(error, EngineError::Refused { refusal: ReadRefusal::NotAFile, .. }),
        "{error}"
    );
}

/// A tree object with an entry of any name.
fn tree_with(sandbox: &Sandbox, name: &[u8]) -> String {
    let blob = git(sandbox.root(), &["rev-parse", "main:src/pool.rs"]);
    let id: Vec<u8> =
        (0..20).map(|at| u8::from_str_radix(&blob[2 * at..2 * at + 2], 16).unwrap()).collect();
    let bytes = [b"100644 ", name, b"\0", &id[..]].concat();
    sandbox.save("tree", bytes);
    let tree = git(sandbox.root(), &["hash-object", "-t", "tree", "-w", "--literally", "tree"]);
    sandbox.remove("tree");
    let commit = git(sandbox.root(), &["commit-tree", "-m", "odd", &tree]);
    git(sandbox.root(), &["branch", "-f", "odd", &commit]);
    commit
}

#[test]
fn names_that_lead_astray_are_not_followed() {
    let sandbox = repository();
    for name in [&b".."[..], b".", b"a/b.rs", b"../x.rs", b"\xff\xfe.rs", &[b'n'; 5000]] {
        tree_with(&sandbox, name);
        let left_out = skipped(&sandbox, "odd");
        assert_eq!(left_out.len(), 1, "{:?}", String::from_utf8_lossy(name));
        let reason = if name.starts_with(b"\xff") { "not_utf8_name" } else { "unreadable" };
        assert_eq!(left_out[0].1, reason, "{:?}", String::from_utf8_lossy(name));
    }
    tree_with(&sandbox, b".git");
    assert_eq!(skipped(&sandbox, "odd"), [(".git".into(), "version_control".into())]);
}

#[test]
fn a_shallow_and_a_bare_repository_have_what_they_have() {
    let sandbox = repository();
    git(sandbox.root(), &["checkout", "-q", "feature"]);
    sandbox.write("src/late.rs", "fn arrive_late() {}\n");
    git_commit(sandbox.root());
    let elsewhere = tempfile::tempdir().unwrap();
    let source = format!("file://{}", sandbox.root().display());
    let folder = |name: &str| elsewhere.path().join(name);
    git(
        elsewhere.path(),
        &["clone", "-q", "--depth", "1", "--no-single-branch", &source, "shallow"],
    );
    let shallow = Setup::in_memory().engine(&folder("shallow"));
    assert_eq!(found(&shallow, "origin/main", "lend_connection")[0], "lend_connection");
    let older = git(sandbox.root(), &["rev-parse", "feature~1"]);
    assert!(why(shallow.at(Some(&older))).contains("no branch, tag or commit"));

    git(sandbox.root(), &["config", "uploadpack.allowFilter", "true"]);
    git(elsewhere.path(), &["clone", "-q", "--bare", &source, "bare"]);
    let bare = Setup::in_memory().engine(&folder("bare"));
    assert_eq!(bare.resolve_ref(None).name(), "feature", "there is no working tree to mean");
    assert_eq!(found(&bare, "HEAD", "arrive_late")[0], "arrive_late");
    assert_eq!(found(&bare, "main", "lend_connection")[0], "lend_connection");

    git(
        elsewhere.path(),
        &["clone", "-q", "--filter=blob:none", "--no-checkout", &source, "partial"],
    );
    let partial = Setup::in_memory().engine(&folder("partial"));
    let view = partial.at(Some("origin/main")).unwrap();
    let report = view.index(&(), &Cancel::default()).unwrap();
    assert_eq!((report.files, report.skipped), (0, 3), "nothing is fetched");
}

#[test]
fn packed_objects_and_refs_are_read() {
    let sandbox = repository();
    git(sandbox.root(), &["gc", "-q", "--aggressive", "--prune=now"]);
    assert_eq!(found(sandbox.engine(), "feature", "place_order")[0], "place_order");
    assert_eq!(found(sandbox.engine(), "v1", "lend_connection")[0], "lend_connection");
}

#[test]
fn an_unsupported_repository_is_reported() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    git(sandbox.root(), &["init", "-q", "-b", "main", "--object-format=sha256"]);
    git_commit(sandbox.root());
    git(sandbox.root(), &["tag", "v1"]);
    let Err(error) = sandbox.engine().at(Some("v1")) else { panic!("it cannot be read") };
    assert!(!error.to_string().is_empty());
    assert_eq!(found(sandbox.engine(), "main", "a")[0], "a");
}
