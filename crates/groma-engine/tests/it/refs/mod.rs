//! What refs mean, and what is answered about them.

mod checkout;
mod hostile;
mod sharing;

use groma_core::RelPath;
use groma_engine::{
    Cancel, Engine, EngineError, ErrorKind, GrepRequest, LocateRequest, ReadRequest, ResolvedRef,
    SearchRequest,
};
use groma_testkit::{Sandbox, git, git_commit, git_init};

/// A repository on `main`, with a branch that changes one file, adds one and removes one, and a tag of `main`.
pub fn repository() -> Sandbox {
    let sandbox = Sandbox::new(
        "//- src/pool.rs\n/// Lends connections.\npub fn lend_connection() {}\n\
         //- src/user.rs\npub fn find_user() { lend_connection() }\n\
         //- docs/guide.md\n# Guide\n\nHow users borrow connections.\n",
    );
    git_init(sandbox.root());
    git(sandbox.root(), &["tag", "v1"]);
    git(sandbox.root(), &["checkout", "-q", "-b", "feature"]);
    sandbox.write("src/pool.rs", "/// Lends connections.\npub fn borrow_connection() {}\n");
    sandbox.write("src/order.rs", "pub fn place_order() { borrow_connection() }\n");
    sandbox.remove("docs/guide.md");
    git_commit(sandbox.root());
    git(sandbox.root(), &["checkout", "-q", "main"]);
    sandbox
}

/// A resolved ref in one line.
fn resolved(engine: &Engine, name: &str) -> String {
    let given = (!name.is_empty()).then_some(name);
    match engine.resolve_ref(given) {
        ResolvedRef::Tree(name) => format!("tree {name}"),
        ResolvedRef::Commit(target) => {
            format!("{} {} {}", target.name, target.full.as_str(), &target.object[..4])
        }
        ResolvedRef::Unknown { name, .. } => format!("unknown {name}"),
    }
}

/// The names that a search on a ref leads to, best first.
pub fn found(engine: &Engine, reference: &str, query: &str) -> Vec<String> {
    let view = engine.at(Some(reference)).unwrap();
    let answer = view.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap();
    assert_eq!(answer.notes, Vec::<String>::new());
    answer.hits.iter().filter_map(|hit| Some(hit.symbol.as_ref()?.name.clone())).collect()
}

#[test]
fn without_git_there_is_the_working_tree_alone() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    let resolved = |name: &str| resolved(sandbox.engine(), name);
    assert_eq!(resolved(""), "tree live");
    assert_eq!(resolved("live"), "tree live");
    assert_eq!(resolved("HEAD"), "tree live");
    assert_eq!(resolved("main"), "unknown main");
    let Err(error) = sandbox.engine().at(Some("main")) else { panic!("there is no main") };
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "ref main: this is not a git repository: `live`, the working tree, is the only ref"
    );
}

#[test]
fn what_is_checked_out_is_the_working_tree() {
    let sandbox = repository();
    let main = git(sandbox.root(), &["rev-parse", "main"]);
    let other = git(sandbox.root(), &["rev-parse", "feature"]);
    git(sandbox.root(), &["tag", "-a", "told", "feature", "-m", "A tag with a message."]);
    git(sandbox.root(), &["branch", "team/x", "main"]);
    let resolved = |name: &str| resolved(sandbox.engine(), name);
    for name in ["", "HEAD", "@", "main", "refs/heads/main", "heads/main"] {
        assert_eq!(resolved(name), "tree main", "{name}");
    }
    assert_eq!(resolved("live"), "tree live");
    assert_eq!(resolved(&main), format!("{main} {main} {}", &main[..4]), "a commit stays as it is");
    assert_eq!(resolved(&main[..8]), format!("{} {main} {}", &main[..8], &main[..4]));
    let upper = main.to_uppercase();
    assert_eq!(resolved(&upper), format!("{upper} {main} {}", &main[..4]));
    assert_eq!(resolved("v1"), format!("v1 refs/tags/v1 {}", &main[..4]));
    assert_eq!(resolved("feature"), format!("feature refs/heads/feature {}", &other[..4]));
    assert_eq!(resolved("refs/heads/feature"), resolved("feature"));
    assert_eq!(resolved("team/x"), format!("team/x refs/heads/team/x {}", &main[..4]));
    let tag = git(sandbox.root(), &["rev-parse", "told"]);
    assert_eq!(resolved("told"), format!("told refs/tags/told {}", &tag[..4]));
    for name in ["nope", "../main", "main~1", "HEAD^", ":/a", "main:src", "00000000", "abc", "-x"] {
        assert_eq!(resolved(name), format!("unknown {name}"));
    }
    git(sandbox.root(), &["checkout", "-q", &other]);
    assert_eq!(resolved(""), "tree live", "no branch is checked out");
    assert_eq!(resolved("main"), format!("main refs/heads/main {}", &main[..4]));
    git(sandbox.root(), &["checkout", "-q", "--orphan", "new"]);
    assert_eq!(resolved(""), "tree new", "before its first commit");
    assert_eq!(resolved("new"), "tree new");
}

#[test]
fn a_revision_is_followed_to_its_parents() {
    let sandbox = repository();
    git(sandbox.root(), &["commit", "--allow-empty", "-q", "-m", "Second."]);
    git(sandbox.root(), &["commit", "--allow-empty", "-q", "-m", "Third."]);
    for revision in ["HEAD~1", "main^", "HEAD~2", "HEAD^^", "@~1", "HEAD~0"] {
        let id = git(sandbox.root(), &["rev-parse", revision]);
        let expected = format!("{revision} {id} {}", &id[..4]);
        assert_eq!(resolved(sandbox.engine(), revision), expected);
    }
    for revision in ["HEAD~99", "nope~1", "HEAD^{tree}", "HEAD~1é"] {
        assert_eq!(resolved(sandbox.engine(), revision), format!("unknown {revision}"));
    }
}

#[test]
fn each_ref_answers_with_its_own_files() {
    let sandbox = repository();
    let engine = sandbox.engine();
    assert_eq!(found(engine, "main", "lend_connection")[0], "lend_connection");
    assert_eq!(found(engine, "feature", "borrow_connection")[0], "borrow_connection");
    assert!(!found(engine, "feature", "lend_connection").contains(&"lend_connection".into()));
    assert!(!found(engine, "main", "place_order").contains(&"place_order".into()));
    let feature = engine.at(Some("feature")).unwrap();
    let hit = |path: &str, engine: &Engine| {
        let answer = engine.search(&SearchRequest::new("connection"), &(), &Cancel::default());
        answer
            .unwrap()
            .hits
            .into_iter()
            .find(|hit| hit.path.as_str() == path)
            .map(|hit| hit.content)
    };
    assert_eq!(hit("src/user.rs", &feature), hit("src/user.rs", engine), "the same in both");
    assert_eq!(hit("docs/guide.md", &feature), None, "removed there");
    assert!(hit("src/pool.rs", &feature).unwrap().contains("borrow_connection"));
    assert!(hit("src/pool.rs", engine).unwrap().contains("lend_connection"));
}

#[test]
fn names_lines_and_files_are_those_of_the_ref() {
    let sandbox = repository();
    let feature = sandbox.engine().at(Some("feature")).unwrap();
    let request = LocateRequest::new("borrow_connection");
    let located = feature.locate(&request, &(), &Cancel::default()).unwrap();
    assert_eq!(located.definitions[0].path.as_str(), "src/pool.rs");
    let read = |path: &str| feature.read(&ReadRequest::new(path));
    assert_eq!(
        read("src/order.rs").unwrap().content,
        "pub fn place_order() { borrow_connection() }\n"
    );
    let seconds = read("src/order.rs").unwrap().modified.duration_since(std::time::UNIX_EPOCH);
    assert_eq!(seconds.unwrap().as_secs(), 1_500_000_000, "the commit's time");
    let missing = read("docs/guide.md").unwrap_err();
    assert!(matches!(missing, EngineError::FileNotFound { .. }), "{missing}");
    let grep = |pattern: &str| {
        let answer = feature.grep(&GrepRequest::new(pattern), &(), &Cancel::default()).unwrap();
        answer.matches.iter().map(|one| format!("{}:{}", one.path, one.line)).collect::<Vec<_>>()
    };
    assert_eq!(grep("borrow_c"), ["src/order.rs:1", "src/pool.rs:2"]);
    assert_eq!(grep("lend_c"), ["src/user.rs:1"]);
    let path = RelPath::new("src/order.rs").unwrap();
    let outline = feature.outline(&path, &(), &Cancel::default()).unwrap().unwrap();
    assert_eq!(outline.facts.symbols[0].name, "place_order");
    // Before anything was indexed, too.
    let other = sandbox.fresh();
    let feature = other.at(Some("feature")).unwrap();
    let answer = feature.grep(&GrepRequest::new("place"), &(), &Cancel::default()).unwrap();
    assert_eq!(answer.matches.len(), 1);
}

#[test]
fn a_tag_or_a_commit_never_changes() {
    let sandbox = repository();
    let commit = git(sandbox.root(), &["rev-parse", "main"]);
    sandbox.save("src/pool.rs", "pub fn dirty_pool() {}\n");
    let engine = sandbox.engine();
    for name in ["live", "main", "HEAD"] {
        assert_eq!(found(engine, name, "dirty_pool")[0], "dirty_pool", "{name}");
    }
    for name in ["v1", &commit, &commit[..7]] {
        assert_eq!(found(engine, name, "lend_connection")[0], "lend_connection", "{name}");
        assert!(!found(engine, name, "dirty_pool").contains(&"dirty_pool".into()), "{name}");
    }
    git_commit(sandbox.root());
    assert_eq!(found(engine, "v1", "lend_connection")[0], "lend_connection");
}

#[test]
fn a_branch_that_moved_is_indexed_from_the_difference() {
    let sandbox = repository();
    let engine = sandbox.engine();
    let index = || {
        let view = engine.at(Some("feature")).unwrap();
        let report = view.index(&(), &Cancel::default()).unwrap();
        (report.added, report.updated, report.removed, report.parsed)
    };
    sandbox.index();
    assert_eq!(index(), (3, 0, 0, 2), "all but the file that main has too");
    assert_eq!(index(), (0, 0, 0, 0));
    let root = sandbox.root();
    git(root, &["checkout", "-q", "feature"]);
    sandbox.write("src/order.rs", "pub fn cancel_order() {}\n");
    sandbox.remove("src/user.rs");
    git_commit(root);
    git(root, &["checkout", "-q", "main"]);
    let status = engine.at(Some("feature")).unwrap().status().unwrap();
    assert_eq!((status.pending, status.removed), (1, 1), "a ref that moved is seen to have");
    assert_eq!(found(engine, "feature", "cancel_order")[0], "cancel_order");
    assert_eq!(index(), (0, 0, 0, 0), "the search has indexed it");
    git(root, &["branch", "-f", "feature", "main"]);
    assert_eq!(index(), (2, 1, 1, 0), "everything was seen before");
    let status = engine.at(Some("feature")).unwrap().status().unwrap();
    assert_eq!((status.pending, status.removed, status.files), (0, 0, 3));
}
