//! References linked to the definitions they mean, and what follows from them.

use groma_core::{Lines, RelPath};
use groma_engine::{
    Cancel, DiffRange, ImpactAnswer, ImpactOf, ImpactRequest, LocateRequest, Relation,
    SymbolRequest, Usage,
};
use groma_testkit::{Sandbox, Setup, git_commit, git_init};

const SHOP: &str = "\
//- go.mod
module shop
//- cart/cart.go
package cart

type Line struct{ Price int }

type Cart struct {
	Log
	lines []*Line
}

func New() *Cart { return &Cart{} }

func (c *Cart) Close() { c.Flush() }

func (c *Cart) First() *Line { return c.lines[0] }
//- cart/log.go
package cart

type Log struct{}

func (l Log) Flush() {}

func (l Log) Close() {}
//- shop.go
package shop

import \"shop/cart\"

type Door struct{}

func (d Door) Close() {}

func Sell(door Door, any interface{ Close() }) int {
	open := cart.New()
	defer open.Close()
	door.Close()
	open.Log.Close()
	for _, one := range []*cart.Cart{open} {
		one.Close()
	}
	Close := 1
	return open.First().Price + Close
}

func Twice() int { return Sell(Door{}, nil) + Sell(Door{}, nil) }

var handler = Twice
//- shop_test.go
package shop

import \"testing\"

func TestTwice(t *testing.T) { Twice() }
";

fn project() -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, SHOP)
}

/// Places of usages; a `?` marks those that may mean something else.
fn places<'u>(usages: impl IntoIterator<Item = &'u Usage>) -> Vec<String> {
    let place = |one: &Usage| {
        format!("{}:{}{}", one.path, one.line, if one.is_possible { "?" } else { "" })
    };
    usages.into_iter().map(place).collect()
}

fn related(relation: Relation, name: &str) -> Vec<String> {
    let request = LocateRequest { relation, limit: 99, ..LocateRequest::new(name) };
    let answer = project().engine().locate(&request, &(), &Cancel::default()).unwrap();
    places(&answer.usages)
}

#[test]
fn methods_of_one_name_are_told_apart_by_what_they_are_called_on() {
    assert_eq!(related(Relation::References, "Cart.Close"), ["shop.go:11", "shop.go:15"]);
    assert_eq!(related(Relation::References, "Door.Close"), ["shop.go:12"]);
    assert_eq!(related(Relation::References, "Log.Close"), ["shop.go:13"], "an embedded type");
    assert_eq!(related(Relation::References, "Log.Flush"), ["cart/cart.go:12"], "promoted");
}

#[test]
fn fields_constants_and_functions_passed_on_are_references() {
    assert_eq!(related(Relation::References, "Price"), ["shop.go:18"]);
    assert_eq!(related(Relation::References, "Twice"), ["shop.go:23", "shop_test.go:5"]);
    assert_eq!(related(Relation::Callers, "Twice"), ["shop_test.go:5"], "a value is no call");
    assert_eq!(related(Relation::Callees, "Twice"), ["shop.go:21"], "each callee once");
}

#[test]
fn what_nothing_is_known_about_is_possible_and_last() {
    let project = Sandbox::with(
        Setup { embedder: None, ..Setup::in_memory() },
        "\
//- a.go
package a

type A struct{}

func (A) Run() {}

type B struct{}

func (B) Run() {}

func first(keyed map[A]int) {
	for key, _ := range keyed {
		key.Run()
	}
	load().Run()
}

func second(a A) { a.Run() }
",
    );
    let request =
        LocateRequest { relation: Relation::References, limit: 99, ..LocateRequest::new("A.Run") };
    let answer = project.engine().locate(&request, &(), &Cancel::default()).unwrap();
    assert_eq!(places(&answer.usages), ["a.go:18", "a.go:13?"], "load is not of the project");
    assert_eq!((answer.total_usages, answer.possible_usages), (2, 1));
}

fn impact(of: ImpactOf, steps: usize) -> ImpactAnswer {
    let request = ImpactRequest { of, steps };
    project().engine().impact(&request, &(), &Cancel::default()).unwrap()
}

#[test]
fn dependents_are_followed_step_by_step_to_the_tests() {
    let answer = impact(ImpactOf::Name(LocateRequest::new("First")), 8);
    let steps: Vec<Vec<String>> = answer
        .steps
        .iter()
        .map(|step| {
            let one = |one: &groma_engine::Dependent| {
                let inside = one.usage.enclosing.as_ref().map_or("-", |one| &one.name);
                format!("{inside} of {}{}", one.of, if one.is_test { " test" } else { "" })
            };
            step.iter().map(one).collect()
        })
        .collect();
    assert_eq!(
        steps,
        [vec!["Sell of 0"], vec!["Twice of 0"], vec!["handler of 0", "TestTwice of 0 test"]]
    );
    assert_eq!((answer.total, answer.tests), (4, 1));
    assert_eq!(impact(ImpactOf::Name(LocateRequest::new("First")), 1).total, 1);
}

#[test]
fn lines_of_a_file_are_the_definitions_that_hold_them() {
    let cart = RelPath::new("cart/cart.go").unwrap();
    let changed = impact(ImpactOf::Files(vec![(cart.clone(), vec![Lines::new(14, 14)])]), 1);
    let names: Vec<&str> = changed.definitions.iter().map(|one| &*one.symbol.name).collect();
    assert_eq!(names, ["First"]);
    assert_eq!(changed.total, 1);
    let whole = impact(ImpactOf::Files(vec![(cart, Vec::new())]), 1);
    assert!(whole.definitions.len() > 4 && whole.total >= 1, "{whole:?}");
}

#[test]
fn tests_that_reach_a_definition_through_other_code_are_its_tests() {
    let request = SymbolRequest {
        locate: LocateRequest { relation: Relation::References, ..LocateRequest::new("First") },
        definitions: 1,
        only_tests: true,
        depth: 1,
        body_chars: 1000,
    };
    let answer = project().engine().symbol(&request, &(), &Cancel::default()).unwrap();
    assert_eq!(places(&answer.located.usages), ["shop_test.go:5"]);
}

#[test]
fn callers_of_callers_belong_to_the_caller_they_call() {
    let request = SymbolRequest {
        locate: LocateRequest {
            relation: Relation::Callers,
            limit: 9,
            ..LocateRequest::new("Door.Close")
        },
        definitions: 1,
        only_tests: false,
        depth: 3,
        body_chars: 1000,
    };
    let answer = project().engine().symbol(&request, &(), &Cancel::default()).unwrap();
    assert_eq!(places(&answer.located.usages), ["shop.go:12"]);
    let further: Vec<Vec<String>> =
        answer.further.iter().map(|level| places(level.iter().map(|one| &one.usage))).collect();
    assert_eq!(further, [vec!["shop.go:21"], vec!["shop_test.go:5"]]);
    assert!(answer.further.iter().flatten().all(|one| one.of == 0));
}

/// The places that refer to a name in a project of one of the languages below.
fn references(text: &str, name: &str) -> Vec<String> {
    let project = Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, text);
    let relation = Relation::References;
    let request = LocateRequest { relation, limit: 99, ..LocateRequest::new(name) };
    let answer = project.engine().locate(&request, &(), &Cancel::default()).unwrap();
    let mut found = places(&answer.usages);
    found.sort();
    found
}

const RUST: &str = "\
//- Cargo.toml
[package]
name = \"shop\"
//- src/lib.rs
mod cart;
mod door;
cfg_online! {
    pub use cart::Cart;
    pub use cart::State::*;
}
#[macro_use]
mod macros;
//- src/macros.rs
macro_rules! check { ($x:expr) => { $x } }
//- src/cart.rs
use std::sync::Arc;
pub struct Cart { lines: Vec<Line>, state: State }
pub struct Line { pub price: u32 }
pub enum State { Open, Shut }
impl Cart {
    pub fn new() -> Result<Self, ()> { Ok(Self { lines: Vec::new(), state: State::Open }) }
    pub fn close(&mut self) { self.state = State::Shut; }
    pub fn first(&self) -> Option<&Line> { self.lines.iter().next() }
}
pub fn shared() -> Arc<Cart> { Arc::new(Cart::new().unwrap()) }
//- src/door.rs
use crate::{cart, Cart};
pub struct Door;
impl Door { pub fn close(&self) {} }
pub fn all(door: Door, any: impl Fn()) -> Result<u32, ()> {
    door.close();
    let mut cart = Cart::new()?;
    cart.close();
    check!(cart::shared().first().unwrap().price + cart.first().unwrap().price);
    if let Some(line) = cart.first() { return Ok(line.price); }
    match cart.state { Open => 1, crate::Shut => 2 };
    Ok(0)
}
";

#[test]
fn rust_is_linked_through_modules_macros_and_what_wrappers_hold() {
    assert_eq!(references(RUST, "Cart::close"), ["src/door.rs:7"]);
    assert_eq!(references(RUST, "Door::close"), ["src/door.rs:5"]);
    let prices = ["src/door.rs:8", "src/door.rs:8", "src/door.rs:9"];
    assert_eq!(references(RUST, "price"), prices);
    assert_eq!(references(RUST, "shared"), ["src/door.rs:8"]);
    assert_eq!(references(RUST, "check"), ["src/door.rs:8"]);
    assert_eq!(references(RUST, "Shut"), ["src/cart.rs:7", "src/door.rs:10"]);
    assert_eq!(references(RUST, "state"), ["src/cart.rs:6", "src/cart.rs:7", "src/door.rs:10"]);
}

const JAVA: &str = "\
//- src/main/java/shop/Cart.java
package shop;

import shop.base.Box;

public class Cart extends Box<Cart.Line> {
    enum State { OPEN, SHUT }
    static class Line { int price; int price() { return price; } }
    private State state = State.OPEN;
    Cart() {}
    Cart close() { state = State.SHUT; touch(); return this; }
    int sum() { int total = 0; for (var line : lines()) { total += line.price(); } return total; }
    java.util.List<Line> lines() { return null; }
    boolean open() { switch (state) { case OPEN: return true; default: return false; } }
}
//- src/main/java/shop/base/Box.java
package shop.base;

public class Box<T> {
    protected void touch() {}
    public static int count;
    public void close() {}
}
//- src/main/java/shop/Shop.java
package shop;

import static shop.base.Box.count;
import shop.base.*;

class Shop {
    Cart make(Box<String> box, int touch) {
        box.close();
        Runnable later = box::touch;
        return new Cart().close();
    }
    int all() { return count + Box.count; }
}
";

#[test]
fn java_is_linked_through_packages_bases_and_declared_types() {
    let shop = |lines: &[u32]| -> Vec<String> {
        lines.iter().map(|line| format!("src/main/java/shop/Shop.java:{line}")).collect()
    };
    let cart = |lines: &[u32]| -> Vec<String> {
        lines.iter().map(|line| format!("src/main/java/shop/Cart.java:{line}")).collect()
    };
    assert_eq!(references(JAVA, "Cart.close"), shop(&[10]));
    assert_eq!(references(JAVA, "Box.close"), shop(&[8]));
    assert_eq!(references(JAVA, "touch"), [cart(&[10]), shop(&[9])].concat());
    assert_eq!(references(JAVA, "count"), shop(&[12, 12, 3]));
    assert_eq!(references(JAVA, "OPEN"), cart(&[13, 8]));
    assert_eq!(references(JAVA, "Line.price"), cart(&[11, 7]));
}

const C: &str = "\
//- cart.h
#define LIMIT 10
typedef struct cart cart;
enum { OPEN, SHUT };
struct cart { int used; struct line *first; void (*visit)(cart *); };
struct line { int price; };
cart *cart_new(void);
//- cart.c
#include \"cart.h\"
static void reset(cart *c) { c->used = 0; }
cart *cart_new(void) { static cart one = { .used = LIMIT }; reset(&one); return &one; }
//- shop.c
#include \"cart.h\"
struct door { int used; };
static void reset(struct door *d) { d->used = SHUT; }
int main(void) {
    struct door d;
    int price = 1;
    reset(&d);
    cart_new()->visit(cart_new());
    return cart_new()->first->price + price;
}
";

#[test]
fn c_is_linked_through_includes_linkage_and_fields() {
    assert_eq!(references(C, "price"), ["shop.c:9"]);
    assert_eq!(references(C, "visit"), ["shop.c:8"]);
    assert_eq!(references(C, "SHUT"), ["shop.c:3"]);
    assert_eq!(references(C, "LIMIT"), ["cart.c:3"]);
    assert_eq!(references(C, "cart.used"), ["cart.c:2", "cart.c:3"]);
    assert_eq!(references(C, "cart_new"), ["shop.c:8", "shop.c:8", "shop.c:9"]);
}

#[test]
fn a_diff_leads_to_the_definitions_it_changes_and_their_tests() {
    let sandbox = Sandbox::new(SHOP);
    git_init(sandbox.root());
    sandbox.write("notes.md", "# Notes\n");
    git_commit(sandbox.root());
    let log = "package cart\n\ntype Log struct{}\n\nfunc (l Log) Flush() {\n}\n\nfunc (l Log) Close() {}\n";
    sandbox.write("cart/log.go", log);
    let changed = |range: &str| {
        let range = DiffRange::parse(range);
        sandbox.engine().impact_of_diff(&range, 8, &(), &Cancel::default())
    };
    let names = |answer: &ImpactAnswer| -> Vec<String> {
        answer.definitions.iter().map(|one| one.symbol.name.clone()).collect()
    };
    let answer = changed("HEAD").unwrap();
    assert_eq!(names(&answer), ["Flush"]);
    let tests: Vec<&str> = answer.test_files().iter().map(|path| path.as_str()).collect();
    assert_eq!(tests, ["shop_test.go"]);
    let answer = changed("HEAD~1").unwrap();
    assert_eq!(names(&answer), ["Flush"]);
    assert_eq!(answer.other_files, [RelPath::new("notes.md").unwrap()]);
    assert!(changed("HEAD~9").is_err());
    assert!(changed("none").is_err());
}
