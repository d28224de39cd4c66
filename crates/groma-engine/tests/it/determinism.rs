//! The same tree and the same question give the same answer, byte for byte.

use crate::show::{QUERIES, everything, exact};
use groma_engine::{Cancel, SearchRequest};
use groma_testkit::{Sandbox, Tree};

const PROJECT: &str = "\
//- src/pool.rs
/// A pool of connections.
pub struct Pool { size: usize }

pub fn get_user(pool: &Pool) -> User { connect(pool) }
//- src/pool_copy.rs
/// A pool of connections.
pub struct Pool { size: usize }

pub fn get_user(pool: &Pool) -> User { connect(pool) }
//- app/config.py
def parse(config):
    \"\"\"Where the config is parsed.\"\"\"
    for user in config:
        connect(user)
//- src/store/user.go
package store

// UserService loops over users of the pool.
type UserService struct{}
//- docs/guide.md
# Pool guide

How connections are pooled, and the config parsed.
";

fn indexed(sandbox: Sandbox) -> Sandbox {
    sandbox.index();
    sandbox
}

#[test]
fn in_every_run_engine_and_place() {
    let sandbox = indexed(Sandbox::new(PROJECT));
    let expected = everything(sandbox.engine());
    assert_eq!(everything(sandbox.engine()), expected, "asked twice");
    assert_eq!(everything(&sandbox.another()), expected, "opened anew");
    let fresh = sandbox.fresh();
    fresh.index(&(), &Cancel::default()).unwrap();
    assert_eq!(everything(&fresh), expected, "another store");
    assert_eq!(everything(indexed(Sandbox::new(PROJECT)).engine()), expected, "another folder");
    sandbox.engine().rebuild(&(), &Cancel::default()).unwrap();
    assert_eq!(everything(sandbox.engine()), expected, "rebuilt");
}

#[test]
fn in_whatever_order_the_files_came() {
    let expected = everything(indexed(Sandbox::new(PROJECT)).engine());
    let tree = Tree::parse(PROJECT);
    let files: Vec<_> = tree.files().iter().collect();
    for first in 0..files.len() {
        let sandbox = Sandbox::new("");
        for place in 0..files.len() {
            let (path, text) = files[(first + files.len() - place) % files.len()];
            sandbox.write(path, text);
            sandbox.index();
        }
        assert_eq!(everything(sandbox.engine()), expected, "beginning with {}", files[first].0);
    }
}

#[test]
fn to_several_threads_at_once() {
    let sandbox = Sandbox::new(PROJECT);
    let ask = |engine: &groma_engine::Engine| {
        let answer =
            |query: &&str| engine.search(&SearchRequest::new(*query), &(), &Cancel::default());
        QUERIES.iter().map(|query| exact(&answer(query).unwrap())).collect::<String>()
    };
    let other = sandbox.another();
    let answers: Vec<String> = std::thread::scope(|scope| {
        let engines =
            [sandbox.engine(), &other, sandbox.engine(), &other, sandbox.engine(), &other];
        let threads = engines.map(|engine| scope.spawn(move || ask(engine)));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!(*answer, answers[0]);
    }
}
