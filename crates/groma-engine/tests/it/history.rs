//! After any history of changes an index answers like a new one.

use crate::show::everything;
use groma_engine::Cancel;
use groma_testkit::Sandbox;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Edit {
    Write(usize, Vec<usize>),
    Remove(usize),
    Rename(usize, usize),
    Touch(usize),
    /// A change that keeps size and time, right after the file was indexed.
    Disguise(usize),
    Index,
    Reopen,
}

const PATHS: &[&str] = &[
    "src/pool.rs",
    "src/store/user.go",
    "app/config.py",
    "web/client.ts",
    "docs/pool.md",
    "conf.yaml",
    "lib/parse.c",
    "Makefile",
];

/// Pieces that every language of `PATHS` can be made of, well or badly.
const PIECES: &[&str] = &[
    "fn get_user(pool: Pool) {\n    connect(pool)\n}\n\n",
    "struct UserService {\n    config: Config,\n}\n\n",
    "def parse(config):\n    # reads the config\n    return pool\n\n",
    "package store\n\ntype UserService struct{}\n\nfunc (s *UserService) Parse() {}\n\n",
    "export class Pool {\n  connect(user: User) { return this.config }\n}\n\n",
    "int parse_config(char *pool) { return connect(pool); }\n\n",
    "# Pool\n\nOn rare connections and users. #pool\n\n",
    "retry: 3\npool:\n  user: x\n",
    "größe GRÖSSE 数据\r\n",
    "Code generated, DO NOT EDIT\n",
    "\u{1}\u{2}\u{3}",
];

fn edit() -> impl Strategy<Value = Edit> {
    let path = || 0..PATHS.len();
    let pieces = prop::collection::vec(0..PIECES.len(), 0..5);
    prop_oneof![
        8 => (path(), pieces).prop_map(|(path, pieces)| Edit::Write(path, pieces)),
        2 => path().prop_map(Edit::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => path().prop_map(Edit::Touch),
        2 => path().prop_map(Edit::Disguise),
        4 => Just(Edit::Index),
        1 => Just(Edit::Reopen),
    ]
}

fn apply(edit: &Edit, sandbox: &mut Sandbox) {
    let there = |path: &usize| sandbox.path(PATHS[*path]).exists();
    match edit {
        Edit::Write(path, pieces) => {
            let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
            sandbox.write(PATHS[*path], text);
        }
        Edit::Remove(path) if there(path) => sandbox.remove(PATHS[*path]),
        Edit::Rename(from, to) if there(from) => sandbox.rename(PATHS[*from], PATHS[*to]),
        Edit::Touch(path) if there(path) => sandbox.touch(PATHS[*path]),
        Edit::Disguise(path) if there(path) => disguise(sandbox, PATHS[*path]),
        Edit::Index => drop(sandbox.index()),
        Edit::Reopen => sandbox.reopen(|_| {}),
        _ => {}
    }
}

fn disguise(sandbox: &Sandbox, path: &str) {
    let text = std::fs::read_to_string(sandbox.path(path)).unwrap();
    sandbox.save(path, &text);
    let time = sandbox.time(path);
    sandbox.index();
    sandbox.save(path, text.replace("pool", "loop"));
    sandbox.set_time(path, time);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_history_ends_like_a_fresh_index(edits in prop::collection::vec(edit(), 1..16)) {
        let mut sandbox = Sandbox::new("");
        for edit in &edits {
            apply(edit, &mut sandbox);
        }
        sandbox.index();
        let fresh = sandbox.fresh();
        fresh.index(&(), &Cancel::default()).unwrap();
        prop_assert_eq!(everything(sandbox.engine()), everything(&fresh));
    }
}
