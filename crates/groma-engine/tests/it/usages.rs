//! What uses a name, and what a definition uses.

use groma_core::{RelPath, SymbolKind};
use groma_engine::{Cancel, LocateAnswer, LocateRequest, Relation, Usage};
use groma_testkit::{Sandbox, Setup};

fn project(text: &str) -> Sandbox {
    Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, text)
}

fn locate(project: &Sandbox, request: &LocateRequest) -> LocateAnswer {
    let answer = project.engine().locate(request, &(), &Cancel::default()).unwrap();
    for usage in &answer.usages {
        let text = std::fs::read_to_string(project.path(usage.path.as_str())).unwrap();
        let line = text.lines().nth(usage.line as usize - 1).unwrap();
        assert_eq!(line.trim(), usage.text, "{usage:?}");
        assert!(line[usage.column as usize..].starts_with(&usage.name), "{usage:?}");
    }
    answer
}

fn ask(project: &Sandbox, relation: Relation, name: &str) -> LocateAnswer {
    locate(project, &LocateRequest { relation, ..LocateRequest::new(name) })
}

/// Kind, place and the definition around it.
fn line(usage: &Usage) -> String {
    let inside = usage.enclosing.as_ref().map_or("-", |one| &one.qualified);
    format!("{} {}:{} in {inside}", usage.kind.as_str(), usage.path, usage.line)
}

fn lines(answer: &LocateAnswer) -> Vec<String> {
    assert_eq!(answer.total_usages, answer.usages.len());
    answer.usages.iter().map(line).collect()
}

const SHOP: &str = "\
//- Cargo.toml
[package]
name = \"shop\"
//- src/lib.rs
mod cart;
mod order;
//- src/cart.rs
/// A cart.
pub struct Cart;

impl Cart {
    pub fn open() -> Cart { Cart }
    pub fn total(&self) -> u32 { sum(self) + sum(self) }
}

fn sum(cart: &Cart) -> u32 { helper(); 0 }

fn helper() {}
//- src/order.rs
use crate::cart::Cart;

pub struct Order;

impl Order {
    pub fn open() -> Order { Order }
    pub fn place(&self) {
        let cart = Cart::open();
        cart.total();
        cart.total();
        println!(\"placed\");
    }
}

static DOOR: u32 = door::open();
//- src/window.rs
pub fn air() { window.open() }
//- tests/cart.rs
#[test]
fn opens() { shop::cart::Cart::open().total(); }
//- tools/report.py
def report(cart):
    return cart.total()
";

#[test]
fn references_are_calls_types_and_imports() {
    let project = project(SHOP);
    let answer = ask(&project, Relation::References, "Cart");
    assert_eq!(answer.definitions.len(), 1);
    assert_eq!(
        lines(&answer),
        [
            "type src/cart.rs:4 in -",
            "type src/cart.rs:5 in cart::Cart::open",
            "value src/cart.rs:5 in cart::Cart::open",
            "type src/cart.rs:9 in cart::sum",
            "import src/order.rs:1 in -",
            "type src/order.rs:8 in order::Order::place",
            "type tests/cart.rs:2 in tests::cart::opens",
        ]
    );
    let answer = ask(&project, Relation::References, "total");
    assert_eq!(
        lines(&answer),
        [
            "call src/order.rs:9 in order::Order::place",
            "call src/order.rs:10 in order::Order::place",
            "call tests/cart.rs:2 in tests::cart::opens",
        ],
        "importers first, tests last, other languages never"
    );
    assert_eq!(answer.usages[0].enclosing.as_ref().unwrap().kind, SymbolKind::Method);
}

#[test]
fn callers_are_given_once() {
    let project = project(SHOP);
    assert_eq!(
        lines(&ask(&project, Relation::Callers, "total")),
        [
            "call src/order.rs:9 in order::Order::place",
            "call tests/cart.rs:2 in tests::cart::opens",
        ]
    );
    let callers = ask(&project, Relation::Callers, "Cart");
    assert!(callers.usages.is_empty(), "a type is not called: {callers:?}");
}

#[test]
fn a_qualifier_disambiguates_a_name() {
    let project = project(SHOP);
    let first = |name: &str| line(&ask(&project, Relation::Callers, name).usages[0]);
    assert_eq!(first("Cart::open"), "call src/order.rs:8 in order::Order::place");
    // What is known to be another `open` is left out.
    let answer = ask(&project, Relation::Callers, "Cart::open");
    assert_eq!(answer.definitions.len(), 1);
    assert_eq!(
        lines(&answer),
        [
            "call src/order.rs:8 in order::Order::place",
            "call tests/cart.rs:2 in tests::cart::opens"
        ]
    );
}

#[test]
fn callees_lead_to_their_definitions() {
    let project = project(SHOP);
    let called = |name: &str| -> Vec<String> {
        let answer = ask(&project, Relation::Callees, name);
        let one = |usage: &Usage| {
            let places: Vec<String> =
                usage.definitions.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
            format!("{} {}", usage.name, places.join(","))
        };
        answer.usages.iter().map(one).collect()
    };
    assert_eq!(called("Order::place"), ["open src/cart.rs:5", "total src/cart.rs:6", "println "]);
    assert_eq!(called("Cart"), ["sum src/cart.rs:9"], "what the methods of a type call");
    assert_eq!(called("helper"), [""; 0]);
}

#[test]
fn what_is_taken_from_a_library_is_not_taken_for_our_own() {
    let project = project(
        "\
//- go.mod
module shop
//- main.go
package main

import (
	\"errors\"
	\"shop/cart\"
)

func run() error {
	cart.New()
	return errors.New(\"closed\")
}
//- cart/cart.go
package cart

func New() {}
//- order/order.go
package order

func New() {}
",
    );
    let answer = ask(&project, Relation::Callees, "run");
    let places = |usage: &Usage| usage.definitions.iter().map(|one| one.path.to_string()).collect();
    let found: Vec<Vec<String>> = answer.usages.iter().map(places).collect();
    assert_eq!(found, [vec!["cart/cart.go".to_string()], vec![]]);
}

#[test]
fn filters_hold_for_the_places() {
    let project = project(SHOP);
    let mut request =
        LocateRequest { relation: Relation::References, ..LocateRequest::new("total") };
    request.languages = vec!["python".into()];
    assert!(locate(&project, &request).usages.is_empty());
    request.languages.clear();
    request.paths = vec!["tests".into()];
    assert_eq!(lines(&locate(&project, &request)), ["call tests/cart.rs:2 in tests::cart::opens"]);
    request.paths.clear();
    request.limit = 1;
    let answer = locate(&project, &request);
    assert_eq!((answer.usages.len(), answer.total_usages), (1, 3));
}

#[test]
fn a_name_that_is_only_used_is_found_and_a_misspelled_one_is_guessed() {
    let project = project(SHOP);
    let answer = ask(&project, Relation::References, "println");
    assert!(answer.definitions.is_empty());
    assert_eq!(lines(&answer), ["call src/order.rs:11 in order::Order::place"]);
    let answer = ask(&project, Relation::Callers, "helpr");
    assert_eq!(lines(&answer), ["call src/cart.rs:9 in cart::sum"]);
    assert_eq!(answer.notes, ["no definition is named helpr; results are for helper"]);
    assert!(ask(&project, Relation::Callers, "nobody_calls_this").usages.is_empty());
}

#[test]
fn usages_follow_the_tree() {
    let project = project(SHOP);
    assert_eq!(ask(&project, Relation::References, "helper").usages.len(), 1);
    project.save("src/window.rs", "\n\nuse crate::cart::helper; pub fn air() { helper() }\n");
    assert_eq!(
        lines(&ask(&project, Relation::References, "helper")),
        [
            "call src/cart.rs:9 in cart::sum",
            "import src/window.rs:3 in -",
            "call src/window.rs:3 in window::air"
        ]
    );
    project.remove("src/window.rs");
    assert_eq!(ask(&project, Relation::References, "helper").usages.len(), 1);
    // Without a look at the tree first, what is outdated is left out.
    project.save("src/cart.rs", "\n\nfn sum() { helper() }\n");
    let request = LocateRequest { relation: Relation::References, ..LocateRequest::new("helper") };
    let answer = project.engine().locate_indexed(&request).unwrap();
    assert!(answer.usages.is_empty(), "{answer:?}");
}

/// Where types implement a name, which types, and where these are defined.
fn implementors(project: &Sandbox, name: &str) -> Vec<String> {
    let relation = Relation::Implementors;
    let answer =
        locate(project, &LocateRequest { relation, limit: 99, ..LocateRequest::new(name) });
    let one = |usage: &Usage| {
        let implementor = usage.enclosing.as_ref().map_or("-", |one| &one.qualified);
        let place = usage.definitions.first().map(|one| format!("{}:{}", one.path, one.line));
        format!("{}:{} {implementor} {}", usage.path, usage.line, place.unwrap_or_default())
    };
    answer.usages.iter().map(one).collect()
}

#[test]
fn types_that_say_what_they_extend() {
    let project = project(
        "\
//- src/lib.rs
pub trait Priced {}
pub trait Taxed: Priced {}
pub struct Book;
impl Priced for Book {}
//- src/more.rs
impl crate::Priced for crate::goods::Pen<'_> {}
//- src/goods.rs
pub struct Pen<'a>(&'a str);
fn sell<T: Priced>(thing: T) {}
//- web/a.ts
export interface Priced {}
class Book implements Priced {}
interface Taxed extends Priced {}
class Box<T extends Priced> {}
//- java/Book.java
class Book extends Thing implements Comparable<Book>, Sold { Sold other; }
//- kotlin/Book.kt
class Book(val other: Sold) : Thing(), Sold
//- net/Book.cs
class Book : Thing, Sold { }
//- php/book.php
<?php
class Book extends Thing implements Sold { use Sold; }
//- py/book.py
class Book(Thing, Sold):
    other: Sold
//- ruby/book.rb
class Book < Thing
  include Sold
end
//- cpp/book.cpp
class Book : public Thing, private Sold {};
//- scala/Book.scala
class Book(other: Sold) extends Thing with Sold
//- swift/book.swift
class Book: Thing, Sold {}
extension Pen: Sold {}
//- dart/book.dart
class Book extends Thing with Logged implements Sold {}
//- js/book.js
class Book extends Sold {}
",
    );
    let found = implementors(&project, "Priced");
    let mut expected = [
        "src/lib.rs:2 Taxed src/lib.rs:2",
        "src/lib.rs:4 Book src/lib.rs:3",
        "web/a.ts:2 Book web/a.ts:2",
        "web/a.ts:3 Taxed web/a.ts:3",
        "src/more.rs:1 goods::Pen src/goods.rs:1",
    ];
    assert_eq!(found[0], expected[0], "beside the definition first");
    let mut sorted = found;
    sorted.sort();
    expected.sort_unstable();
    assert_eq!(sorted, expected);
    // A name that the project does not define is whatever is called so.
    let mut found = implementors(&project, "Sold");
    found.sort();
    let expected = [
        "cpp/book.cpp:1 Book cpp/book.cpp:1",
        "dart/book.dart:1 Book dart/book.dart:1",
        "java/Book.java:1 Book java/Book.java:1",
        "js/book.js:1 Book js/book.js:1",
        "kotlin/Book.kt:1 Book kotlin/Book.kt:1",
        "net/Book.cs:1 Book net/Book.cs:1",
        "php/book.php:2 Book php/book.php:2",
        "php/book.php:2 Book php/book.php:2",
        "py/book.py:1 py.book.Book py/book.py:1",
        "ruby/book.rb:2 Book ruby/book.rb:1",
        "scala/Book.scala:1 Book scala/Book.scala:1",
        "swift/book.swift:1 Book swift/book.swift:1",
        "swift/book.swift:2 Pen ",
    ];
    assert_eq!(found, expected);
}

#[test]
fn types_of_go_implement_what_they_have_the_methods_of() {
    let project = project(
        "\
//- go.mod
module shop
//- store/store.go
package store

type Closer interface { Close() error }

type Store interface {
	Closer
	io.Writer
	Find(name string, limit int) (*User, error)
}

type Empty interface{}
//- disk/disk.go
package disk

type Disk struct{ path string }

func (d *Disk) Find(n string, m int) (*store.User, error) { return nil, nil }
//- disk/close.go
package disk

func (d *Disk) Close() error { return nil }
//- memory/memory.go
package memory

type Memory struct{}

func (m Memory) Find(name string) *User { return nil }
func (m Memory) Close() error           { return nil }
//- cached/cached.go
package cached

import \"shop/disk\"

type Cached struct {
	*disk.Disk
	size int
}
//- half/half.go
package half

type closing struct{}

func (closing) Close() error { return nil }

type Half struct{ closing }

func (h *Half) Find(string, int) (*store.User, error) { return nil, nil }
//- store/store_test.go
package store

type fake struct{}

func (fake) Find(a string, b int) (*User, error) { return nil, nil }
func (fake) Close() error { return nil }
",
    );
    let answer = ask(&project, Relation::Implementors, "Store");
    assert_eq!(
        implementors(&project, "Store"),
        [
            "cached/cached.go:6 cached.Cached cached/cached.go:5",
            "disk/disk.go:3 disk.Disk disk/disk.go:3",
            "half/half.go:7 half.Half half/half.go:7",
            "store/store_test.go:3 store.fake store/store_test.go:3",
        ],
        "one that has other parameters does not"
    );
    assert_eq!(
        answer.notes,
        ["Writer is not an interface of this project: its methods were not checked"]
    );
    assert_eq!(
        implementors(&project, "Closer")[0],
        "store/store.go:6 store.Store store/store.go:5",
        "an interface that embeds another"
    );
    assert!(implementors(&project, "Empty").is_empty());
    // Methods of that name are no candidates, and a type that implements in two ways is listed once.
    project.write("disk/more.go", "package disk\n\nfunc Store() {}\n\ntype Both struct{ *Disk }\n\nfunc (b Both) Find(n string, m int) (*store.User, error) { return nil, nil }\n\nfunc (b Both) Close() error { return nil }\n");
    let answer = ask(&project, Relation::Implementors, "Store");
    assert_eq!(answer.definitions.len(), 1);
    let both = |usage: &&Usage| usage.enclosing.as_ref().is_some_and(|one| one.name == "Both");
    assert_eq!(answer.usages.iter().filter(both).count(), 1);
}

#[test]
fn many_references_are_answered() {
    let mut text = String::from("//- src/lib.rs\npub fn hub() {}\n");
    for number in 0..300 {
        text += &format!("//- src/m{number:03}.rs\npub fn spoke{number}() {{ crate::hub() }}\n");
    }
    let project = project(&text);
    let answer = ask(&project, Relation::Callers, "hub");
    assert_eq!((answer.usages.len(), answer.total_usages), (10, 300));
    assert_eq!(answer.usages[0].path, RelPath::new("src/m000.rs").unwrap());
    let cancel = Cancel::default();
    cancel.cancel();
    let request = LocateRequest { relation: Relation::Callers, ..LocateRequest::new("hub") };
    let stopped = project.engine().locate(&request, &(), &cancel);
    assert!(matches!(stopped, Err(groma_engine::EngineError::Cancelled)));
}
