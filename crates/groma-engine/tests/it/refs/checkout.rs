//! The index of a ref is that of its checkout.

use groma_core::SkippedFile;
use groma_engine::{Cancel, Engine, GrepRequest, LocateRequest, SearchRequest, WalkOptions};
use groma_testkit::{Sandbox, Setup, git, git_commit, git_init};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The whole observable state of an index, as text.
fn state(engine: &Engine) -> String {
    let mut text = String::new();
    let walked = engine.walk().unwrap();
    walked
        .files
        .iter()
        .for_each(|file| text += &format!("file {} {}\n", file.path, file.stamp.size));
    walked.unindexed.iter().for_each(|file| text += &format!("unindexed {}\n", file.path));
    let status = engine.status().unwrap();
    let mut skipped = status.skipped.clone();
    skipped.sort();
    // What a checkout has besides the files of its commit.
    skipped.retain(|skipped| skipped.path != ".git");
    for SkippedFile { path, reason, detail, .. } in skipped {
        text += &format!("skipped {path} {reason} {detail}\n");
    }
    text += &format!("{} {} {}\n", status.files, status.chunks, status.symbols);
    assert_eq!((status.pending, status.removed), (0, 0));
    for query in ["pool of connections", "find_user", "src/net", "helper"] {
        let answer = engine.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap();
        for hit in answer.hits {
            text += &format!(
                "{query}: {}:{} {} {}\n",
                hit.path, hit.lines.start, hit.score, hit.content
            );
        }
        let request = LocateRequest::new(query);
        let located = engine.locate(&request, &(), &Cancel::default()).unwrap();
        for found in located.definitions {
            text += &format!("{query}: {}:{}\n", found.path, found.symbol.name_line);
        }
    }
    for pattern in ["fn ", "helper", "generated", "."] {
        let answer = engine.grep(&GrepRequest::new(pattern), &(), &Cancel::default()).unwrap();
        text += &format!("{pattern} {} {}\n", answer.total, answer.files_matched);
        for one in answer.matches {
            text += &format!("{}:{} {}\n", one.path, one.line, one.text);
        }
    }
    text
}

/// Compares the index of a ref with that of a checkout of it elsewhere.
fn check(sandbox: &Sandbox, reference: &str, folder: &str, walk: WalkOptions) {
    let elsewhere = tempfile::tempdir().unwrap();
    let clone = elsewhere.path().join("clone");
    git(elsewhere.path(), &["clone", "-q", &sandbox.root().to_string_lossy(), "clone"]);
    git(&clone, &["checkout", "-q", reference]);
    let exclude = sandbox.root().join(".git/info/exclude");
    if exclude.is_file() {
        std::fs::copy(exclude, clone.join(".git/info/exclude")).unwrap();
    }
    let engine = |root: &Path| {
        let setup = Setup { walk: walk.clone(), ..Setup::default() };
        setup.engine(root)
    };
    let checkout = engine(&clone.join(folder));
    checkout.index(&(), &Cancel::default()).unwrap();
    let here = engine(&sandbox.root().join(folder));
    let view = here.at(Some(reference)).unwrap();
    view.index(&(), &Cancel::default()).unwrap();
    assert_eq!(state(&view), state(&checkout), "{reference} {folder} {walk:?}");
}

/// A tree with a file for every rule.
fn all_rules() -> Sandbox {
    let sandbox = Sandbox::new(
        "//- src/net/pool.rs\n/// A pool of connections.\npub fn find_pool() {}\n\
         //- src/net/user.rs\npub fn find_user() { find_pool() }\n\
         //- src/net/helper_test.rs\nfn helper() {}\n\
         //- .gitignore\n*.log\n/out\n!keep.log\n# a comment\nsecret/*\n\
         //- logs/a.log\nignored\n//- logs/keep.log\nkept\n\
         //- out/x.rs\nfn ignored_x() {}\n//- src/out/x.rs\nfn kept_x() {}\n\
         //- src/.gitignore\n!b.log\nlocal.rs\n//- src/b.log\nbrought back\n//- src/local.rs\nfn l() {}\n\
         //- other/local.rs\nfn other_local() {}\n\
         //- .ignore\nplain.rs\n!logs/a.log\n//- plain.rs\nfn plain() {}\n\
         //- .gromaignore\nown.rs\n//- own.rs\nfn own() {}\n//- sub/own.rs\nfn own() {}\n\
         //- sub/.gromaignore\n!own.rs\n//- sub/plain.rs\nfn sub_plain() {}\n\
         //- .env\nTOKEN=1\n//- .hidden/a.rs\nfn hidden() {}\n//- id_rsa\nkey\n\
         //- node_modules/a/index.js\nfunction vendored() {}\n\
         //- Cargo.toml\n[package]\n//- target/debug/a.rs\nfn built() {}\n\
         //- venv/pyvenv.cfg\nhome\n//- env/pyvenv.cfg\nhome\n//- env/a.py\ndef vendored(): pass\n\
         //- Cargo.lock\nversion = 3\n//- gen.rs\n// @generated\nfn generated() {}\n\
         //- lib.min.js\nfunction m(){}\n//- key.txt\n-----BEGIN RSA PRIVATE KEY-----\n\
         //- excluded.rs\nfn e() {}\n//- secret/a.rs\nfn s() {}\n//- crlf.rs\nfn c() {}\r\n\
         //- docs/guide.md\n# Guide\n\nHow users get a pool of connections.\n",
    );
    sandbox.write("binary.rs", [0u8, 1, 2, 3]);
    sandbox.write("latin.rs", b"// gr\xf6\xdfe\nfn latin() {}\n");
    sandbox.write("wide.rs", [0xff, 0xfe, b'f', 0, b'n', 0, b' ', 0, b'w', 0]);
    sandbox.write("large.rs", "fn large() {}\n".repeat(100_000));
    std::os::unix::fs::symlink("src/net", sandbox.path("link")).unwrap();
    std::os::unix::fs::symlink("../outside", sandbox.path("away.rs")).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff.rs");
    std::fs::write(sandbox.root().join(odd), "fn odd() {}\n").unwrap();
    git_init(sandbox.root());
    sandbox.write(".git/info/exclude", "excluded.rs\n");
    git(sandbox.root(), &["tag", "v1"]);
    sandbox
}

#[test]
fn a_ref_is_indexed_as_its_checkout_would_be() {
    let sandbox = all_rules();
    // What the working tree holds by now is another matter.
    sandbox.write(".gitignore", "*\n");
    sandbox.remove("src/net/pool.rs");
    check(&sandbox, "v1", "", WalkOptions::default());
    check(&sandbox, "v1", "", WalkOptions { gitignore: false, ..WalkOptions::default() });
    let lenient = WalkOptions {
        hidden: true,
        vendored: true,
        generated: true,
        lock_files: true,
        minified: true,
        ..WalkOptions::default()
    };
    check(&sandbox, "v1", "", lenient);
    let narrow = WalkOptions {
        include: vec!["node_modules/a/**".into(), "out/*.rs".into(), "id_rsa".into()],
        exclude: vec!["docs".into()],
        tests: false,
        languages: vec!["rust".into(), "javascript".into(), "text".into()],
        ..WalkOptions::default()
    };
    check(&sandbox, "v1", "", narrow);
}

#[test]
fn a_project_may_be_a_folder_of_its_repository() {
    let sandbox = all_rules();
    check(&sandbox, "v1", "src", WalkOptions::default());
    check(&sandbox, "v1", "src/net", WalkOptions::default());
    let engine = Setup::in_memory().engine(&sandbox.path("new"));
    std::fs::create_dir(sandbox.path("new")).unwrap();
    let Err(error) = engine.at(Some("v1")) else { panic!("v1 has no such folder") };
    assert_eq!(error.to_string(), "ref v1: has no folder new; use a ref that has it");
}

/// Numbers that look random, and are the same each time.
fn random(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

#[test]
fn whatever_the_tree_and_its_ignore_files() {
    let names = ["a.rs", "b.py", "c.md", "d.log", "build", "x", "y", "vendor", ".z"];
    let lines = [
        "*.rs", "!a.rs", "/x", "x/", "y/**", "!y/b.py", "**/c.md", "build", "!build", "#", "\\#x",
        "x/y", "*",
    ];
    for seed in 0..12 {
        let mut state = seed;
        let sandbox = Sandbox::in_memory("//- top.rs\nfn top() {}\n");
        for _ in 0..25 {
            let depth = random(&mut state) % 3;
            let folders: Vec<_> =
                (0..depth).map(|_| ["x", "y", "build", "vendor"][random(&mut state) % 4]).collect();
            let folder = folders.join("/");
            let path = |name: &str| format!("{folder}{}{name}", if depth > 0 { "/" } else { "" });
            if random(&mut state).is_multiple_of(3) {
                let kind = [".gitignore", ".ignore", ".gromaignore"][random(&mut state) % 3];
                let some: Vec<_> =
                    (0..3).map(|_| lines[random(&mut state) % lines.len()]).collect();
                sandbox.write(&path(kind), some.join("\n"));
            } else {
                let name = names[random(&mut state) % 4];
                sandbox.write(&path(name), format!("fn helper_{}() {{}}\n", random(&mut state)));
            }
        }
        git_init(sandbox.root());
        git(sandbox.root(), &["branch", "other"]);
        sandbox.write("top.rs", "fn more() {}\n");
        git_commit(sandbox.root());
        check(&sandbox, "other", "", WalkOptions::default());
    }
}
