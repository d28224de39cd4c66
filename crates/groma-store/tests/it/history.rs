//! Whatever happened to a tree, the embedded store answers as the memory store does that saw only its end.

use crate::temporary::Temporary;
use groma_core::{RefName, Store};
use groma_store::MemoryStore;
use groma_testkit::answers::answers;
use groma_testkit::{Tree, pipeline};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Edit {
    Write(usize, Vec<usize>),
    Remove(usize),
    Commit,
    CommitBranch,
    Abandon,
    Reopen,
    Clear,
}

const PATHS: &[&str] =
    &["src/pool.rs", "src/a.rs", "src/store/user.go", "app/config.py", "docs/pool.md", "conf.yaml"];

/// Pieces that every language of `PATHS` can be made of, well or badly.
const PIECES: &[&str] = &[
    "fn get_user(pool: Pool) {\n    connect(pool)\n}\n\n",
    "struct UserService {\n    config: Config,\n}\n\n",
    "def parse(config):\n    return pool\n\n",
    "package store\n\ntype UserService struct{}\n\nfunc (s *UserService) Parse() {}\n\n",
    "# Pool\n\nOn rare connections and users.\n\n",
    "retry: 3\npool:\n  user: x\n",
    "const X: u32 = 1;\n",
    "größe GRÖSSE 数据\n",
    "\n",
];

fn edit() -> impl Strategy<Value = Edit> {
    let piece = prop::collection::vec(0..PIECES.len(), 0..5);
    prop_oneof![
        8 => (0..PATHS.len(), piece).prop_map(|(path, pieces)| Edit::Write(path, pieces)),
        2 => (0..PATHS.len()).prop_map(Edit::Remove),
        8 => Just(Edit::Commit),
        1 => Just(Edit::CommitBranch),
        1 => Just(Edit::Abandon),
        1 => Just(Edit::Reopen),
        1 => Just(Edit::Clear),
    ]
}

fn apply(edit: &Edit, tree: &mut Tree, temporary: &mut Temporary) {
    match edit {
        Edit::Write(path, pieces) => {
            let text: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
            tree.write(PATHS[*path], &text);
        }
        Edit::Remove(path) => {
            tree.remove(PATHS[*path]);
        }
        Edit::Commit => tree.commit(temporary, &RefName::live()).unwrap(),
        Edit::CommitBranch => tree.commit(temporary, &RefName::new("branch")).unwrap(),
        Edit::Abandon => temporary.writer().unwrap().add(tree.indexed()).unwrap(),
        Edit::Reopen => temporary.store = crate::temporary::open(temporary.path()).unwrap(),
        Edit::Clear => temporary.clear().unwrap(),
    }
}

fn final_answers(store: &dyn Store, tree: &Tree) -> String {
    tree.commit(store, &RefName::live()).unwrap();
    answers(&*store.snapshot(&RefName::live()).unwrap().unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_history_ends_like_a_fresh_index(edits in prop::collection::vec(edit(), 1..24)) {
        let (mut tree, mut temporary) = (Tree::default(), Temporary::new());
        for edit in &edits {
            apply(edit, &mut tree, &mut temporary);
        }
        let expected = final_answers(&MemoryStore::new(pipeline()), &tree);
        prop_assert_eq!(final_answers(&temporary, &tree), expected);
        temporary.store.verify().unwrap();
    }
}
