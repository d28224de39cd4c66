//! Reading files: what is shown, what is refused, and what a missing path leads to.

use groma_core::Lines;
use groma_engine::{EngineError, ErrorKind, FileView, ReadRefusal, ReadRequest, WalkOptions};
use groma_testkit::{Sandbox, Setup};
use std::time::{Duration, UNIX_EPOCH};

fn project(text: &str) -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, text)
}

fn read(project: &Sandbox, path: &str) -> FileView {
    project.engine().read(&ReadRequest::new(path)).unwrap()
}

/// Why a file is not read.
fn refusal(project: &Sandbox, path: &str) -> ReadRefusal {
    let error = project.engine().read(&ReadRequest::new(path)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    match error {
        EngineError::Refused { path: told, refusal } => {
            assert_eq!(told, path);
            refusal
        }
        other => panic!("{path}: {other}"),
    }
}

#[test]
fn a_file_is_shown_with_what_there_is_to_know() {
    let project = project("");
    project.write("src/lamp.rs", "fn light() {}\n\nfn dim() {}\n");
    project.set_time("src/lamp.rs", UNIX_EPOCH + Duration::from_secs(1_600_000_000));
    let view = read(&project, "./src/lamp.rs");
    assert_eq!(view.path.as_str(), "src/lamp.rs");
    assert_eq!(view.content, "fn light() {}\n\nfn dim() {}\n");
    assert_eq!((view.bytes, view.line_count, view.lines), (27, 3, Lines::new(1, 3)));
    assert_eq!(view.language, "rust");
    assert_eq!(view.modified, UNIX_EPOCH + Duration::from_secs(1_600_000_000));
    assert!(view.dependencies.is_empty() && view.notes.is_empty());
    assert!(project.engine().status().unwrap().generation.is_none(), "no index was made");
}

#[test]
fn lines_are_cut_to_the_file() {
    let project = project("//- a.txt\none\ntwo\nthree\n");
    let lines = |start, end| {
        let request =
            ReadRequest { lines: Some(Lines { start, end }), ..ReadRequest::new("a.txt") };
        let view = project.engine().read(&request).unwrap();
        (view.content, view.lines.start, view.lines.end, view.notes.len())
    };
    assert_eq!(lines(2, 2), ("two".into(), 2, 2, 0));
    assert_eq!(lines(2, 3), ("two\nthree".into(), 2, 3, 0));
    assert_eq!(lines(2, 99), ("two\nthree".into(), 2, 3, 1));
    assert_eq!(lines(50, 99), ("three".into(), 3, 3, 1));
    assert_eq!(lines(0, 0), ("one".into(), 1, 1, 0));
    assert_eq!(lines(3, 1), ("three".into(), 3, 3, 0));
}

#[test]
fn text_of_any_encoding_is_text() {
    let project = project("");
    project.write("bom.txt", b"\xef\xbb\xbfone\n");
    assert_eq!(read(&project, "bom.txt").content, "one\n");
    let utf16: Vec<u8> = "\u{feff}zwei\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project.write("utf16.txt", &utf16);
    let view = read(&project, "utf16.txt");
    assert_eq!((view.content.as_str(), view.bytes), ("zwei\n", 12));
    project.write("latin.txt", b"\xe9t\xe9\n");
    let view = read(&project, "latin.txt");
    assert_eq!(view.content, "\u{fffd}t\u{fffd}\n");
    assert_eq!(view.notes, ["bytes that are not UTF-8 were replaced"]);
    project.write("empty.txt", b"");
    let view = read(&project, "empty.txt");
    assert_eq!((view.content.as_str(), view.line_count, view.lines), ("", 0, Lines::new(1, 1)));
}

#[test]
fn paths_that_leave_the_project_are_refused() {
    let project = project("//- a/b.txt\nb\n");
    let outside = project.root().join("a/b.txt");
    assert_eq!(refusal(&project, outside.to_str().unwrap()), ReadRefusal::Absolute);
    for path in ["/etc/passwd", "~/.bashrc", "C:\\x", "\\\\host\\share"] {
        assert_eq!(refusal(&project, path), ReadRefusal::Absolute, "{path}");
    }
    for path in ["../x", "a/../a/b.txt", "a\\b.txt", "a/.."] {
        assert_eq!(refusal(&project, path), ReadRefusal::Traversal, "{path}");
    }
    for path in ["", "a\0b"] {
        let error = project.engine().read(&ReadRequest::new(path)).unwrap_err();
        assert!(matches!(error, EngineError::Invalid { parameter: "path", .. }), "{error}");
    }
}

#[test]
fn secrets_are_refused_and_what_only_looks_like_them_is_not() {
    let project = project("");
    for path in [".env", "web/.env.local", ".git/config", "node_modules/x/a.js", "tls/server.key"] {
        project.write(path, "secret\n");
        assert_eq!(refusal(&project, path), ReadRefusal::Sensitive, "{path}");
    }
    let key = "-----BEGIN RSA PRIVATE KEY-----\nabc\n";
    project.write("deploy.txt", key);
    assert_eq!(refusal(&project, "deploy.txt"), ReadRefusal::Sensitive, "by its content");
    // A secret that is not there is refused in the same way, so that an error does not reveal whether it exists.
    assert_eq!(refusal(&project, "other/.env"), ReadRefusal::Sensitive);
    for path in [
        ".gitignore",
        ".github/workflows/ci.yml",
        "src/environment.ts",
        ".env.example",
        "vendor/lib.go",
        "Cargo.lock",
    ] {
        project.write(path, "# fine\n");
        assert_eq!(read(&project, path).content, "# fine\n", "{path}");
    }
}

#[test]
fn an_included_secret_is_still_no_reading_matter() {
    let walk = WalkOptions { include: vec![".env".into()], ..WalkOptions::default() };
    let setup = Setup { embedder: None, walk, ..Setup::in_memory() };
    let project = Sandbox::with(setup, "//- .env\nPASSWORD=x\n");
    assert_eq!(refusal(&project, ".env"), ReadRefusal::Sensitive);
}

#[test]
fn what_ignore_files_exclude_is_refused_with_the_rule() {
    let project = project(
        "\
//- .gitignore
dist/
*.log
!keep.log
//- web/.ignore
/private
//- dist/app.js
app()
//- web/private/notes.md
notes
//- x.log
log
//- keep.log
log
",
    );
    let rule = |path: &str| match refusal(&project, path) {
        ReadRefusal::Ignored { rule } => rule,
        other => panic!("{path}: {other}"),
    };
    assert_eq!(rule("dist/app.js"), "`dist/` in .gitignore");
    assert_eq!(rule("x.log"), "`*.log` in .gitignore");
    assert_eq!(rule("web/private/notes.md"), "`/private` in web/.ignore");
    assert_eq!(read(&project, "keep.log").content, "log\n");
    // A rule that came a moment ago counts.
    project.write(".gromaignore", "keep.log\n");
    assert_eq!(rule("keep.log"), "`keep.log` in .gromaignore");
}

#[test]
fn settings_exclude_and_include() {
    let walk = WalkOptions {
        include: vec!["dist/**".into()],
        exclude: vec!["old/".into()],
        ..WalkOptions::default()
    };
    let setup = Setup { embedder: None, walk, ..Setup::in_memory() };
    let files = "//- .gitignore\ndist/\n//- dist/app.js\napp()\n//- old/a.txt\nold\n";
    let project = Sandbox::with(setup, files);
    assert_eq!(read(&project, "dist/app.js").content, "app()\n");
    let rule = "`exclude` of .groma.toml".to_string();
    assert_eq!(refusal(&project, "old/a.txt"), ReadRefusal::Ignored { rule });
}

#[test]
fn what_is_no_text_or_too_much_is_refused() {
    let project = project("");
    project.write("logo.bin.txt", b"\x89PNG\0\0\0");
    assert_eq!(refusal(&project, "logo.bin.txt"), ReadRefusal::Binary);
    project.write("photo.png", "not really\n");
    assert_eq!(refusal(&project, "photo.png"), ReadRefusal::Binary);
    project.write("most.txt", vec![b'a'; 1 << 20]);
    assert_eq!(read(&project, "most.txt").bytes, 1 << 20);
    project.write("more.txt", vec![b'a'; (1 << 20) + 1]);
    let limit = 1 << 20;
    assert_eq!(refusal(&project, "more.txt"), ReadRefusal::TooLarge { bytes: limit + 1, limit });
    project.write("src/a.rs", "");
    assert_eq!(refusal(&project, "src"), ReadRefusal::NotAFile);
    assert_eq!(refusal(&project, "."), ReadRefusal::NotAFile);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_project_only() {
    use std::os::unix::fs::symlink;
    let project = project("//- src/a.rs\nfn a() {}\n//- .env\nPASSWORD=x\n");
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("secret.txt"), "secret\n").unwrap();
    symlink("src/a.rs", project.path("link.rs")).unwrap();
    symlink(".env", project.path("harmless.txt")).unwrap();
    symlink(elsewhere.path().join("secret.txt"), project.path("out.txt")).unwrap();
    symlink(elsewhere.path(), project.path("out")).unwrap();
    symlink("loop.txt", project.path("loop.txt")).unwrap();
    symlink("nowhere.txt", project.path("dangling.txt")).unwrap();
    symlink(".", project.path("here")).unwrap();
    let view = read(&project, "link.rs");
    assert_eq!((view.path.as_str(), view.content.as_str()), ("link.rs", "fn a() {}\n"));
    assert_eq!(view.notes, ["link.rs is a link to src/a.rs"]);
    assert_eq!(read(&project, "here/here/src/a.rs").content, "fn a() {}\n");
    assert_eq!(refusal(&project, "harmless.txt"), ReadRefusal::Sensitive);
    assert_eq!(refusal(&project, "here/.env"), ReadRefusal::Sensitive);
    assert_eq!(refusal(&project, "out.txt"), ReadRefusal::Traversal);
    assert_eq!(refusal(&project, "out/secret.txt"), ReadRefusal::Traversal);
    assert_eq!(refusal(&project, "here"), ReadRefusal::NotAFile);
    assert!(matches!(refusal(&project, "loop.txt"), ReadRefusal::Unreadable { .. }));
    let error = project.engine().read(&ReadRequest::new("dangling.txt")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_without_blocking() {
    use std::os::unix::ffi::OsStrExt;
    let project = project("//- a.txt\na\n");
    for name in ["pipe", ".gitignore"] {
        let path = std::ffi::CString::new(project.path(name).as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a string that ends with a zero byte.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        if name == "pipe" {
            assert_eq!(refusal(&project, name), ReadRefusal::NotAFile);
        } else {
            // Whether the file is ignored is unknown.
            assert!(project.engine().read(&ReadRequest::new("a.txt")).is_err());
        }
    }
}

#[test]
fn a_missing_file_leads_to_its_neighbours() {
    let project = project(
        "//- src/auth/token.rs\n//- src/cart/token.rs\n//- web/token.ts\n//- lib/token.py\n//- lib/order.py\n",
    );
    let suggestions = |path: &str| {
        let error = project.engine().read(&ReadRequest::new(path)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        match error {
            EngineError::FileNotFound { suggestions, .. } => suggestions,
            other => panic!("{other}"),
        }
    };
    assert_eq!(
        suggestions("src/token.rs"),
        ["src/auth/token.rs", "src/cart/token.rs", "lib/token.py"]
    );
    assert_eq!(suggestions("src/auth/tokn.rs")[0], "src/auth/token.rs");
    assert_eq!(suggestions("token.rs/x"), [""; 0]);
    assert_eq!(suggestions("src/nothing_like_it.rs"), [""; 0]);
    let error = project.engine().read(&ReadRequest::new("lib/ordr.py")).unwrap_err();
    assert_eq!(error.to_string(), "there is no file lib/ordr.py; did you mean lib/order.py?");
}

const IMPORTS: &str = "\
//- src/app.ts
import { cart } from './cart'
import { fmt } from 'fmt'
import { user } from './user/index'
import { again } from './cart.ts'
import secrets from '../secret/hidden'
//- src/cart.ts
export const cart = 1
//- src/user/index.ts
export const user = 2
//- secret/hidden.ts
export default 3
";

#[test]
fn dependencies_are_the_files_of_the_project_in_order_of_import() {
    let project = project(IMPORTS);
    let dependencies = || {
        let request = ReadRequest { dependencies: true, ..ReadRequest::new("src/app.ts") };
        let view = project.engine().read(&request).unwrap();
        let shown = view.dependencies.into_iter();
        let shown = shown.map(|one| format!("{}:{} {}", one.path, one.line, one.content.trim()));
        (shown.collect::<Vec<_>>(), view.notes)
    };
    let expected = [
        "src/cart.ts:1 export const cart = 1",
        "src/user/index.ts:3 export const user = 2",
        "secret/hidden.ts:5 export default 3",
    ];
    assert_eq!(dependencies(), (expected.map(String::from).into(), vec![]), "without an index");
    project.index();
    assert_eq!(dependencies().0, expected, "with one");
    // Neither a new file nor a changed one waits for the index.
    project.save("src/cart.ts", "export const cart = 4\n");
    project.save("src/app.ts", "import { cart } from './cart'\nimport { bell } from './bell'\n");
    project.save("src/bell.ts", "export const bell = 5\n");
    assert_eq!(
        dependencies().0,
        ["src/cart.ts:1 export const cart = 4", "src/bell.ts:2 export const bell = 5"]
    );
    assert!(read(&project, "src/app.ts").dependencies.is_empty(), "only if asked for");
}

#[test]
fn many_dependencies_are_cut_and_said_to_be() {
    let project = project("//- go.mod\nmodule shop\n");
    project.write("main.go", "package main\n\nimport \"shop/many\"\n");
    for number in 0..120 {
        project.write(&format!("many/file{number:03}.go"), "package many\n");
    }
    let request = ReadRequest { dependencies: true, ..ReadRequest::new("main.go") };
    let view = project.engine().read(&request).unwrap();
    assert_eq!(view.dependencies.len(), 100);
    assert_eq!(view.notes, ["20 more imported files are not shown"]);
}

#[test]
fn broken_syntax_among_the_imports_is_reported() {
    let project = project("");
    let trouble = |text: &str| {
        project.write("a.ts", text);
        let request = ReadRequest { dependencies: true, ..ReadRequest::new("a.ts") };
        project.engine().read(&request).unwrap().import_trouble
    };
    assert_eq!(trouble("import { b } from './b';\nexport function a() {}\n"), None);
    assert_eq!(
        trouble("import { b from './b';\nexport function a() {}\n").as_deref(),
        Some("syntax error at line 1")
    );
    let below = "import { b } from './b';\nexport function a() {}\nlet = = ;\n";
    assert_eq!(trouble(below), None, "what comes after the imports hides none of them");
    project.write("a.ts", "import { b from './b';\n");
    assert_eq!(read(&project, "a.ts").import_trouble, None, "only if asked for");
}
